import { createStore } from 'zustand/vanilla'
import { isPart } from '../../../../shared/contract/base/step-lists.ts'
import { runFlowRoute, runStepRoute } from '../../../../shared/contract/flows.ts'
import {
  CALL_TRIGGERS,
  HTTP_TRIGGERS,
  listFlowRunsRoute,
  listRunOutcomesRoute,
  listRunStepsRoute,
  readFlowRunRoute,
} from '../../../../shared/contract/flow-runs.ts'
import type { FlowRun, FlowRunStep } from '../../../../shared/contract/flow-runs.ts'
import {
  type Breakpoint,
  listBreakpointsRoute,
  removeBreakpointRoute,
  setBreakpointRoute,
} from '../../../../shared/contract/reach/breakpoints.ts'
import { listStepPinsRoute, pinStepRoute, unpinStepRoute } from '../../../../shared/contract/step-pins.ts'
import type { StepPin } from '../../../../shared/contract/step-pins.ts'
import { readRunAnswerRoute } from '../../../../shared/contract/webhooks.ts'
import type { WebhookAnswer } from '../../../../shared/contract/webhooks.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import type { Api } from '../../../api/create-api.ts'
import { createRefresher } from '../../../api/refresh.ts'

type PinOrigin = Pick<StepPin, 'pinned_at' | 'pinned_by' | 'flow_run_id'>

interface RunPanelState {
  /** The newest runs of the flow, newest first. */
  readonly recent: readonly FlowRun[]
  /** The newest run of the flow, or the selected one; null if it never ran. */
  readonly run: FlowRun | null
  /** The last record of each step in this run, by `ref_id`. */
  readonly steps: Readonly<Record<string, FlowRunStep>>
  /** Steps that were run individually since; they take precedence over the run's records. */
  readonly alone: Readonly<Record<string, FlowRunStep>>
  /** Values that replace a step's own in test runs, by `ref_id`. */
  readonly pins: Readonly<Record<string, unknown>>
  /** Who pinned them, when, and from which run, by `ref_id`. */
  readonly pinOrigins: Readonly<Record<string, PinOrigin>>
  /** @param runId the run that the value is taken from; absent if it was typed */
  readonly pinned: (refId: string, value: unknown, runId?: string) => Promise<void>
  readonly unpinned: (refId: string) => Promise<void>
  /** A renamed step keeps its pinned value. */
  readonly pinMoved: (from: string, to: string) => Promise<void>
  /** Keyed by `ref_id`. */
  readonly breakpoints: Readonly<Record<string, Breakpoint>>
  /** Null removes it. */
  readonly breakpointSet: (refId: string, breakpoint: Omit<Breakpoint, 'ref_id'> | null) => Promise<void>
  /** Whether the next request to the webhook is awaited. */
  readonly waiting: boolean
  readonly waitStarted: () => void
  readonly waitEnded: () => void
  readonly opened: () => () => void
  /** `null` returns to the newest one. */
  readonly runChosen: (runId: string | null) => void
  /** What the trigger received in a run. */
  readonly inputOf: (runId: string) => Promise<unknown>
  /** Starts a test run; with `before`, only of the steps before that one. */
  readonly started: (
    input: Record<string, Json> | undefined,
    workingCopy: boolean,
    before?: string,
    trigger?: string,
  ) => Promise<string>
  /** What the caller of the run's webhook got, or would get from a test or replay; null while there is none. */
  readonly answer: (WebhookAnswer & { readonly runId: string }) | null
  /** Whether its body is open, as it is after a test or a request that was waited for. */
  readonly answerOpen: boolean
  readonly answerToggled: () => void
  /** Runs one step on the displayed values, and shows its result. */
  readonly stepStarted: (refId: string, on: StepValues) => Promise<void>
  readonly aloneDismissed: (...refIds: string[]) => void
  /** The iteration whose records are shown for these steps: `2.0` by `ref_id`. */
  readonly turnShown: (turns: Readonly<Record<string, string>>) => void
}

/** Further input of a single-step run besides the displayed run. */
interface StepValues {
  readonly over: Readonly<Record<string, unknown>>
  readonly iteration: string | null
}

const RECENT = 15
/** The largest page of a list. */
const PER_PAGE = '200'

