import { expect, test } from 'vitest'
import { createLive } from '../../../src/renderer/api/live.ts'
import { createRefresher } from '../../../src/renderer/api/refresh.ts'
import type { LiveEvent } from '../../../src/shared/contract/host.ts'

const READY: LiveEvent = { type: 'ready', noun: null, id: null }
const created = (noun: 'flow' | 'token', id: string): LiveEvent => ({ type: 'created', noun, id })

test('a listener receives its nouns and each new connection, and nothing once it has stopped', async () => {
  const live = aLive([[READY, created('flow', '1'), created('token', '2')]])
  const heard: LiveEvent[] = []
  const unheard: LiveEvent[] = []
  live.subscribe(['flow'], (event) => heard.push(event))
  live.subscribe(['flow'], (event) => unheard.push(event))()
  await live.run()
  expect({ heard, unheard }).toEqual({ heard: [READY, created('flow', '1')], unheard: [] })
})

test('a lost connection is reported and retried, after growing pauses until one holds', async () => {
  const live = aLive([[], [], [READY], []])
  const states: string[] = []
  live.connection.subscribe(({ connection }) => states.push(connection))
  await live.run()
  expect({ states, waits: live.waits }).toEqual({
    states: ['lost', 'lost', 'live', 'lost', 'lost'],
    waits: [250, 500, 250, 500],
  })
})

test('a burst of calls becomes one immediate call and one after it', async () => {
  const turns: PromiseWithResolvers<void>[] = []
  const refresh = createRefresher(
    () => {
      const turn = Promise.withResolvers<void>()
      turns.push(turn)
      return turn.promise
    },
    0,
    () => Promise.resolve(),
  )
  refresh()
  refresh()
  refresh()
  expect(turns.length).toBe(1)
  turns[0]?.resolve()
  await new Promise(setImmediate)
  expect(turns.length).toBe(2)
  turns[1]?.resolve()
  await new Promise(setImmediate)
  expect(turns.length).toBe(2)
})

/** A live hub over connections that deliver these events and then break; it ends with the last one. */
function aLive(connections: readonly (readonly LiveEvent[])[]) {
  const left = [...connections]
  const waits: number[] = []
  const over = Promise.withResolvers<void>()
  const live = createLive(
    async function* () {
      // Whatever stream is requested, it is the live events.
      for (const event of left.shift() ?? []) yield event as never
      throw new Error('broken')
    },
    async (ms) => {
      waits.push(ms)
      await Promise.resolve()
      if (left.length === 0) {
        over.resolve()
        await new Promise(() => undefined)
      }
    },
  )
  return {
    ...live,
    waits,
    async run() {
      const stop = live.start()
      await over.promise
      stop()
    },
  }
}
