/** Flow runs: the history, and what can be done with a run: start, cancel, replay, delete. */
import type { z } from 'zod'
import type { Json, keyedListQuery } from '../../shared/contract/common.ts'
import { AppError, fieldErrors } from '../../shared/contract/errors.ts'
import type { FlowRun, FlowRunStep, ListedFlowRun, recordsQuery } from '../../shared/contract/flow-runs.ts'
import { type Step, step as stepShape } from '../../shared/contract/steps.ts'
import { parseInput } from '../../shared/contract/validate.ts'
import { type Data, dictionaryOf, isDictionary, isList } from '../engine/data/value.ts'
import { compileFlow } from '../engine/flow/compile-flow.ts'
import { stepKey, type StepReport } from '../engine/flow/flow-events.ts'
import { runFlow } from '../engine/flow/run-flow.ts'
import { RunHalt } from '../engine/flow/run-halt.ts'
import type { Clock } from '../engine/ports.ts'
import type { Store } from '../store/index.ts'
import type { Caller } from './authorization.ts'
import type { EventsService } from './events.ts'
import type { PortsFor } from './flow-ports.ts'
import type { KnownSecrets } from './known-secrets.ts'
import { parseKeyedListQuery } from './list-query.ts'
import type { KeyedPage, Page } from './page.ts'
import type { SecureRandom } from './ports.ts'
import type { QueueService } from './queue.ts'
import type { RecordFilesService } from './record-files.ts'
import { type EnvValues, newRun, type RunExecutor } from './run-executor.ts'
import { readResults, readStart, type RunStart } from './run-memory.ts'
import type { RunnableFlow, RunnableFlows } from './runnable-flows.ts'
import { shownStep } from './shown-step.ts'

type KeyedQuery = z.output<typeof keyedListQuery>
type ListRunsQuery = KeyedQuery & { readonly text?: string | undefined }
type RecordsQuery = z.output<typeof recordsQuery>

export interface FlowRunsService {
  /** With `text`: those in which it stands, with the places. */
  list(query: ListRunsQuery): KeyedPage<ListedFlowRun>
  /** @throws AppError `not_found` */
  read(id: string): FlowRun
  stepsOf(id: string, query: KeyedQuery): KeyedPage<FlowRunStep>
  listSteps(query: KeyedQuery): KeyedPage<FlowRunStep>
  /**
   * Records of a step whose result is a list, the long ones included; of a step that is under way or failed, those so far.
   *
   * @throws AppError `not_found` where the step's result is no list
   */
  recordsOf(id: string, stepId: string, query: RecordsQuery): Page<Json>
  /** Starts a draft or active flow by hand, on its saved steps or on those the editor holds. */
  startByHand(caller: Pick<Caller, 'userId'>, flowId: string, options: StartByHand): Promise<StartedRun>
  /** The same input once more, on the current or a named version. */
  replay(
    id: string,
    options: { readonly version?: number | undefined },
  ): Promise<{ readonly flow_run_id: string }>
  /** The same run goes on with the step for which it ended, and there with the page that is missing. */
  resume(id: string): Promise<{ readonly flow_run_id: string }>
  /** Resolves once the run has ended. */
  cancel(id: string): Promise<FlowRun>
  remove(id: string): Promise<void>
  /** One step alone, on given results or on those of the newest run that kept any. Nothing of it is stored. */
  runStep(
    caller: Pick<Caller, 'userId'>,
    flowId: string,
    refId: string,
    results: Readonly<Record<string, unknown>> | undefined,
  ): Promise<FlowRunStep>
  /** Results by `ref_id` of a run that has ended, unredacted; null where they were not kept. */
  resultsOf(id: string): Data
}

export interface StartByHand {
  readonly input: Data
  readonly workingCopy: boolean
  /** Whether the caller waits for the end of the run. */
  readonly wait: boolean
  /** The run whose step asks, where one does. */
  readonly callingRun?: string | undefined
}

export type StartedRun =
  | { readonly kind: 'accepted'; readonly flow_run_id: string }
  | { readonly kind: 'ended'; readonly run: FlowRun }

export interface FlowRunsOptions {
  readonly store: Store
  readonly runnable: RunnableFlows
  readonly executor: RunExecutor
  readonly recordFiles: RecordFilesService
  readonly queue: QueueService
  readonly secrets: KnownSecrets
  readonly env: EnvValues
  readonly portsFor: PortsFor
  readonly clock: Clock
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
}

