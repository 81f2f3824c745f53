import type { Clock, Sleep } from '../../src/main/engine/ports.ts'

export interface TestTime {
  readonly clock: Clock
  /** Passes at once and advances the clock; rejects if the signal is aborted. */
  readonly sleep: Sleep
  /** The sleeps so far, in milliseconds. */
  readonly slept: number[]
  advance(ms: number): void
}

/** Time that stands still unless someone sleeps. */
export function createTestTime(startMs = Date.UTC(2030, 0, 1)): TestTime {
  let passed = 0
  const slept: number[] = []
  return {
    clock: { now: () => startMs + passed, monotonic: () => passed },
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      passed += ms
    },
    slept,
    advance(ms) {
      passed += ms
    },
  }
}
