import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { readFlowRoute } from '../../../shared/contract/flows.ts'
import {
  CALL_TRIGGERS,
  HTTP_TRIGGERS,
  cancelFlowRunRoute,
  deleteFlowRunRoute,
  listRunStepsRoute,
  listStepRecordsRoute,
  readFlowRunRoute,
  replayFlowRunRoute,
  resumeFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import {
  exportFlowRunRoute,
  exportRunHarRoute,
  readRunResultsRoute,
} from '../../../shared/contract/run-debugging.ts'
import type { FlowRun, FlowRunStep, RunStatus } from '../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { listWebhookRequestsRoute, readRunAnswerRoute } from '../../../shared/contract/webhooks.ts'
import type { WebhookAnswer, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { stepState } from '../../components/runs/run-step-view.tsx'
import { createRefresher } from '../../api/refresh.ts'
import { t } from '../../lib/i18n.ts'
import { authOfStep, statusOfError, stepsWithin } from '../../lib/steps-within.ts'

export interface RunState {
  readonly run: FlowRun | null
  readonly flowName: string | null
  /** The steps of the flow as it is now, keyed by reference name. */
  readonly flowSteps: Readonly<Record<string, Step>>
  /** The flow's current version; null for a flow that was deleted. */
  readonly currentVersion: number | null
  readonly steps: readonly FlowRunStep[] | null
  /** Where the list of steps continues; null once all are loaded. */
  readonly after: string | null
  /** Record counts of the lists whose history is incomplete, by the ID of their step. */
  readonly longLists: Readonly<Record<string, number>>
  readonly failure: AppError | null
  /** The webhook's response, or what a replay would respond; null for other runs, and while there is none. */
  readonly answer: WebhookAnswer | null
  /** The request that started it; null for other runs. */
  readonly request: WebhookRequest | null
  /** The auth of the failed step, if the API rejected its credentials. */
  readonly refusedAuth: string | null
  readonly opened: () => () => void
  readonly reload: () => void
  readonly moreWanted: () => Promise<void>
  readonly cancel: () => Promise<void>
  /** Resumes the run where it ended. */
  readonly resume: () => Promise<void>
  /** Runs again with the same input, on that version of its flow; resolves to the ID of the new run. */
  readonly replay: (version: number) => Promise<string>
  readonly remove: () => Promise<void>
  /** The run as a file, or its HTTP requests as HAR. */
  readonly readExport: (kind: 'report' | 'har') => Promise<unknown>
  /** A step's complete result; the history shows only the beginning of a large one. */
  readonly readResult: (refId: string) => Promise<unknown>
}

const STEP_PAGE = '200'
/** The history keeps no more calls of a step. */
const MOST_CALLS = 100

export function createRunStore(api: Pick<Api, 'call' | 'list' | 'live'>, id: string) {
  return createStore<RunState>()((set, get) => {
    const params = { id }

    const refresh = createRefresher(async () => {
      try {
        const [run, page] = await Promise.all([
          api.call(readFlowRunRoute, { params }),
          api.list(listRunStepsRoute, { params, query: { per_page: STEP_PAGE } }),
        ])
        // Steps loaded beyond the first page are kept; they ran later and are loaded again on request.
        const beyond = (get().steps ?? []).slice(page.items.length)
        const keep = page.after !== null && beyond.length > 0
        set((state) => ({
          run,
          steps: keep ? [...page.items, ...beyond] : page.items,
          after: keep ? state.after : page.after,
          failure: null,
        }))
        await Promise.all([
          readAnswer(run),
          get().flowName === null ? readFlow(run) : undefined,
          ...page.items.map(countLongList),
        ])
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    })

    async function readFlow(run: FlowRun) {
      const flow = await api.call(readFlowRoute, { params: { id: run.flow_id } }).catch(() => null)
      set({
        flowName: flow?.name ?? t('Deleted flow'),
        currentVersion: flow?.version ?? null,
        flowSteps: Object.fromEntries(stepsWithin(flow?.steps ?? []).map((step) => [step.ref_id, step])),
        refusedAuth:
          flow === null || statusOfError(run.error) !== 401
            ? null
            : authOfStep(flow.steps, run.error?.ref_id ?? null),
      })
    }

    /** The history has only some calls of a list with many pages. */
    async function countLongList({ id: stepId, http, truncated, duration_ms: ms }: FlowRunStep) {
      if (!truncated || ms === null || http.length < MOST_CALLS || get().longLists[stepId] !== undefined)
        return
      const request = { params: { id, step_id: stepId }, query: { per_page: '1' } }
      const { total } = await api.list(listStepRecordsRoute, request).catch(() => ({ total: null }))
      if (total !== null) set(({ longLists }) => ({ longLists: { ...longLists, [stepId]: total } }))
    }

    /** Other runs have no response, nor do runs whose history is deleted; that isn't an error. */
    async function readAnswer({ trigger, status }: FlowRun) {
      if (!CALL_TRIGGERS.includes(trigger)) return
      const [answer, requests] = await Promise.all([
        hasEnded(status) && get().answer === null
          ? api.call(readRunAnswerRoute, { params }).catch(() => null)
          : get().answer,
        HTTP_TRIGGERS.includes(trigger) && get().request === null
          ? api
              .call(listWebhookRequestsRoute, { query: { filter: `flow_run_id,eq,${id}`, per_page: '1' } })
              .catch(() => [])
          : [],
      ])
      set(({ request }) => ({ answer, request: requests[0] ?? request }))
    }

    return {
      run: null,
      flowName: null,
      currentVersion: null,
      flowSteps: {},
      longLists: {},
      steps: null,
      after: null,
      failure: null,
      answer: null,
      request: null,
      refusedAuth: null,
      opened() {
        refresh()
        return api.live.subscribe(['flow_run', 'flow_run_step'], (event) => {
          if (event.noun === null || event.id === id || event.flow_run_id === id) refresh()
        })
      },
      reload: refresh,
      async moreWanted() {
        const { after } = get()
        if (after === null) return
        try {
          const query = { per_page: STEP_PAGE, after }
          const page = await api.list(listRunStepsRoute, { params, query })
          if (get().after === after)
            set(({ steps }) => ({ steps: [...(steps ?? []), ...page.items], after: page.after }))
        } catch (error) {
          set({ failure: asAppError(error) })
        }
      },
      async cancel() {
        set({ run: await api.call(cancelFlowRunRoute, { params }) })
      },
      async resume() {
        await api.call(resumeFlowRunRoute, { params })
        refresh()
      },
      async replay(version, record = false) {
        const started = await api.call(replayFlowRunRoute, { params, body: { version, record } })
        return started.flow_run_id
      },
      async readResult(refId) {
        return (await api.call(readRunResultsRoute, { params }))[refId]
      },
      async remove() {
        await api.call(deleteFlowRunRoute, { params })
      },
      readExport: (kind) => api.call(kind === 'har' ? exportRunHarRoute : exportFlowRunRoute, { params }),
    }
  })
}

export function hasEnded(status: RunStatus): boolean {
  return status === 'success' || status === 'error' || status === 'cancelled'
}

/** The failed step; otherwise the first one, or the newest if the run is followed. */
export function firstStepToShow(
  steps: readonly FlowRunStep[],
  run: Pick<FlowRun, 'finished_at' | 'error'>,
  follows = false,
): FlowRunStep | undefined {
  return steps.find((step) => stepState(step, run) === 'error') ?? (follows ? steps.at(-1) : steps[0])
}
