import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { Connection } from '../../../src/main/services/reaching/mailboxes/open-mailbox.ts'
import {
  type MailboxWatch,
  watchMailbox,
} from '../../../src/main/services/reaching/mailboxes/watch-mailbox.ts'

/** A connection that breaks when the test says so. */
function aConnection(onIdle: () => Promise<boolean>): Connection {
  const client = Object.assign(new EventEmitter(), { usable: true, idle: onIdle })
  return { opened: { client, box: {} }, close() {}, refusalOf: (error: unknown) => error } as never
}

test('a server that is down is retried forever, after growing pauses with jitter, which start over once it is back', async () => {
  const pauses: number[] = []
  const seen: unknown[] = []
  let time = 0
  let calls = 0
  let signs = 0
  const ended = Promise.withResolvers<void>()
  const watch: MailboxWatch = watchMailbox({
    open() {
      calls++
      if (calls !== 12) return Promise.reject(new Error(`no answer ${calls}`))
      // This connection lasts for a long time.
      return Promise.resolve(
        aConnection(() => {
          seen.push(watch.state)
          time += 600_000
          return Promise.resolve(false)
        }),
      )
    },
    onSign: () => signs++,
    onChange: () => {},
    now: () => time,
    random: () => calls % 2,
    sleep(ms) {
      pauses.push(ms / 1_000)
      if (calls === 14) {
        watch.close()
        ended.resolve()
      }
      return Promise.resolve()
    },
  })
  await ended.promise
  expect({ pauses, seen, signs, last: watch.state }).toEqual({
    pauses: [2, 2, 8, 8, 32, 32, 128, 128, 512, 450, 900, 1, 4, 4],
    seen: [{ connected: true, aliveAt: 0, error: null }],
    signs: 1,
    last: { connected: false, aliveAt: 0, error: new Error('no answer 14') },
  })
})
