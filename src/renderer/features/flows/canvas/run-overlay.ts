import type { FlowRun, FlowRunStep } from '../../../../shared/contract/flow-runs.ts'
import { stepState } from '../../../components/run-step-view.tsx'
import type { State } from '../../../components/status-badge.tsx'

/** What a step did in a run, all its turns taken together. */
export interface StepOutcome {
  /** The worst of its turns. */
  readonly state: State
  readonly durationMs: number | null
  readonly turns: number
  readonly failed: number
}

/** By `ref_id`; a step that did not run is not in it. */
export function outcomesOf(
  records: readonly FlowRunStep[],
  run: FlowRun | null,
): Readonly<Record<string, StepOutcome>> {
  const outcomes: Record<string, StepOutcome> = {}
  for (const record of records) {
    const before = Object.hasOwn(outcomes, record.ref_id) ? outcomes[record.ref_id] : undefined
    const state = stepState(record, run)
    outcomes[record.ref_id] = {
      state: before === undefined || rank(state) > rank(before.state) ? state : before.state,
      durationMs: sum(before?.durationMs ?? null, record.duration_ms),
      turns: (before?.turns ?? 0) + 1,
      failed: (before?.failed ?? 0) + (state === 'error' ? 1 : 0),
    }
  }
  return outcomes
}

const WORST: readonly State[] = ['skipped', 'success', 'cancelled', 'retrying', 'running', 'error']

function rank(state: State): number {
  return WORST.indexOf(state)
}

function sum(before: number | null, added: number | null): number | null {
  return added === null ? before : (before ?? 0) + added
}