export function createRunPanelStore(api: Pick<Api, 'call' | 'list' | 'live'>, flowId: string) {
  return createStore<RunPanelState>()((set, get) => {
    let chosen: string | null = null
    /** The newest run when waiting began; the one after it is awaited. */
    let known: string | null = null
    let turns: Readonly<Record<string, string>> = {}

    const refresh = createRefresher(async () => {
      const wanted = chosen
      const query = { filter: `flow_id,eq,${flowId}`, per_page: String(RECENT) }
      const recent = await api.call(listFlowRunsRoute, { query }).catch(() => [])
      const run = await readRun(wanted, recent).catch(() => null)
      if (run === null || chosen !== wanted) return
      const steps = await readSteps(run).catch(() => [])
      const inTurn = await readTurn(run.id)
      const answer = await readAnswer(run)
      if (chosen !== wanted) return
      set((state) => ({
        recent,
        waiting: state.waiting && (recent[0]?.id === known || !isByRequest(recent[0])),
        run,
        answer,
        steps: Object.fromEntries(
          [...steps, ...inTurn].filter(({ path }) => !isPart(path)).map((step) => [step.ref_id, step]),
        ),
        alone: state.run?.id === run.id ? state.alone : {},
      }))
    })

    async function readRun(wanted: string | null, recent: readonly FlowRun[]): Promise<FlowRun | null> {
      if (wanted === null) return recent[0] ?? null
      return (
        recent.find(({ id }) => id === wanted) ??
        (await api.call(readFlowRunRoute, { params: { id: wanted } }))
      )
    }

    /**
     * Reads at least one record of each step, however many iterations ran before it, and the record that ended the run.
     */
    async function readSteps({ id, error }: FlowRun): Promise<readonly FlowRunStep[]> {
      const params = { id }
      const first = await api.list(listRunStepsRoute, { params, query: { per_page: PER_PAGE } })
      if (first.after === null) return first.items
      const outcomes = await api.call(listRunOutcomesRoute, { params })
      const found = [...first.items]
      for (;;) {
        const missing = outcomes.filter(({ ref_id: name }) => !found.some((step) => step.ref_id === name))
        if (missing.length === 0) break
        const filter = `ref_id,in,${JSON.stringify(missing.map(({ ref_id: name }) => name))}`
        const more = await api.call(listRunStepsRoute, { params, query: { filter, per_page: PER_PAGE } })
        if (more.length === 0) break
        found.push(...more)
      }
      if (typeof error?.ref_id !== 'string') return found
      const filter = [`ref_id,eq,${error.ref_id}`, 'status,eq,error']
      const failed = await api.call(listRunStepsRoute, { params, query: { filter, per_page: PER_PAGE } })
      return [...found, ...failed]
    }

    async function readAnswer({ id, trigger, finished_at }: FlowRun): Promise<RunPanelState['answer']> {
      if (!CALL_TRIGGERS.includes(trigger)) return null
      const known = get().answer
      if (known?.runId === id || finished_at === null) return known?.runId === id ? known : null
      const answer = await api.call(readRunAnswerRoute, { params: { id } }).catch(() => null)
      return answer && { ...answer, runId: id }
    }

    async function readTurn(id: string): Promise<readonly FlowRunStep[]> {
      const wanted = turns
      const iterations = [...new Set(Object.values(wanted))]
      if (iterations.length === 0) return []
      const filter = [
        `iteration,in,${JSON.stringify(iterations)}`,
        `ref_id,in,${JSON.stringify(Object.keys(wanted))}`,
      ]
      const steps = await api
        .call(listRunStepsRoute, { params: { id }, query: { filter, per_page: PER_PAGE } })
        .catch(() => [])
      return steps.filter((step) => wanted[step.ref_id] === step.iteration.join('.'))
    }

    const params = (refId: string) => ({ id: flowId, ref_id: refId })
    const readPins = createRefresher(async () => {
      const pins = await api.call(listStepPinsRoute, { params: { id: flowId } }).catch(() => null)
      if (pins === null) return
      set({
        pins: Object.fromEntries(pins.map(({ ref_id, value }) => [ref_id, value])),
        pinOrigins: Object.fromEntries(pins.map((one) => [one.ref_id, one])),
      })
    })

    const readBreakpoints = createRefresher(async () => {
      const found = await api.call(listBreakpointsRoute, { params: { id: flowId } }).catch(() => null)
      if (found !== null) set({ breakpoints: Object.fromEntries(found.map((one) => [one.ref_id, one])) })
    })

    async function pin(refId: string, value: unknown, runId?: string): Promise<void> {
      const body = { value, ...(runId === undefined ? {} : { flow_run_id: runId }) }
      const origin = await api.call(pinStepRoute, { params: params(refId), body })
      set(({ pins, pinOrigins }) => ({
        pins: { ...pins, [refId]: value },
        pinOrigins: { ...pinOrigins, [refId]: origin },
      }))
    }

    async function unpin(refId: string): Promise<void> {
      await api.call(unpinStepRoute, { params: params(refId) })
      set(({ pins }) => ({ pins: withoutKey(pins, refId) }))
    }

    return {
      recent: [],
      run: null,
      answer: null,
      answerOpen: false,
      answerToggled: () => set(({ answerOpen }) => ({ answerOpen: !answerOpen })),
      steps: {},
      alone: {},
      pins: {},
      pinOrigins: {},
      pinned: pin,
      unpinned: unpin,
      async pinMoved(from, to) {
        const { pins, pinOrigins } = get()
        if (!Object.hasOwn(pins, from)) return
        await pin(to, pins[from], pinOrigins[from]?.flow_run_id ?? undefined)
        await unpin(from)
      },
      breakpoints: {},
      async breakpointSet(refId, breakpoint) {
        if (breakpoint === null) await api.call(removeBreakpointRoute, { params: params(refId) })
        else await api.call(setBreakpointRoute, { params: params(refId), body: breakpoint })
        set(({ breakpoints }) => ({
          breakpoints: {
            ...withoutKey(breakpoints, refId),
            ...(breakpoint === null ? {} : { [refId]: { ref_id: refId, ...breakpoint } }),
          },
        }))
      },
      waiting: false,
      waitStarted() {
        known = get().recent[0]?.id ?? null
        chosen = null
        set({ waiting: true, answerOpen: true })
        refresh()
      },
      waitEnded: () => set({ waiting: false }),
      opened() {
        refresh()
        readPins()
        readBreakpoints()
        return api.live.subscribe(['flow', 'flow_run', 'flow_run_step'], (event) => {
          if (event.noun !== 'flow_run' && event.noun !== 'flow_run_step') {
            readPins()
            readBreakpoints()
          }
          if (event.noun === 'flow') return
          const ours =
            event.flow_id === flowId || event.id === get().run?.id || event.flow_run_id === get().run?.id
          if (event.noun === null || ours || event.flow_id === undefined) refresh()
        })
      },
      runChosen(runId) {
        if (chosen === runId) return
        chosen = runId
        refresh()
      },
      async inputOf(runId) {
        const query = { per_page: '1' }
        const steps = await api.call(listRunStepsRoute, { params: { id: runId }, query })
        return steps[0]?.output ?? {}
      },
      async started(input, workingCopy, before, trigger) {
        const body = {
          working_copy: workingCopy,
          test: true,
          ...(before === undefined ? {} : { before }),
          ...(trigger === undefined ? {} : { trigger }),
          ...(input === undefined ? {} : { input }),
        }
        const started = await api.call(runFlowRoute, { params: { id: flowId }, body })
        const runId = 'flow_run_id' in started ? started.flow_run_id : started.id
        chosen = null
        set({ answerOpen: true })
        refresh()
        return runId
      },
      async stepStarted(refId, { over, iteration }) {
        const run = get().run
        const body = {
          context: over as Record<string, Json>,
          ...(run === null ? {} : { flow_run_id: run.id }),
          ...(iteration === null ? {} : { iteration }),
        }
        const step = await api.call(runStepRoute, { params: { id: flowId, ref_id: refId }, body })
        set(({ alone }) => ({ alone: { ...alone, [refId]: step } }))
      },
      aloneDismissed(...refIds) {
        set(({ alone }) => ({ alone: refIds.reduce(withoutKey, alone) }))
      },
      turnShown(next) {
        if (JSON.stringify(next) === JSON.stringify(turns)) return
        turns = next
        if (get().run !== null) refresh()
      },
    }
  })
}

function withoutKey<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}

function isByRequest(run: FlowRun | undefined): boolean {
  return run !== undefined && HTTP_TRIGGERS.includes(run.trigger)
}
