import { expect, test } from 'vitest'
import { openSession } from '../../../src/renderer/api/session.ts'

type Listener = (event: { readonly data: unknown }) => void

/** A tab without a session, and what it receives from the others. */
function aTab() {
  const stored = new Map<string, string>()
  const asked: unknown[] = []
  let hear: Listener = () => {}
  class Channel {
    addEventListener(_type: string, listener: Listener) {
      hear = listener
    }
    postMessage(message: unknown) {
      asked.push(message)
    }
  }
  const page = {
    BroadcastChannel: Channel,
    location: { hash: '' },
    addEventListener: () => {},
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
  }
  return {
    session: openSession(page as unknown as Window),
    asked,
    hear: (data: unknown) => hear({ data }),
  }
}

test('a session that another tab gives too late is taken with the next question', async () => {
  const { session, asked, hear } = aTab()
  expect(await session.bearer()).toBe(null)
  hear({ kind: 'give', session: 'mr_ses_1' })
  expect([await session.bearer(), asked]).toEqual(['mr_ses_1', [{ kind: 'ask' }]])
})

test('a late session that was refused meanwhile is not taken again', async () => {
  const { session, asked, hear } = aTab()
  expect(await session.bearer()).toBe(null)
  hear({ kind: 'give', session: 'mr_ses_1' })
  expect(await session.bearer()).toBe('mr_ses_1')
  hear({ kind: 'give', session: 'mr_ses_1' })
  const renewed = session.renew('mr_ses_1')
  await expect.poll(() => asked.length).toBe(2)
  hear({ kind: 'give', session: 'mr_ses_2' })
  expect(await renewed).toBe('mr_ses_2')
})
