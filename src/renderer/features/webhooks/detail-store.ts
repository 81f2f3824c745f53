import { requestTrigger } from '../../../shared/request-trigger.ts'
import { createStore } from 'zustand/vanilla'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { readFlowRunRoute, replayFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { pinStepRoute } from '../../../shared/contract/step-pins.ts'
import { readRunAnswerRoute } from '../../../shared/contract/webhooks.ts'
import type {
  WebhookAnswer,
  WebhookRequest,
  WebhookRequestDetail,
} from '../../../shared/contract/webhooks.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { sendRequest } from '../../api/send-webhook.ts'
import { type EditableRequest, toBytes } from '../../components/runs/request-fields.tsx'
import { addressed } from './again.ts'

/** A repetition of the request: its run on some version of the flow, or a changed request sent to the webhook. */
export interface Replay {
  readonly key: number
  /** Null if it was changed and sent. */
  readonly version: number | null
  readonly run: FlowRun | null
  /** Null while it is in progress, and if it ended without one. */
  readonly answer: WebhookAnswer | null
  readonly failure: AppError | null
  readonly ended: boolean
}

interface DetailState {
  /** Newest first. */
  readonly replays: readonly Replay[]
  /** Runs its flow with the same input; resolves once the response can be compared. */
  readonly replayed: (version: number) => Promise<void>
  /** Sends it to the webhook as any caller would. */
  readonly sent: (request: EditableRequest, flow: Flow) => Promise<WebhookAnswer>
  /** Pins the request's data as the result of its step in test runs. */
  readonly pinned: (flow: Flow, detail: WebhookRequestDetail | null) => Promise<string>
}

/** One request, and the result of sending it again. */
export function createDetailStore(
  api: Pick<Api, 'call' | 'live'>,
  request: WebhookRequest,
  send: typeof sendRequest = sendRequest,
) {
  return createStore<DetailState>()((set, get) => {
    function add(version: number | null): number {
      const key = get().replays.length
      const replay = { key, version, run: null, answer: null, failure: null, ended: false }
      set(({ replays }) => ({ replays: [replay, ...replays] }))
      return key
    }

    function change(key: number, patch: Partial<Replay>): void {
      set(({ replays }) => ({
        replays: replays.map((one) => (one.key === key ? { ...one, ...patch } : one)),
      }))
    }

    return {
      replays: [],
      async replayed(version) {
        if (request.flow_run_id === null) return
        const key = add(version)
        try {
          const params = { id: request.flow_run_id }
          const { flow_run_id: id } = await api.call(replayFlowRunRoute, { params, body: { version } })
          const run = await endOf(api, id)
          const answer = await api.call(readRunAnswerRoute, { params: { id } }).catch(() => null)
          change(key, { run, answer, ended: true })
        } catch (error) {
          change(key, { failure: asAppError(error), ended: true })
          throw error
        }
      },
      async sent(edited, flow) {
        const { url, headers } = addressed(edited, flow)
        const { status, headers: told, body } = await send(url, headers, toBytes(edited) ?? new Uint8Array())
        const answer = { status, headers: told, body, truncated: false }
        change(add(null), { answer, ended: true })
        return answer
      },
      async pinned(flow, detail) {
        const refId = requestTrigger(flow.steps)?.ref_id ?? ''
        const value = (detail?.received?.input ?? {}) as Json
        const body = {
          value,
          ...(detail?.request.flow_run_id ? { flow_run_id: detail.request.flow_run_id } : {}),
        }
        await api.call(pinStepRoute, { params: { id: flow.id, ref_id: refId }, body })
        return refId
      },
    }
  })
}

/**
 * Resolves to the run once it has ended. The live stream announces that, and the run is loaded once in case it ended
 * before.
 */
async function endOf(api: Pick<Api, 'call' | 'live'>, id: string): Promise<FlowRun> {
  const ended = Promise.withResolvers<FlowRun>()
  async function look(): Promise<void> {
    const run = await api.call(readFlowRunRoute, { params: { id } })
    if (run.finished_at !== null) ended.resolve(run)
  }
  const stop = api.live.subscribe(['flow_run'], (event) => {
    if (event.noun === null || event.id === id) look().catch(ended.reject)
  })
  look().catch(ended.reject)
  try {
    return await ended.promise
  } finally {
    stop()
  }
}

export type DetailStore = ReturnType<typeof createDetailStore>
