/** Flow runs: their history, and operations such as starting, cancelling, replaying and deleting a run. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { FlowRun } from '../../../../shared/contract/flow-runs.ts'
import { type Step, step as stepShape } from '../../../../shared/contract/steps.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import { compileFlow } from '../../../engine/flow/definition/compile-flow.ts'
import { stepsBefore } from '../../../engine/flow/definition/walk-steps.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { readStart, type RunStart } from '../execution/resume-log.ts'
import { type EnvValues, newRun, type RunExecutor } from '../execution/run-executor.ts'
import {
  allReaders,
  readersOfCopy,
  readersOfRun,
  type RunnableFlow,
  type RunnableFlows,
} from '../execution/runnable-flows.ts'
import type { RecordFilesService } from '../../keeping/files/record-files.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import type { PortsFor } from '../../reaching/step-ports/step-ports.ts'
import { createRunCancelling } from './cancel-run.ts'
import { readablePins } from './pinned-values.ts'
import { unknownTrigger } from '../../kit/trigger-names.ts'
import type { RunQueue } from './queue.ts'
import { createRunHistory, hasEnded, type RunHistory } from './run-history.ts'
import { createRunResolving } from './resolve-runs.ts'
import { createStepTries, type StepTries } from './try-step.ts'

export interface FlowRunsService extends RunHistory, StepTries, ReturnType<typeof createRunResolving> {
  /** Starts a draft or active flow manually, with its saved steps or the editor's. */
  startByHand(caller: Pick<Caller, 'userId'>, flowId: string, options: StartByHand): Promise<StartedRun>
  /** Runs the same input again, on the current version or a given one. */
  replay(
    id: string,
    options: { readonly version?: number | undefined; readonly record?: boolean },
  ): Promise<{ readonly flow_run_id: string }>
  /** Resumes the run at the step that failed, and within it at the missing page. */
  resume(id: string): Promise<{ readonly flow_run_id: string }>
  /** Resolves once the run has ended. */
  cancel(id: string): Promise<FlowRun>
  remove(id: string): Promise<void>
}

export interface StartByHand {
  readonly input: Data
  readonly workingCopy: boolean
  readonly isTest?: boolean
  /** Reference name of a step; only the steps before it run. */
  readonly before?: string | undefined
  /** Reference name of the trigger that the run begins with; defaults to the first that isn't disabled. */
  readonly trigger?: string | undefined
  /** Whether the caller waits for the end of the run. */
  readonly wait: boolean
  /** The run whose step makes the request, if any. */
  readonly callingRun?: string | undefined
  /** Whether the flow's output is stored with the run. */
  readonly keepsOutput?: boolean
  /** Whether its calls are kept in full. */
  readonly record?: boolean
}

export type StartedRun =
  | { readonly kind: 'accepted'; readonly flow_run_id: string }
  | { readonly kind: 'ended'; readonly flow_run_id: string; readonly run: FlowRun }

export interface FlowRunsOptions {
  readonly store: Store
  readonly runnable: RunnableFlows
  readonly executor: RunExecutor
  readonly recordFiles: RecordFilesService
  readonly queue: RunQueue
  readonly secrets: KnownSecrets
  readonly env: EnvValues
  readonly portsFor: PortsFor
  readonly clock: Clock
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
}

interface TestPlan {
  readonly flow: RunnableFlow
  readonly start: Pick<RunStart, 'steps' | 'isPart' | 'readers' | 'pins'>
}

/** Maximum depth to which flows can start each other through Millrace's own API. */
const MAX_CALL_DEPTH = 10

