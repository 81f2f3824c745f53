/** Runs a single step of a flow, for its editor. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { z } from 'zod'
import type { FlowRun, FlowRunStep } from '../../../../shared/contract/flow-runs.ts'
import type { runStepRoute } from '../../../../shared/contract/flows.ts'
import { STEP_CONFIGS } from '../../../../shared/contract/step-types/index.ts'
import { type Step, step as stepShape } from '../../../../shared/contract/steps.ts'
import { stepsIn } from '../../../../shared/contract/base/step-lists.ts'
import { type Data, dictionaryOf, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { compileFlow } from '../../../engine/flow/definition/compile-flow.ts'
import { reachOf } from '../../../engine/flow/definition/reach.ts'
import { redactExchange } from '../../../engine/redaction/redacted-exchange.ts'
import type { StepReport } from '../../../engine/flow/model/step-report.ts'
import { withTriggerName } from '../../../engine/flow/run/trigger-name.ts'
import { runFlow } from '../../../engine/flow/run/run-flow.ts'
import type { Store } from '../../../store/index.ts'
import { readResults, readStart } from '../execution/resume-log.ts'
import type { EnvValues } from '../execution/run-executor.ts'
import {
  allReaders,
  readersOfCopy,
  readersOfRun,
  type RunnableFlow,
  type RunnableFlows,
} from '../execution/runnable-flows.ts'
import { toStepRecord } from '../execution/step-record.ts'
import type { RecordFilesService } from '../../keeping/files/record-files.ts'
import type { Caller } from '../../kit/caller.ts'
import { indexInList, type LoopTurn, turnsOf } from '../../kit/loop-turn.ts'
import { flowNotFound, runNotFound } from '../../kit/not-found.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import type { PortsFor } from '../../reaching/step-ports/step-ports.ts'
import { readablePins } from './pinned-values.ts'
import { createRunResults, stepsInTurn } from './run-history.ts'

export type StepTries = ReturnType<typeof createStepTries>

export type TriedOn = z.output<typeof runStepRoute.body>

export interface StepTriesOptions {
  readonly store: Store
  readonly runnable: Pick<RunnableFlows, 'get' | 'version'>
  readonly recordFiles: Pick<RecordFilesService, 'read'>
  readonly secrets: Pick<KnownSecrets, 'redactor'>
  readonly env: EnvValues
  readonly portsFor: PortsFor
  readonly random: Pick<SecureRandom, 'uuid'>
}

export function createStepTries(options: StepTriesOptions) {
  const { store, runnable, secrets, random } = options
  return {
    /** Runs a single step with given results or those of a run. Stores nothing. */
    async runStep(
      { userId }: Pick<Caller, 'userId'>,
      flowId: string,
      refId: string,
      { results: given, flow_run_id: runId, context, iteration }: TriedOn,
    ): Promise<FlowRunStep> {
      const flow = runnable.get(flowId)
      if (flow === null) throw flowNotFound(flowId)
      const { step, steps, isUnsaved } = stepToTry(store, flow, refId)
      if (step === null)
        throw new AppError(
          'not_found',
          say('The flow "{{name}}" has no step "{{step}}"', { name: flow.name, step: refId.slice(0, 100) }),
        )
      const loops = reachOf(steps, refId, '')?.loops ?? []
      const turn = { loops, iteration: turnsOf(iteration) }
      const base = given === undefined ? baseResults(options, flowId, runId, turn) : null
      const pins = readablePins(store, flowId).map((pin) => [pin.ref_id, pin.value] as const)
      const readers = allReaders(
        isUnsaved ? readersOfCopy(store, flow, userId) : [...flow.readers, userId],
        given === undefined ? store.stepPins.authorsOf(flowId) : [],
        base?.readers ?? [],
      )
      const runAlone: RunAlone = (one, results) => runStepAlone(options, { ...flow, readers }, one, results)
      const results =
        given ??
        (await withEntry(
          turn,
          withTriggerName(steps, { ...base?.results, ...Object.fromEntries(pins), ...context }),
          runAlone,
        ))
      const report = await runAlone(step, results)
      const redactor = secrets.redactor()
      return {
        id: random.uuid(),
        flow_run_id: base?.runId ?? '',
        ...toStepRecord(report, redactor),
        http: report.exchanges.map((exchange) => redactExchange(exchange, redactor)),
      }
    },
  }
}

type Results = Readonly<Record<string, unknown>>
type RunAlone = (step: Step, results: Results) => Promise<StepReport>

/** Stores nothing, not even long lists. */
async function runStepAlone(
  { env, portsFor, random }: StepTriesOptions,
  { settings, readers }: Pick<RunnableFlow, 'settings' | 'readers'>,
  step: Step,
  results: Results,
): Promise<StepReport> {
  const reports: StepReport[] = []
  const alone = { ...step, disabled: false, on_error: 'stop' as const }
  await runFlow(compileFlow({ steps: [alone], settings: { ...settings, dynamic_title: null } }), {
    id: random.uuid(),
    input: dictionaryOf([]),
    env: env(),
    results: results as Readonly<Record<string, Data>>,
    ports: { ...portsFor(readers), recordFiles: undefined },
    recorder: {
      record: (event) => void (event.type === 'step_started' && reports.push(event.report)),
      commit: () => Promise.resolve(),
      commitSoon: () => {},
    },
  })
  const [report] = reports
  if (!report) throw new Error(`Step "${step.ref_id}" wasn't run`)
  for (const part of reports.slice(1)) for (const exchange of part.exchanges) report.addExchange(exchange)
  return report
}

