import type { FlowRun, StepOutcome as CountedSteps } from '../../../../shared/contract/flow-runs.ts'
import { stepState } from '../../../components/runs/run-step-view.tsx'
import type { State } from '../../../components/values/status-badge.tsx'

/** The result of a step in a run, over all its iterations. */
export interface StepOutcome {
  /** The worst of its iterations. */
  readonly state: State
  readonly durationMs: number | null
  readonly longestMs: number | null
  readonly turns: number
  readonly failed: number
}

/** Keyed by `ref_id`, without steps that didn't run. */
export function outcomesOf(
  counted: readonly CountedSteps[],
  run: Pick<FlowRun, 'asks' | 'finished_at' | 'error'> | null,
): Readonly<Record<string, StepOutcome>> {
  return Object.fromEntries(
    counted.map((step) => {
      const states = Object.keys(step.statuses).map((status) =>
        stepState(
          { ref_id: step.ref_id, status: status as keyof CountedSteps['statuses'], warnings: [] },
          run,
        ),
      )
      if (step.in_doubt > 0) states.push('in_doubt')
      const outcome: StepOutcome = {
        state: states.reduce((worst, state) => (rank(state) > rank(worst) ? state : worst), 'skipped'),
        durationMs: step.duration_ms,
        longestMs: step.longest_ms,
        turns: step.turns,
        failed: step.statuses.error ?? 0,
      }
      return [step.ref_id, outcome]
    }),
  )
}

const WORST: readonly State[] = [
  'skipped',
  'success',
  'in_doubt',
  'cancelled',
  'retrying',
  'running',
  'error',
]

function rank(state: State): number {
  return WORST.indexOf(state)
}