export function createFlowRunsService(options: FlowRunsOptions): FlowRunsService {
  const { store, runnable, executor, recordFiles, queue, secrets, clock, events } = options
  const history = createRunHistory(options)
  const cancel = createRunCancelling({ ...options, history })
  const tries = createStepTries(options)
  const now = () => new Date(clock.now()).toISOString()

  function findFlow(id: string): RunnableFlow {
    const flow = runnable.get(id)
    if (flow === null) throw flowNotFound(id)
    return flow
  }

  /** Replaces the saved steps with the editor's, and adds their pins, for a single run. */
  function forTest(flow: RunnableFlow, userId: string): TestPlan {
    const copy = store.flows.workingCopy(flow.id)
    const pins = readablePins(store, flow.id)
    if (copy === null && pins.length === 0)
      throw new AppError(
        'conflict',
        say('The flow "{{name}}" has no unsaved steps; run the saved version', { name: flow.name }),
      )
    const pinned =
      pins.length === 0
        ? {}
        : { pins: dictionaryOf(pins.map(({ ref_id, value }) => [ref_id, value as Data])) }
    // Pinned values must not give access to other people's auths.
    const authors = store.stepPins.authorsOf(flow.id)
    if (copy === null) return { flow, start: { readers: allReaders(flow.readers, authors), ...pinned } }
    const steps = copy.steps.map((source, index) => parseStep(source, `steps[${index}]`))
    return {
      flow: { ...flow, compiled: compileFlow({ steps, settings: flow.settings }) },
      start: { steps, readers: allReaders(readersOfCopy(store, flow, userId), authors), ...pinned },
    }
  }

  /** @throws AppError `validation` if there is no such step */
  function onlyBefore({ flow, start }: TestPlan, refId: string): TestPlan {
    const steps = stepsBefore(start.steps ?? store.flows.get(flow.id)?.steps ?? [], refId)
    if (steps === null)
      throw fieldErrors({
        before: [say('is "{{refId}}", but no step of the flow has that name', { refId: refId.slice(0, 60) })],
      })
    return {
      flow: { ...flow, compiled: compileFlow({ steps, settings: flow.settings }) },
      start: { ...start, steps, isPart: true },
    }
  }

  /** @throws AppError `conflict` if runs have called each other too deeply */
  function callerOf({ name }: RunnableFlow, runId: string | undefined): { parent_run_id?: string } {
    const parent = runId === undefined ? null : store.flowRuns.get(runId)
    if (parent === null) return {}
    let depth = 1
    for (let run: FlowRun | null = parent; run?.parent_run_id; depth++) {
      if (depth === MAX_CALL_DEPTH) {
        throw new AppError(
          'conflict',
          say(
            'The flow "{{name}}" wasn\'t started: flows have already started each other {{depth}} times; end the chain in one of them',
            { name, depth: MAX_CALL_DEPTH },
          ),
        )
      }
      run = store.flowRuns.get(run.parent_run_id)
    }
    return { parent_run_id: parent.id }
  }

  async function accept(flow: RunnableFlow, run: FlowRun, start: RunStart): Promise<void> {
    await queue.accept({ flow, run: { ...run, status: 'queued', started_at: null }, start })
  }

  return {
    ...history,
    ...tries,
    cancel,
    ...createRunResolving({ ...options, history }),

    async startByHand({ userId }, flowId, options) {
      const {
        input,
        workingCopy,
        isTest = false,
        before,
        wait,
        callingRun,
        keepsOutput,
        trigger,
        record,
      } = options
      const saved = findFlow(flowId)
      const parent = callerOf(saved, callingRun)
      if (saved.status === 'paused') {
        throw new AppError(
          'conflict',
          say('The flow "{{name}}" is paused; make it active or a draft to run it', { name: saved.name }),
        )
      }
      const whole = workingCopy ? forTest(saved, userId) : { flow: saved, start: {} }
      if (trigger !== undefined) requireStart(whole.flow, trigger)
      const { flow, start: test } = before === undefined ? whole : onlyBefore(whole, before)
      const start: RunStart = {
        input,
        webhook: null,
        ...test,
        ...(keepsOutput && { awaitedByFlow: true }),
        ...(record && { records: true }),
      }
      const run = newRun(
        flow,
        { id: store.flowRuns.newId(), trigger: isTest ? 'test' : 'manual', trigger_ref: trigger, ...parent },
        now(),
      )
      if (start.pins !== undefined) await store.write(() => store.stepPins.noteUse(flowId, run.id))
      if (!wait) {
        await accept(flow, run, start)
        return { kind: 'accepted', flow_run_id: run.id }
      }
      const { outcome, recorder } = executor.execute({
        flow,
        run,
        start,
        redactor: secrets.redactor(),
        request: null,
        isQueued: false,
        resumeData: null,
      })
      await outcome
      return { kind: 'ended', flow_run_id: run.id, run: recorder.run }
    },

    async replay(id, { version, record = false }) {
      const earlier = history.read(id)
      const start = readStart(history.stateOf(id))
      if (start === null)
        throw new AppError(
          'conflict',
          say("The input of run {{id}} wasn't stored, so it can't be run again", { id }),
        )
      const current = findFlow(earlier.flow_id)
      const flow = version === undefined ? current : runnable.version(current.id, version)
      if (flow === null)
        throw fieldErrors({
          version: [
            say('is {{version}}, which doesn\'t exist in the flow "{{name}}"', {
              version: String(version),
              name: current.name,
            }),
          ],
        })
      const run = newRun(
        flow,
        {
          id: store.flowRuns.newId(),
          trigger: 'replay',
          trigger_ref: earlier.trigger_ref,
          parent_run_id: id,
        },
        now(),
      )
      const isShaped = start.readers !== undefined || start.carriedOver !== undefined
      await accept(flow, run, {
        input: start.input,
        webhook: start.webhook,
        ...(isShaped ? { readers: allReaders(flow.readers, readersOfRun(runnable, earlier, start)) } : {}),
        ...(start.carriedOver === undefined ? {} : { carriedOver: start.carriedOver }),
        ...(start.doubts === undefined ? {} : { doubts: start.doubts }),
        ...(record && { records: true }),
      })
      return { flow_run_id: run.id }
    },

    async resume(id) {
      const run = history.read(id)
      if (!hasEnded(run) || run.status === 'success') {
        throw new AppError(
          'conflict',
          say('Run {{id}} is {{status}}; only failed or cancelled runs can be resumed', {
            id,
            status: run.status,
          }),
        )
      }
      if (run.error?.code === 'stopped') {
        throw new AppError(
          'conflict',
          say('Run {{id}} was ended by its step "{{step}}"; replay it instead', {
            id,
            step: String(run.error.ref_id),
          }),
        )
      }
      await queue.resume(run)
      return { flow_run_id: id }
    },

    async remove(id) {
      const run = await store.write(() => {
        const found = history.read(id)
        if (!hasEnded(found))
          throw new AppError('conflict', say("Run {{id}} hasn't ended; cancel it first", { id }))
        store.flowRuns.delete(id)
        return found
      })
      await recordFiles.remove(id)
      events.emit({ type: 'deleted', noun: 'flow_run', id, flow_id: run.flow_id })
    },
  }
}

/** @throws AppError `validation` if the flow has no such trigger that isn't disabled */
function requireStart({ name, compiled: { triggers } }: RunnableFlow, trigger: string): void {
  const refs = triggers.flatMap(({ ref, disabled }) => (disabled ? [] : [ref]))
  if (!refs.includes(trigger)) throw unknownTrigger({ name, refs }, trigger, 'trigger')
}

function parseStep(source: unknown, path: string): Step {
  return parseInput(stepShape, source, path)
}
