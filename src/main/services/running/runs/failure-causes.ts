import type { FailureCause, FlowRun } from '../../../../shared/contract/flow-runs.ts'
import type { FailedRun } from '../../../store/index.ts'

type Cause = Omit<FailureCause, 'newest'> & { readonly newest: string }

/**
 * Groups runs, given newest first, by flow, step, code and HTTP status; the cause of the latest failure comes first.
 */
export function groupByCause(failed: readonly FailedRun[]): readonly Cause[] {
  const causes = new Map<string, Cause>()
  for (const { id, ...cause } of failed) {
    const key = JSON.stringify([cause.flow_id, cause.ref_id, cause.code, cause.status])
    const known = causes.get(key)
    causes.set(key, { ...cause, count: (known?.count ?? 0) + 1, newest: known?.newest ?? id })
  }
  return [...causes.values()]
}

export function toFailedRun({ id, flow_id, error }: FlowRun): FailedRun {
  return { id, flow_id, ref_id: error?.ref_id ?? null, code: error?.code ?? '', status: statusOf(error) }
}

function statusOf(error: FlowRun['error']): number | null {
  const data = error?.data
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  const status = data['status']
  return typeof status === 'number' && Number.isInteger(status) ? status : null
}
