import { createStore } from 'zustand/vanilla'
import { listConnectorAuthsRoute } from '../../../shared/contract/connector-auths.ts'
import { readDataFolderRoute } from '../../../shared/contract/data-folder.ts'
import type { DataFolder } from '../../../shared/contract/data-folder.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { listFlowsRoute, readScheduleRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import {
  listFlowActivityRoute,
  listFlowRunsRoute,
  resumeFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import type { FlowActivity, FlowRun } from '../../../shared/contract/flow-runs.ts'
import { listRunQuestionsRoute } from '../../../shared/contract/reach/questions.ts'
import type { RunQuestion } from '../../../shared/contract/reach/questions.ts'
import { listTokensRoute } from '../../../shared/contract/tokens.ts'
import type { Token } from '../../../shared/contract/tokens.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import type { WebhookAnswer } from '../../api/send-webhook.ts'
import { sendWebhook } from '../../api/send-webhook.ts'
import { groupFailures } from './failures.ts'
import type { FailureGroup } from './failures.ts'
import { SAMPLE_FLOW, SAMPLE_ORDER } from './sample.ts'
import { listAll } from '../../api/list-all.ts'

/** A flow, its last 24 hours, and the next time its schedule starts it. */
export interface FlowRow {
  readonly flow: Flow
  /** Of the last 24 hours, oldest first; null if it did not run. */
  readonly hours: FlowActivity['hours'] | null
  readonly nextAt: string | null
}

/** A run that waits for the answer of a person. */
export interface AskingRun {
  readonly run: FlowRun
  /** The name of its flow; null if that was deleted. */
  readonly flowName: string | null
  /** Empty for users who can't answer. */
  readonly questions: readonly RunQuestion[]
}

interface Known {
  /** The sample flow, if it exists and has a webhook. */
  readonly sample: Flow | null
  /** Those that ran today first, then those that will run, then drafts. */
  readonly flows: readonly FlowRow[]
  readonly recent: readonly FlowRun[]
  /** Newest first. */
  readonly asking: readonly AskingRun[]
  readonly failures: readonly FailureGroup[]
  readonly tokens: readonly Token[]
  readonly steps: FirstSteps
}

/** A newcomer's first steps, and whether each is done. */
export interface FirstSteps {
  readonly webhook: boolean
  readonly ownFlow: boolean
  readonly auth: boolean
  readonly active: boolean
}

interface HomeState {
  readonly known: Known | null
  /** Measured once, when the screen opens; null until then, or without permission. */
  readonly folder: DataFolder | null
  /** Nothing had run when the page was opened; the card then stays, even after a first run. */
  readonly firstStart: boolean
  readonly failure: AppError | null
  readonly sending: boolean
  readonly answer: WebhookAnswer | null
  readonly sendFailure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly testSent: () => Promise<void>
  /** Resumes all runs of a group; resolves to the number of those that couldn't be resumed. */
  readonly resumed: (group: FailureGroup) => Promise<number>
}

/** Home shows these; the others are on the Flows screen. */
export const SHOWN_FLOWS = 10
const RECENT = '8'
const ASKING = '20'
/** Of the newest failures, those of the last week are shown in groups. */
const FAILURES = '100'

