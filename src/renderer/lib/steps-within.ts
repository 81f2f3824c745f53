import type { RunError } from '../../shared/contract/flow-runs.ts'
import type { Step } from '../../shared/contract/steps.ts'

/** The steps in reading order, nested ones included. */
export function stepsWithin(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => {
    const { steps: own = [], then = [], else: other = [], cases = [], default: rest = [] } = step
    return [step, ...stepsWithin([...own, ...then, ...other, ...cases.flatMap((one) => one.steps), ...rest])]
  })
}

/** The auth of a step; null if it has none, or uses a template, which is known only while it runs. */
export function authOfStep(steps: readonly Step[], refId: string | null): string | null {
  const step = stepsWithin(steps).find(({ ref_id: id }) => id === refId)
  const { auth_id: auth } = (step?.config ?? {}) as { readonly auth_id?: unknown }
  return typeof auth === 'string' && !auth.includes('{{') ? auth : null
}

/** The status of the response that failed a step; null if it failed for another reason. */
export function statusOfError(error: RunError | null): number | null {
  const data = error?.data
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  return typeof data['status'] === 'number' ? data['status'] : null
}
