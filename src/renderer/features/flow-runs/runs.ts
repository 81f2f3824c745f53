import { listFailureCausesRoute, listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import type { RunStatus, RunTrigger } from '../../../shared/contract/flow-runs.ts'
import { pagesOf, resource } from '../../api/resource.ts'
import { histogramOf, type TimeFilter } from '../../components/charts/histogram.tsx'
import { asTyped, startOf } from '../../lib/search.ts'

export interface RunFilters extends TimeFilter {
  /** `unfinished`: queued, running or retrying. */
  readonly status?: RunStatus | 'unfinished' | undefined
  readonly trigger?: RunTrigger | undefined
  readonly flow?: string | undefined
  /** The text to search for in all data of the runs. */
  readonly text?: string | undefined
  /** Shows failures counted by cause instead of runs. */
  readonly causes?: boolean | undefined
  /** A single cause: the failed step, `null` for none, its code, and the HTTP status, `null` for none. */
  readonly at?: string | undefined
  readonly code?: string | undefined
  readonly http?: string | undefined
  /** Whether failed runs were marked as resolved. */
  readonly resolved?: 'true' | 'false' | undefined
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

/** Ignores the status, which can be chosen in the histogram. */
export const runHistogramOf = ({ flow, since, from, until, text, ...filters }: RunFilters) =>
  histogramOf({
    of: 'runs',
    flow,
    since,
    from,
    until,
    text: textOf({ text }).text,
    filter: toFilter({ ...filters, ...(filters.status === 'unfinished' ? {} : { status: undefined }) }, 0),
  })

function toFilter(filters: RunFilters, now: number): string[] {
  const { status, trigger, flow, since, from, until, at, code, http, resolved } = filters
  return [
    ...(status === undefined
      ? []
      : [status === 'unfinished' ? 'status,in,queued,running,retrying' : `status,eq,${status}`]),
    ...(trigger === undefined ? [] : [`trigger,eq,${trigger}`]),
    ...(flow === undefined ? [] : [`flow_id,eq,${flow}`]),
    ...(at === undefined ? [] : [`error_ref_id,eq,${at}`]),
    ...(code === undefined ? [] : [`error_code,eq,${code}`]),
    ...(http === undefined ? [] : [`error_status,eq,${http}`]),
    ...(resolved === undefined ? [] : [`resolved,eq,${resolved}`]),
    ...(since === undefined ? [] : [`created_at,ge,${startOf(since, now)}`]),
    ...(from === undefined ? [] : [`created_at,ge,${from}`]),
    ...(until === undefined ? [] : [`created_at,lt,${until}`]),
  ]
}

function textOf({ text }: RunFilters): { readonly text?: string } {
  return text === undefined ? {} : { text: asTyped(text) }
}