export function createHomeStore(api: Pick<Api, 'call' | 'live'>, send: typeof sendWebhook = sendWebhook) {
  return createStore<HomeState>()((set, get) => {
    const load = async () => {
      try {
        const [flows, activity, recent, asking, failed, webhookRuns, auths, tokens] = await Promise.all([
          listAll(api, listFlowsRoute),
          api.call(listFlowActivityRoute, {}),
          api.call(listFlowRunsRoute, { query: { per_page: RECENT } }),
          api.call(listFlowRunsRoute, { query: { filter: 'asks,eq,true', per_page: ASKING } }),
          api.call(listFlowRunsRoute, {
            query: { filter: ['status,eq,error', 'trigger,ne,test'], per_page: FAILURES },
          }),
          api.call(listFlowRunsRoute, { query: { filter: 'trigger,eq,webhook', per_page: '1' } }),
          api.call(listConnectorAuthsRoute, { query: { per_page: '1' } }),
          api.call(listTokensRoute),
        ])
        const sample = flows.find(({ name, webhook }) => name === SAMPLE_FLOW && webhook) ?? null
        const known: Known = {
          sample,
          flows: await toRows(api, flows, activity),
          recent,
          asking: await withQuestions(api, asking, flows),
          failures: groupFailures(failed, flows, Date.now()),
          tokens,
          steps: {
            webhook: webhookRuns.length > 0,
            ownFlow: flows.some(({ name }) => name !== SAMPLE_FLOW),
            auth: auths.length > 0,
            active: flows.some(({ status }) => status === 'active'),
          },
        }
        const firstStart = get().firstStart || (get().known === null && recent.length === 0)
        set({ known, firstStart, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    const follow = followNouns(api, ['flow', 'flow_run', 'token', 'connector_auth'], load)
    return {
      known: null,
      firstStart: false,
      failure: null,
      sending: false,
      answer: null,
      sendFailure: null,
      folder: null,
      opened() {
        api.call(readDataFolderRoute).then(
          (folder) => set({ folder }),
          () => undefined,
        )
        return follow()
      },
      reload: load,
      async testSent() {
        const webhook = get().known?.sample?.webhook
        if (webhook === null || webhook === undefined || get().sending) return
        set({ sending: true, answer: null, sendFailure: null })
        try {
          set({ answer: await send(webhook.url, webhook.token, SAMPLE_ORDER) })
        } catch (error) {
          set({ sendFailure: asAppError(error) })
        }
        set({ sending: false })
        await load()
      },
      async resumed({ runs }) {
        const outcomes = await Promise.allSettled(
          runs.map(({ id }) => api.call(resumeFlowRunRoute, { params: { id } })),
        )
        await load()
        return outcomes.filter(({ status }) => status === 'rejected').length
      },
    }
  })
}

/** Whoever reads the links can answer, so some users see only the runs. */
async function withQuestions(
  api: Pick<Api, 'call'>,
  runs: readonly FlowRun[],
  flows: readonly Flow[],
): Promise<readonly AskingRun[]> {
  const names = new Map(flows.map(({ id, name }) => [id, name]))
  return await Promise.all(
    runs.map(async (run) => ({
      run,
      flowName: names.get(run.flow_id) ?? null,
      questions: await api.call(listRunQuestionsRoute, { params: { id: run.id } }).catch(() => []),
    })),
  )
}

/** Schedules are loaded one flow at a time; a flow deleted in the meantime has none. */
async function toRows(
  api: Pick<Api, 'call'>,
  flows: readonly Flow[],
  activity: readonly FlowActivity[],
): Promise<readonly FlowRow[]> {
  const hours = new Map(activity.map((one) => [one.flow_id, one.hours]))
  const sorted = flows
    .map((flow): FlowRow => ({ flow, hours: hours.get(flow.id) ?? null, nextAt: null }))
    .sort((a, b) => rankOf(a) - rankOf(b))
  const shown = sorted.slice(0, SHOWN_FLOWS).map(async (row): Promise<FlowRow> => {
    if (!isScheduled(row.flow)) return row
    const next = await api.call(readScheduleRoute, { params: { id: row.flow.id } }).catch(() => null)
    return { ...row, nextAt: next?.next[0] ?? null }
  })
  return [...(await Promise.all(shown)), ...sorted.slice(SHOWN_FLOWS)]
}

function isScheduled({ status, steps }: Flow): boolean {
  return status === 'active' && steps[0]?.type === 'schedule'
}

function rankOf({ flow, hours }: FlowRow): number {
  if (hours !== null) return 0
  if (isScheduled(flow)) return 1
  return flow.status === 'active' ? 2 : flow.status === 'draft' ? 3 : 4
}

export const useHome = createStoreHook(createHomeStore)