/** How often flows may start each other through Millrace's own API. */
const MAX_CALL_DEPTH = 10

export function createFlowRunsService(options: FlowRunsOptions): FlowRunsService {
  const { store, runnable, executor, recordFiles, queue, secrets, env, portsFor, clock, random, events } =
    options
  const now = () => new Date(clock.now()).toISOString()

  function read(id: string): FlowRun {
    const run = store.flowRuns.get(id)
    if (run === null) throw new AppError('not_found', `There is no flow run "${id.slice(0, 60)}"`)
    return run
  }

  function findFlow(id: string): RunnableFlow {
    const flow = runnable.get(id)
    if (flow === null) throw new AppError('not_found', `There is no flow "${id.slice(0, 60)}"`)
    return flow
  }

  function stateOf(id: string): readonly string[] {
    try {
      return store.runStates.of(id)
    } catch (cause) {
      throw new AppError('conflict', `What is kept of run ${id} cannot be decrypted on this machine`, {
        cause,
      })
    }
  }

  /** The editor's steps in place of the saved ones, and what is pinned to them, for one run. */
  function forTest(
    flow: RunnableFlow,
    userId: string,
  ): { flow: RunnableFlow; start: Pick<RunStart, 'steps' | 'readers' | 'pins'> } {
    const copy = store.flows.workingCopy(flow.id)
    const pins = store.stepPins.ofFlow(flow.id)
    if (copy === null && pins.length === 0)
      throw new AppError('conflict', `The flow "${flow.name}" has no unsaved steps; run it as it is saved`)
    const pinned =
      pins.length === 0
        ? {}
        : { pins: dictionaryOf(pins.map(({ ref_id, value }) => [ref_id, value as Data])) }
    if (copy === null) return { flow, start: pinned }
    const steps = copy.steps.map((source, index) => parseStep(source, `steps[${index}]`))
    const readers = readersOfCopy(flow, userId)
    return {
      flow: { ...flow, readers, compiled: compileFlow({ steps, settings: flow.settings }) },
      start: { steps: steps as unknown as Data, readers, ...pinned },
    }
  }

  /** Neither the editor's steps nor results that are typed in borrow an auth from the flow's owner. */
  function readersOfCopy({ id, readers }: RunnableFlow, userId: string): readonly string[] {
    const [owner = ''] = readers
    return [...new Set([owner, store.flows.authorOfWorkingCopy(id) ?? owner, userId])]
  }

  /** @throws AppError `conflict` where runs have called each other that deep */
  function callerOf({ name }: RunnableFlow, runId: string | undefined): { parent_run_id?: string } {
    const parent = runId === undefined ? null : store.flowRuns.get(runId)
    if (parent === null) return {}
    let depth = 1
    for (let run: FlowRun | null = parent; run?.parent_run_id; depth++) {
      if (depth === MAX_CALL_DEPTH) {
        throw new AppError(
          'conflict',
          `The flow "${name}" was not started: flows have started each other ${MAX_CALL_DEPTH} times already; let one of them end`,
        )
      }
      run = store.flowRuns.get(run.parent_run_id)
    }
    return { parent_run_id: parent.id }
  }

  async function accept(flow: RunnableFlow, run: FlowRun, start: RunStart): Promise<void> {
    await queue.accept({ flow, run: { ...run, status: 'queued', started_at: null }, start })
  }

  async function cancelOne(id: string): Promise<FlowRun> {
    if (executor.halt(id, 'cancelled', 'The run was cancelled')) {
      await executor.settled(id)
      return read(id)
    }
    const run = await store.write(() => {
      const waiting = read(id)
      requireGoingOn(waiting)
      queue.remove(id)
      return endWaiting(waiting)
    })
    queue.look()
    events.emit({ type: 'updated', noun: 'flow_run', id, flow_id: run.flow_id, status: run.status })
    return run
  }

  /** Nobody executes it: what an end of its own would have told is written here. */
  function endWaiting(run: FlowRun): FlowRun {
    const at = now()
    const error = RunHalt.from(null).toRunError(null)
    const startedAt = run.started_at === null ? null : Date.parse(run.started_at)
    const duration = startedAt === null ? null : Math.max(0, Date.parse(at) - startedAt)
    const ended: FlowRun = { ...run, status: 'cancelled', finished_at: at, duration_ms: duration, error }
    store.runSteps.endOpen(run.id, error, at)
    store.flowRuns.save(ended)
    if (run.parent_run_id !== null && isAwaited(run.id)) store.runQueue.wake(run.parent_run_id, clock.now())
    return ended
  }

  async function cancel(id: string): Promise<FlowRun> {
    requireGoingOn(read(id))
    const children = store.runQueue.startedBy(id).filter(isAwaited)
    const cancelled = await cancelOne(id)
    // Nobody is left to read what they give. One that has ended meanwhile has nothing to be cancelled.
    for (const child of children) if (!hasEnded(read(child))) await cancel(child)
    return cancelled
  }

  /** Whether a step of the run that started it waits for what it gives. */
  function isAwaited(id: string): boolean {
    try {
      return readStart(store.runStates.of(id))?.awaitedByFlow === true
    } catch {
      return false // cannot be decrypted on this machine
    }
  }

  return {
    list({ text, ...query }) {
      const request = parseKeyedListQuery(query)
      return text === undefined || text === ''
        ? store.flowRuns.list(request)
        : store.flowRuns.search(text, request)
    },
    read,
    stepsOf(id, query) {
      read(id)
      return store.runSteps.ofRun(id, parseKeyedListQuery(query))
    },
    listSteps: (query) => store.runSteps.list(parseKeyedListQuery(query)),
    recordsOf(id, stepId, { page = 1, per_page: perPage = 50 }) {
      read(id)
      const step = store.runSteps.get(id, stepId)
      if (step === null)
        throw new AppError('not_found', `Run ${id} has no step "${stepId.slice(0, 60)}" in its history`)
      const from = (page - 1) * perPage
      const stored = recordFiles.page(id, stepKey(step.path, step.iteration), { from, count: perPage })
      if (stored !== null) {
        const redactor = secrets.redactor()
        const records = stored.records.map((record) => redactor.redactData(record) as Json)
        return { records, total: stored.total, page, perPage }
      }
      if (!isList(step.output) || step.truncated)
        throw new AppError('not_found', `The records of step "${step.ref_id}" of run ${id} were not kept`)
      const output = step.output as readonly Json[]
      return { records: output.slice(from, from + perPage), total: output.length, page, perPage }
    },

    async startByHand({ userId }, flowId, { input, workingCopy, wait, callingRun }) {
      const saved = findFlow(flowId)
      const parent = callerOf(saved, callingRun)
      if (saved.status === 'paused') {
        throw new AppError(
          'conflict',
          `The flow "${saved.name}" is paused; make it active or a draft to run it`,
        )
      }
      const { flow, start: test } = workingCopy ? forTest(saved, userId) : { flow: saved, start: {} }
      const start: RunStart = { input, webhook: null, ...test }
      const run = newRun(flow, { id: store.flowRuns.newId(), trigger: 'manual', ...parent }, now())
      if (!wait) {
        await accept(flow, run, start)
        return { kind: 'accepted', flow_run_id: run.id }
      }
      const { outcome, journal } = executor.execute({
        flow,
        run,
        start,
        redactor: secrets.redactor(),
        request: null,
        isQueued: false,
        earlier: null,
      })
      await outcome
      return { kind: 'ended', run: journal.run }
    },

    async replay(id, { version }) {
      const earlier = read(id)
      const start = readStart(stateOf(id))
      if (start === null)
        throw new AppError('conflict', `The input of run ${id} was not kept, so it cannot be run again`)
      const current = findFlow(earlier.flow_id)
      const flow = version === undefined ? current : runnable.version(current.id, version)
      if (flow === null)
        throw fieldErrors({ version: [`is ${version}, which the flow "${current.name}" never had`] })
      const run = newRun(flow, { id: store.flowRuns.newId(), trigger: 'replay', parent_run_id: id }, now())
      await accept(flow, run, {
        input: start.input,
        webhook: start.webhook,
        ...(start.taken === undefined ? {} : { taken: start.taken }),
      })
      return { flow_run_id: run.id }
    },

    async resume(id) {
      const run = read(id)
      if (!hasEnded(run) || run.status === 'success') {
        throw new AppError(
          'conflict',
          `Run ${id} is ${run.status}; only one that failed or was cancelled goes on`,
        )
      }
      if (run.error?.code === 'stopped') {
        throw new AppError(
          'conflict',
          `Run ${id} was ended by its step "${run.error.ref_id}"; replay it instead`,
        )
      }
      await queue.resume(run)
      return { flow_run_id: id }
    },

    cancel,

    async remove(id) {
      const run = await store.write(() => {
        const found = read(id)
        if (!hasEnded(found)) throw new AppError('conflict', `Run ${id} has not ended; cancel it first`)
        store.flowRuns.delete(id)
        return found
      })
      await recordFiles.remove(id)
      events.emit({ type: 'deleted', noun: 'flow_run', id, flow_id: run.flow_id })
    },

    async runStep({ userId }, flowId, refId, given) {
      const flow = findFlow(flowId)
      const { step, isUnsaved } = stepToTry(store, flow, refId)
      if (step === null)
        throw new AppError('not_found', `The flow "${flow.name}" has no step "${refId.slice(0, 100)}"`)
      const newest = given === undefined ? newestResults(store, recordFiles, flowId) : null
      const pins = store.stepPins.ofFlow(flowId).map((pin) => [pin.ref_id, pin.value] as const)
      const results = given ?? { ...newest?.results, ...Object.fromEntries(pins) }
      const alone = { ...step, disabled: false, on_error: 'stop' as const }
      const reports: StepReport[] = []
      const readers = isUnsaved ? readersOfCopy(flow, userId) : [...new Set([...flow.readers, userId])]
      await runFlow(compileFlow({ steps: [alone], settings: { ...flow.settings, dynamic_title: null } }), {
        id: random.uuid(),
        input: dictionaryOf([]),
        env: env(),
        results: results as Readonly<Record<string, Data>>,
        // Nothing of it is stored, long lists neither.
        ports: { ...portsFor(readers), recordFiles: undefined },
        journal: {
          record: (event) => void (event.type === 'step_started' && reports.push(event.report)),
          commit: () => Promise.resolve(),
        },
      })
      const [report] = reports
      if (!report) throw new Error(`Step "${refId}" was not run`)
      return { id: random.uuid(), flow_run_id: newest?.runId ?? '', ...shownStep(report, secrets.redactor()) }
    },

    resultsOf(id) {
      read(id)
      return readResults(stateOf(id), (mark) => recordFiles.read(id, mark))
    },
  }
}

