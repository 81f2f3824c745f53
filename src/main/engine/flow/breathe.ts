import type { RunState } from './run/run-state.ts'

/** A run of much quick work lets others have their turn; the event loop must not stand still for long. */
export async function breathe(run: RunState): Promise<void> {
  await run.ports.breathe()
  run.breathedAt = run.ports.clock.monotonic()
  run.stop.check(run.breathedAt)
}

export const BREATHE_EVERY_MS = 8
