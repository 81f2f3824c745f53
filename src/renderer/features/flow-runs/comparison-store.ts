import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { compareFlowRunRoute } from '../../../shared/contract/run-debugging.ts'
import type { RunComparison, StepComparison } from '../../../shared/contract/run-debugging.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'

interface ComparisonState {
  readonly comparison: RunComparison | null
  readonly failure: AppError | null
  readonly opened: () => void
}

/** @param other absent: the last run of the flow that succeeded */
export function createComparisonStore(api: Pick<Api, 'call'>, id: string, other: string | undefined) {
  return createStore<ComparisonState>()((set) => ({
    comparison: null,
    failure: null,
    opened() {
      const query = other === undefined ? {} : { with: other }
      api.call(compareFlowRunRoute, { params: { id }, query }).then(
        (comparison) => set({ comparison, failure: null }),
        (error: unknown) => set({ failure: asAppError(error) }),
      )
    },
  }))
}

/** Whether a step has anything to show. */
export function isDifferent({ run, other, input, output }: StepComparison): boolean {
  return (
    run?.status !== other?.status || input.length > 0 || output.length > 0 || run?.attempt !== other?.attempt
  )
}

export const keyOf = ({ ref_id, iteration }: StepComparison) => [ref_id, ...iteration].join('#')