/** The editor's copy takes precedence over the saved steps, so that a change can be tried before it is saved. */
function stepToTry(
  store: Store,
  flow: RunnableFlow,
  refId: string,
): { readonly step: Step | null; readonly steps: readonly Step[]; readonly isUnsaved: boolean } {
  const parsed = store.flows.workingCopy(flow.id)?.steps.flatMap((source) => {
    const result = stepShape.safeParse(source)
    return result.success ? [result.data] : []
  })
  const unsaved = findStep(parsed ?? [], refId)
  if (unsaved !== null) return { step: unsaved, steps: parsed ?? [], isUnsaved: true }
  const steps = store.flows.version(flow.id, flow.version)?.steps ?? []
  return { step: findStep(steps, refId), steps, isUnsaved: false }
}

function findStep(steps: readonly Step[], refId: string): Step | null {
  for (const step of steps) {
    if (step.ref_id === refId) return step
    const found = findStep(stepsIn(step), refId)
    if (found) return found
  }
  return null
}

interface BaseResults {
  readonly runId: string
  readonly results: Results
  readonly readers: readonly string[]
}

type BaseOptions = Pick<StepTriesOptions, 'store' | 'recordFiles' | 'runnable'>

/** Results of the given run, or of the newest one that kept any. */
function baseResults(
  options: BaseOptions,
  flowId: string,
  runId: string | undefined,
  turn: LoopTurn,
): BaseResults | null {
  const { store } = options
  if (runId !== undefined) {
    const run = store.flowRuns.get(runId)
    if (run === null || run.flow_id !== flowId) throw runNotFound(runId)
    return keptResults(options, run, turn) ?? shownResults(options, run, turn)
  }
  const filters = [{ field: 'flow_id', operator: 'eq', value: flowId }] as const
  for (const run of store.flowRuns.list({ filters, perPage: RUNS_LOOKED_AT }).records) {
    const kept = keptResults(options, run, turn)
    if (kept !== null) return kept
  }
  return null
}

/**
 * Unredacted results. For steps in loops, only results of the last iteration are kept; those of others come from the
 * history.
 */
function keptResults(options: BaseOptions, run: FlowRun, turn: LoopTurn): BaseResults | null {
  const { store, recordFiles, runnable } = options
  const parts = partsOrNone(store, run.id)
  const kept = resultsOrNull(parts, recordFiles, run.id)
  if (!isDictionary(kept)) return null
  const results = kept instanceof Map ? Object.fromEntries(kept) : kept
  const ofTurn = stepsInTurn(turn)
  const shown = ofTurn.size === 0 ? {} : createRunResults(store)(run.id, turn)
  const replaced = Object.entries(shown ?? {}).filter(([ref]) => ofTurn.has(ref))
  return {
    runId: run.id,
    results: { ...results, ...Object.fromEntries(replaced) },
    readers: readersOfRun(runnable, run, readStart(parts)),
  }
}

/** Results for a run that hasn't ended, or whose data is no longer kept. */
function shownResults({ store, runnable }: BaseOptions, run: FlowRun, turn: LoopTurn): BaseResults {
  return {
    runId: run.id,
    results: createRunResults(store)(run.id, turn) ?? {},
    readers: readersOfRun(runnable, run, readStart(partsOrNone(store, run.id))),
  }
}

function partsOrNone(store: Pick<Store, 'runStates'>, id: string): readonly string[] {
  try {
    return store.runStates.of(id)
  } catch {
    return []
  }
}

function resultsOrNull(parts: readonly string[], files: Pick<RecordFilesService, 'read'>, id: string): Data {
  try {
    return readResults(parts, (mark) => files.read(id, mark))
  } catch {
    return null
  }
}

const RUNS_LOOKED_AT = 20

/** Adds the `item` and `index` that the loops around a step have in that iteration. */
async function withEntry(
  { loops, iteration }: LoopTurn,
  results: Results,
  runAlone: RunAlone,
): Promise<Results> {
  let known = results
  for (const [depth, loop] of loops.entries()) {
    const config = STEP_CONFIGS.loop.safeParse(loop.config)
    const entries =
      loop.type === 'loop' && config.success ? await evaluate(config.data.over, known, runAlone) : null
    if (!isList(entries) || entries.length === 0) return known
    const index = indexInList(iteration[depth], entries.length)
    known = { ...known, item: entries[index] ?? null, index }
  }
  return known
}

/** The list that a loop iterates over; null if it can't be determined from the results. */
async function evaluate(over: unknown, results: Results, runAlone: RunAlone): Promise<Data> {
  const asSet = stepShape.parse({ ref_id: 'entries', type: 'set', config: { values: { over } } })
  const { output } = await runAlone(asSet, results)
  return isDictionary(output) ? (getKey(output, 'over') ?? null) : null
}