function hasEnded({ status }: FlowRun): boolean {
  return status === 'success' || status === 'error' || status === 'cancelled'
}

function requireGoingOn(run: FlowRun): void {
  if (hasEnded(run)) throw new AppError('conflict', `Run ${run.id} has ended already: ${run.status}`)
}

function parseStep(source: unknown, path: string): Step {
  return parseInput(stepShape, source, path)
}

/** What the editor holds goes before what is saved, so that a change can be tried before it is. */
function stepToTry(
  store: Store,
  flow: RunnableFlow,
  refId: string,
): { readonly step: Step | null; readonly isUnsaved: boolean } {
  const parsed = store.flows.workingCopy(flow.id)?.steps.flatMap((source) => {
    const result = stepShape.safeParse(source)
    return result.success ? [result.data] : []
  })
  const unsaved = findStep(parsed ?? [], refId)
  if (unsaved !== null) return { step: unsaved, isUnsaved: true }
  return { step: findStep(store.flows.version(flow.id, flow.version)?.steps ?? [], refId), isUnsaved: false }
}

function findStep(steps: readonly Step[], refId: string): Step | null {
  for (const step of steps) {
    if (step.ref_id === refId) return step
    const below = [
      step.steps,
      step.then,
      step.else,
      step.default,
      ...(step.cases ?? []).map((one) => one.steps),
    ]
    for (const list of below) {
      const found = list && findStep(list, refId)
      if (found) return found
    }
  }
  return null
}

function newestResults(
  store: Store,
  files: Pick<RecordFilesService, 'read'>,
  flowId: string,
): { runId: string; results: Record<string, unknown> } | null {
  const filters = [{ field: 'flow_id', operator: 'eq', value: flowId }] as const
  for (const { id } of store.flowRuns.list({ filters, perPage: RUNS_LOOKED_AT }).records) {
    const results = resultsOrNull(store, files, id)
    if (isDictionary(results))
      return {
        runId: id,
        results: results instanceof Map ? Object.fromEntries(results) : results,
      }
  }
  return null
}

function resultsOrNull(store: Store, files: Pick<RecordFilesService, 'read'>, id: string): Data {
  try {
    return readResults(store.runStates.of(id), (mark) => files.read(id, mark))
  } catch {
    return null
  }
}

const RUNS_LOOKED_AT = 20
