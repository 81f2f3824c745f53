import type { Flow } from '../../../shared/contract/flows.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { authOfStep, statusOfError } from '../../lib/steps-within.ts'

/** Failed runs with the same cause: one flow, one step, one code, one HTTP status. */
export interface FailureGroup {
  readonly key: string
  readonly flow: Flow
  readonly refId: string | null
  /** The status of the HTTP response that failed the step; null for other reasons. */
  readonly status: number | null
  /** The auth in the step's config. After a 401, a link leads to it. */
  readonly authId: string | null
  /** Newest first; never empty. */
  readonly runs: readonly [FlowRun, ...FlowRun[]]
  /** Whether the runs can be resumed; one ended by a `stop` step can't. */
  readonly canResume: boolean
}

const WEEK_MS = 7 * 86_400_000

/** The failures of the last week, the group with the newest one first; runs of deleted flows are left out. */
export function groupFailures(
  failed: readonly FlowRun[],
  flows: readonly Flow[],
  now: number,
): readonly FailureGroup[] {
  const flowById = new Map(flows.map((flow) => [flow.id, flow]))
  const groups = new Map<string, FailureGroup>()
  for (const run of failed) {
    const flow = flowById.get(run.flow_id)
    if (flow === undefined || now - Date.parse(run.created_at) > WEEK_MS) continue
    const refId = run.error?.ref_id ?? null
    const status = statusOfError(run.error)
    const key = JSON.stringify([flow.id, refId, run.error?.code ?? null, status])
    const group = groups.get(key)
    groups.set(
      key,
      group === undefined
        ? {
            key,
            flow,
            refId,
            status,
            authId: authOfStep(flow.steps, refId),
            runs: [run],
            canResume: run.error?.code !== 'stopped',
          }
        : { ...group, runs: [...group.runs, run] },
    )
  }
  return [...groups.values()]
}
