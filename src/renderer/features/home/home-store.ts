import { createStore } from 'zustand/vanilla'
import { readDataFolderRoute } from '../../../shared/contract/data-folder.ts'
import type { DataFolder } from '../../../shared/contract/data-folder.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { listFlowsRoute, readScheduleRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { listTokensRoute } from '../../../shared/contract/tokens.ts'
import type { Token } from '../../../shared/contract/tokens.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import type { WebhookAnswer } from '../../api/send-webhook.ts'
import { sendWebhook } from '../../api/send-webhook.ts'
import { SAMPLE_FLOW, SAMPLE_ORDER } from './sample.ts'

export interface Upcoming {
  readonly flow: Flow
  readonly at: string
}

interface HomeState {
  readonly known: {
    /** The sample flow, while it is there and has a webhook. */
    readonly sample: Flow | null
    readonly recent: readonly FlowRun[]
    readonly failed: readonly FlowRun[]
    readonly tokens: readonly Token[]
    /** Active flows with a schedule and when they run next, the soonest first. */
    readonly upcoming: readonly Upcoming[]
  } | null
  /** Measured once, as the screen opens; null until then, or where it may not be read. */
  readonly folder: DataFolder | null
  /** Nothing had run when the page was opened; the card stays then, also once something has. */
  readonly firstStart: boolean
  readonly failure: AppError | null
  readonly sending: boolean
  readonly answer: WebhookAnswer | null
  readonly sendFailure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly testSent: () => Promise<void>
}

const SHOWN = '8'

export function createHomeStore(api: Pick<Api, 'call' | 'live'>, send: typeof sendWebhook = sendWebhook) {
  return createStore<HomeState>()((set, get) => {
    const load = async () => {
      try {
        const [samples, recent, failed, tokens, upcoming] = await Promise.all([
          api.call(listFlowsRoute, { query: { filter: `name,eq,${SAMPLE_FLOW}`, per_page: '1' } }),
          api.call(listFlowRunsRoute, { query: { per_page: SHOWN } }),
          api.call(listFlowRunsRoute, { query: { filter: 'status,eq,error', per_page: SHOWN } }),
          api.call(listTokensRoute),
          readUpcoming(api),
        ])
        const sample = samples.find((flow) => flow.webhook !== null && flow.webhook !== undefined) ?? null
        const firstStart = get().firstStart || (get().known === null && recent.length === 0)
        set({ known: { sample, recent, failed, tokens, upcoming }, firstStart, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    const follow = followNouns(api, ['flow', 'flow_run', 'token'], load)
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
    }
  })
}

/** Each schedule is asked for by itself; a flow that is deleted meanwhile is left out. */
async function readUpcoming(api: Pick<Api, 'call'>): Promise<readonly Upcoming[]> {
  const flows = await api.call(listFlowsRoute, { query: { filter: 'status,eq,active', per_page: '200' } })
  const scheduled = flows.filter(({ steps }) => steps[0]?.type === 'schedule')
  const found = await Promise.allSettled(
    scheduled.map(async (flow) => {
      const { next } = await api.call(readScheduleRoute, { params: { id: flow.id } })
      return next.slice(0, 1).map((at) => ({ flow, at }))
    }),
  )
  return found
    .flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    .sort((a, b) => a.at.localeCompare(b.at))
    .slice(0, Number(SHOWN))
}

export const useHome = createStoreHook(createHomeStore)
