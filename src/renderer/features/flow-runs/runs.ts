import { listFailureCausesRoute, listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import type { RunStatus, RunTrigger } from '../../../shared/contract/flow-runs.ts'
import { pagesOf, resource } from '../../api/resource.ts'
import { asTyped, type Since, startOf } from '../../lib/search.ts'

export interface RunFilters {
  /** `unfinished`: queued, running or retrying. */
  readonly status?: RunStatus | 'unfinished' | undefined
  readonly trigger?: RunTrigger | undefined
  readonly flow?: string | undefined
  /** Maximum age of the start. */
  readonly since?: Since | undefined
  /** Searched in all data of the runs. */
  readonly text?: string | undefined
  /** Failures counted by cause instead of the runs. */
  readonly causes?: boolean | undefined
  /** A single cause: the failed step, `null` for none, its code, and the HTTP status, `null` for none. */
  readonly at?: string | undefined
  readonly code?: string | undefined
  readonly http?: string | undefined
}

export const runsOf = (filters: RunFilters) =>
  pagesOf(listFlowRunsRoute, {
    nouns: ['flow_run'],
    query: (now) => ({ answers: 'true', filter: toFilter(filters, now), ...textOf(filters) }),
  })

export const causesOf = (filters: RunFilters) =>
  resource(listFailureCausesRoute, {
    nouns: ['flow_run'],
    query: (now) => ({ filter: toFilter(filters, now), ...textOf(filters) }),
  })

function toFilter({ status, trigger, flow, since, at, code, http }: RunFilters, now: number): string[] {
  return [
    ...(status === undefined
      ? []
      : [status === 'unfinished' ? 'status,in,queued,running,retrying' : `status,eq,${status}`]),
    ...(trigger === undefined ? [] : [`trigger,eq,${trigger}`]),
    ...(flow === undefined ? [] : [`flow_id,eq,${flow}`]),
    ...(at === undefined ? [] : [`error_ref_id,eq,${at}`]),
    ...(code === undefined ? [] : [`error_code,eq,${code}`]),
    ...(http === undefined ? [] : [`error_status,eq,${http}`]),
    ...(since === undefined ? [] : [`created_at,ge,${startOf(since, now)}`]),
  ]
}

function textOf({ text }: RunFilters) {
  return text === undefined ? {} : { text: asTyped(text) }
}
