/** What Home shows. Each part is loaded again only when runs change in a way that affects it. */
import { readFiguresRoute } from '../../../shared/contract/figures/figures.ts'
import { type Flow, readScheduleRoute } from '../../../shared/contract/flows.ts'
import {
  type FlowActivity,
  type FlowRun,
  listFlowActivityRoute,
  listFlowRunsRoute,
} from '../../../shared/contract/flow-runs.ts'
import type { LiveEvent } from '../../../shared/contract/host.ts'
import { listRunQuestionsRoute, type RunQuestion } from '../../../shared/contract/reach/questions.ts'
import { endsRun } from '../../api/lists.ts'
import { cached, type Resource, resource } from '../../api/resource.ts'

/** A flow and its last 24 hours. */
export interface FlowRow {
  readonly flow: Flow
  /** Oldest first; null if it did not run. */
  readonly hours: FlowActivity['hours'] | null
}

/** A run that waits for a person's answer. */
export interface AskingRun {
  readonly run: FlowRun
  /** Empty for users who can't answer. */
  readonly questions: readonly RunQuestion[]
}

const isOneOf = ({ id }: LiveEvent, runs: readonly FlowRun[]) => runs.some((run) => run.id === id)

export const RECENT_RUNS = resource(listFlowRunsRoute, { nouns: ['flow_run'], query: { per_page: '8' } })

const HOUR_MS = 3_600_000
const WEEK_HOURS = 168

/** The last seven days, hour by hour, and the seven before. */
const weekOf = (of: 'runs' | 'webhooks') =>
  resource(readFiguresRoute, {
    nouns: [of === 'runs' ? 'flow_run' : 'webhook_request', 'flow_run'],
    concerns: (event) => event.type === 'deleted' || event.noun === 'webhook_request' || endsRun(event),
    query: (now) => ({
      of,
      from: new Date((Math.floor(now / HOUR_MS) + 1 - WEEK_HOURS) * HOUR_MS).toISOString(),
      bucket: 'hour',
    }),
  })

export const WEEK = weekOf('runs')
export const WEBHOOKS_OF_WEEK = weekOf('webhooks')

/** The newest run of a flow, if there is one. */
export const lastRunOf = ({ id }: Flow) =>
  resource(listFlowRunsRoute, {
    nouns: ['flow_run'],
    concerns: (event) => event.flow_id === id,
    query: { filter: [`flow_id,eq,${id}`, 'trigger,ne,test'], per_page: '1' },
  })

export const ACTIVITY = resource(listFlowActivityRoute, {
  nouns: ['flow_run'],
  concerns: (event) => event.type === 'deleted' || endsRun(event),
})

/** The newest failures that aren’t resolved; those of the last week are shown in groups. */
export const FAILED_RUNS = resource(listFlowRunsRoute, {
  nouns: ['flow_run'],
  concerns: (event, runs) => event.status === 'error' || isOneOf(event, runs),
  query: { filter: ['status,eq,error', 'trigger,ne,test', 'resolved,eq,false'], per_page: '100' },
})

/** One is enough to know that the first step is done. */
export const FIRST_WEBHOOK_RUN = resource(listFlowRunsRoute, {
  nouns: ['flow_run'],
  concerns: (event, runs) => runs.length === 0 || isOneOf(event, runs),
  query: { filter: 'trigger,eq,webhook', per_page: '1' },
})

/** Newest first. The links allow anybody who reads them to answer, so some users see only the runs. */
export const ASKING_RUNS: Resource<readonly AskingRun[]> = {
  key: 'asking runs',
  nouns: ['flow_run'],
  concerns: (event, asking) =>
    (event.type === 'updated' && !endsRun(event)) ||
    isOneOf(
      event,
      asking.map(({ run }) => run),
    ),
  async fetch(api, signal) {
    const query = { filter: 'asks,eq,true', per_page: '20' }
    const runs = await api.call(listFlowRunsRoute, { query }, signal)
    return await Promise.all(
      runs.map(async (run) => ({
        run,
        questions: await api.call(listRunQuestionsRoute, { params: { id: run.id } }, signal).catch(() => []),
      })),
    )
  },
}

/** Whether nothing had run when the page was opened. It stays true even after a first run. */
export const IS_FIRST_START: Resource<boolean> = {
  key: 'first start',
  nouns: [],
  fetch: async (api, _signal, { data }) => data() ?? (await cached(api, RECENT_RUNS).read()).length === 0,
}

/** When a schedule starts its flow next; null if it never will again. */
export const nextStartOf = ({ id }: Flow): Resource<{ readonly at: string | null }> => ({
  key: `next start of ${id}`,
  nouns: ['flow', 'flow_run'],
  concerns: (event) =>
    event.noun === 'flow' ? event.id === id : event.flow_id === id && event.type === 'created',
  fetch: async (api, signal) => {
    const { next } = await api.call(readScheduleRoute, { params: { id } }, signal)
    return { at: next[0] ?? null }
  },
})

/** Flows that ran today come first, then those that will run, then drafts. */
export function rowsOf(flows: readonly Flow[], activity: readonly FlowActivity[]): readonly FlowRow[] {
  const hours = new Map(activity.map((one) => [one.flow_id, one.hours]))
  return flows
    .map((flow) => ({ flow, hours: hours.get(flow.id) ?? null }))
    .sort((a, b) => rankOf(a) - rankOf(b))
}

export function isScheduled({ status, steps }: Flow): boolean {
  return status === 'active' && steps.some(({ type }) => type === 'schedule')
}

function rankOf({ flow, hours }: FlowRow): number {
  if (hours !== null) return 0
  if (isScheduled(flow)) return 1
  return flow.status === 'active' ? 2 : flow.status === 'draft' ? 3 : 4
}
