import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { readFlowRoute } from '../../../shared/contract/flows.ts'
import {
  cancelFlowRunRoute,
  deleteFlowRunRoute,
  listRunStepsRoute,
  readFlowRunRoute,
  replayFlowRunRoute,
  resumeFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import { readRunResultsRoute } from '../../../shared/contract/run-debugging.ts'
import type { FlowRun, FlowRunStep, RunStatus } from '../../../shared/contract/flow-runs.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { createRefresher } from '../../api/refresh.ts'

interface RunState {
  readonly run: FlowRun | null
  readonly flowName: string | null
  readonly steps: readonly FlowRunStep[] | null
  /** Where the steps go on; null once all are there. */
  readonly after: string | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => void
  readonly moreWanted: () => Promise<void>
  readonly cancel: () => Promise<void>
  /** Gives the id of the new run. */
  readonly replay: () => Promise<string>
  /** The run itself goes on where it ended. */
  readonly resume: () => Promise<void>
  readonly remove: () => Promise<void>
  /** What a step gave, whole; the history shows the beginning of what is large. */
  readonly readResult: (refId: string) => Promise<unknown>
}

const STEP_PAGE = '200'

export function createRunStore(api: Pick<Api, 'call' | 'list' | 'live'>, id: string) {
  return createStore<RunState>()((set, get) => {
    const params = { id }

    const refresh = createRefresher(async () => {
      try {
        const [run, page] = await Promise.all([
          api.call(readFlowRunRoute, { params }),
          api.list(listRunStepsRoute, { params, query: { per_page: STEP_PAGE } }),
        ])
        // What was loaded beyond the first page stays; it ran later and is read again where it is asked for.
        const beyond = (get().steps ?? []).slice(page.items.length)
        const keep = page.after !== null && beyond.length > 0
        set((state) => ({
          run,
          steps: keep ? [...page.items, ...beyond] : page.items,
          after: keep ? state.after : page.after,
          failure: null,
        }))
        if (get().flowName === null) await readFlowName(run.flow_id)
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    })

    async function readFlowName(flowId: string) {
      const flow = await api.call(readFlowRoute, { params: { id: flowId } }).catch(() => null)
      set({ flowName: flow?.name ?? 'Deleted flow' })
    }

    return {
      run: null,
      flowName: null,
      steps: null,
      after: null,
      failure: null,
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
      async replay() {
        return (await api.call(replayFlowRunRoute, { params, body: {} })).flow_run_id
      },
      async resume() {
        await api.call(resumeFlowRunRoute, { params })
        refresh()
      },
      async readResult(refId) {
        return (await api.call(readRunResultsRoute, { params }))[refId]
      },
      async remove() {
        await api.call(deleteFlowRunRoute, { params })
      },
    }
  })
}

export function hasEnded(status: RunStatus): boolean {
  return status === 'success' || status === 'error' || status === 'cancelled'
}

/** What is looked at first: where it failed, else where it began. */
export function firstStepToShow(steps: readonly FlowRunStep[]): FlowRunStep | undefined {
  return steps.find((step) => step.status === 'error') ?? steps[0]
}
