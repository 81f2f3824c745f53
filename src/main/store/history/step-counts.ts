/** Counts a run's steps by `ref_id` without parsing them into records. */
import type { FlowRunStep, StepOutcome } from '../../../shared/contract/flow-runs.ts'
import { isPart } from '../../../shared/contract/base/step-lists.ts'
import type { PackedStep } from './step-format.ts'

/** The counts so far, in the order in which the steps first ran. */
export type StepCounts = Map<string, StepCount>

interface StepCount {
  turns: number
  inDoubt: number
  readonly statuses: Map<FlowRunStep['status'], number>
  durationMs: number | null
  longestMs: number | null
}

/** @param text a stored list of steps; its numbers may be rounded, which doesn't affect counts */
export function countSteps(counts: StepCounts, text: string): void {
  for (const step of JSON.parse(text) as PackedStep[]) {
    const { ref_id: refId, path, status = 'success', duration_ms: duration, warnings } = step
    let count = counts.get(refId)
    if (count === undefined) {
      count = { turns: 0, inDoubt: 0, statuses: new Map(), durationMs: null, longestMs: null }
      counts.set(refId, count)
    }
    if (warnings?.some((warning) => warning.in_doubt === true)) count.inDoubt += 1
    if (isPart(path)) continue
    count.turns += 1
    count.statuses.set(status, (count.statuses.get(status) ?? 0) + 1)
    if (duration === null) continue
    count.durationMs = (count.durationMs ?? 0) + duration
    count.longestMs = Math.max(count.longestMs ?? 0, duration)
  }
}

export function toOutcomes(counts: StepCounts): StepOutcome[] {
  return [...counts].map(([refId, { turns, inDoubt, statuses, durationMs, longestMs }]) => ({
    ref_id: refId,
    turns,
    statuses: Object.fromEntries(statuses),
    in_doubt: inDoubt,
    duration_ms: durationMs,
    longest_ms: longestMs,
  }))
}
