/** Shared by tests and the processes they start; nothing here needs the test runner. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { MasterKey } from '../../src/main/store/secrets/secret-box.ts'

/** A clock that stands still until the test moves it. */
export function aClock(now = Date.parse('2026-03-01T12:00:00.000Z')) {
  const clock = {
    time: now,
    now: () => clock.time,
    advance(ms: number) {
      clock.time += ms
    },
  }
  return clock
}

/** A master key in memory; two with the same seed open what the other encrypted. */
export function aMasterKey(seed = 1): MasterKey {
  const key = Buffer.alloc(32, seed)
  return {
    id: `test-${seed}`,
    wrap(bytes) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(bytes), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    unwrap(wrapped) {
      const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12), { authTagLength: 16 })
      decipher.setAuthTag(wrapped.subarray(12, 28))
      return Buffer.concat([decipher.update(wrapped.subarray(28)), decipher.final()])
    },
  }
}
