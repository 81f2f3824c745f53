/** Operations on ended runs: replaying several, rerunning one from a given step, and comparing two. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { z } from 'zod'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { FlowRun, RunWarning } from '../../../../shared/contract/flow-runs.ts'
import type { replayFlowRunsRoute, rerunFlowRunRoute } from '../../../../shared/contract/run-debugging.ts'
import { LOOP_TYPES } from '../../../../shared/contract/step-types/index.ts'
import { listsIn } from '../../../../shared/contract/base/step-lists.ts'
import {
  cloneData,
  type Data,
  type Dictionary,
  dictionaryOf,
  estimateBytes,
  getKey,
  isDictionary,
} from '@millrace/jinja/data'
import { startingTrigger } from '../../../engine/flow/definition/compile-flow.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import type { CompiledStep } from '../../../engine/flow/model/compiled-step.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { ChosenRecords } from '../../keeping/access/chosen-records.ts'
import type { FlowRunsService } from './flow-runs.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { unhidden } from '../../keeping/secrets/unhidden.ts'
import type { RunQueue } from './queue.ts'
import { compareRuns, type RunComparisonOptions } from './compare-runs.ts'
import type { Caller } from '../../kit/caller.ts'
import { writeResults } from './results-text.ts'
import { newRun } from '../execution/run-executor.ts'
import { readStart } from '../execution/resume-log.ts'
import {
  allReaders,
  readersOfRun,
  type RunnableFlow,
  type RunnableFlows,
} from '../execution/runnable-flows.ts'

type ReplayMany = z.output<typeof replayFlowRunsRoute.body>
type ReplayResults = z.output<typeof replayFlowRunsRoute.result>
type Rerun = z.output<typeof rerunFlowRunRoute.body>

export interface RunDebuggingOptions extends RunComparisonOptions {
  readonly store: Store
  readonly chosenRecords: Pick<ChosenRecords, 'requireRun' | 'requireUse'>
  readonly flowRuns: Pick<FlowRunsService, 'read' | 'replay' | 'resultsOf' | 'largeResultsOf'>
  readonly runnable: RunnableFlows
  readonly queue: Pick<RunQueue, 'accept'>
  readonly secrets: KnownSecrets
  readonly clock: Pick<Clock, 'now'>
}

/** Carried-over results are stored again with the new run. */
const MOST_CARRIED_OVER_BYTES = 50_000_000

export function createRunDebugging(options: RunDebuggingOptions) {
  const { store, chosenRecords, flowRuns, runnable, queue, secrets, clock } = options

  function findFlow(run: FlowRun, version: Rerun['version']): RunnableFlow {
    const flow =
      version === 'current' ? runnable.get(run.flow_id) : runnable.version(run.flow_id, run.flow_version)
    if (flow !== null) return flow
    throw new AppError(
      'not_found',
      say('Version {{version}} of the flow of run {{id}} no longer exists', {
        version: run.flow_version,
        id: run.id,
      }),
    )
  }

  function keptResults(id: string): Dictionary {
    const results = flowRuns.resultsOf(id)
    if (isDictionary(results)) return results
    throw new AppError(
      'conflict',
      say("Run {{id}} can't be run again from a step: its step results weren't stored; replay it instead", {
        id,
      }),
    )
  }

  return {
    /** @param otherId defaults to the flow's last successful run */
    compare: (id: string, otherId: string | undefined) => compareRuns(options, id, otherId),

    /** Replays them independently: one that can't be replayed doesn't stop the others. */
    async replayMany(caller: Caller, { ids, version }: ReplayMany): Promise<ReplayResults> {
      const results: ReplayResults['results'] = []
      for (const id of new Set(ids)) {
        try {
          chosenRecords.requireRun(caller, id)
          const run = flowRuns.read(id)
          const recorded = version === 'recorded' ? run.flow_version : undefined
          chosenRecords.requireUse(caller, run.flow_id, recorded)
          const { flow_run_id } = await flowRuns.replay(id, { version: recorded })
          results.push({ id, flow_run_id, error: null })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          results.push({ id, flow_run_id: null, error: { code: error.code, message: error.message } })
        }
      }
      return { results }
    },

    /**
     * Starts a new run of the same flow at a step in the middle; the results of earlier steps are carried over.
     *
     * @throws AppError `conflict` if they were not kept
     */
    async rerun(
      { userId }: Pick<Caller, 'userId'>,
      id: string,
      { from, results: edited, version }: Rerun,
    ): Promise<{ readonly flow_run_id: string }> {
      const run = flowRuns.read(id)
      const flow = findFlow(run, version)
      const before = stepsBefore(flow, flow.compiled.steps, from)
      const start = readStart(store.runStates.of(id))
      if (start === null)
        throw new AppError(
          'conflict',
          say("The input of run {{id}} wasn't stored, so it can't be run again", { id }),
        )
      const results = before.length === 0 ? dictionaryOf([]) : keptResults(id)
      const refs = before.flatMap((step) => [step.ref, ...step.refsBelow])
      requireKnown(Object.keys(edited), before.length === 0 ? [from] : refs, from)
      const edits: Edits = { values: edited, redactor: secrets.redactor() }
      const carriedOver = carryOver(refs, results, edits)
      requireCarriable(carriedOver, id, from)
      const kept = carriedOver.filter(([ref]) => !Object.hasOwn(edited, ref)).map(([ref]) => ref)
      const doubts = run.warnings.filter((warning) => warning.in_doubt === true && isOfStep(warning, kept))
      const trigger = (startingTrigger(flow.compiled, run.trigger_ref) ?? flow.compiled.steps[0])?.ref
      const next = newRun(
        flow,
        { id: store.flowRuns.newId(), trigger: 'replay', trigger_ref: run.trigger_ref, parent_run_id: id },
        new Date(clock.now()).toISOString(),
      )
      // Results that others produced or typed in must not give access to the auths of the flow's owner.
      const shapers = [
        ...(start.readers !== undefined || carriedOver.length > 0 ? readersOfRun(runnable, run, start) : []),
        ...(Object.keys(edited).length === 0 ? [] : [userId]),
      ]
      await queue.accept({
        flow,
        run: { ...next, status: 'queued', started_at: null },
        start: {
          input: trigger === undefined ? start.input : applyEdit(trigger, start.input, edits),
          webhook: start.webhook,
          ...(shapers.length === 0 ? {} : { readers: allReaders(flow.readers, shapers) }),
          ...(carriedOver.length === 0 ? {} : { carriedOver: dictionaryOf(carriedOver) }),
          ...(doubts.length === 0 ? {} : { doubts }),
        },
      })
      return { flow_run_id: next.id }
    },

    /**
     * Complete results by `ref_id`, with secrets redacted, as JSON.
     *
     * @throws AppError `not_found` if they were not kept
     */
    async resultsOf(id: string): Promise<AsyncIterable<string>> {
      const results = await flowRuns.largeResultsOf(id)
      if (!isDictionary(results))
        throw new AppError('not_found', say("The step results of run {{id}} weren't stored", { id }))
      return writeResults(results, secrets.redactor())
    },
  }
}

/** A run's warnings name their step. */
const isOfStep = ({ message }: RunWarning, refs: readonly string[]) =>
  refs.some((ref) => message.startsWith(`Step "${ref}": `))

/** Results that the caller changed for the new run. */
interface Edits {
  readonly values: Rerun['results']
  readonly redactor: Redactor
}

/** The existing results of these steps, for the new run. */
function carryOver(refs: readonly string[], results: Dictionary, edits: Edits): [string, Data][] {
  return refs.flatMap((ref): [string, Data][] => {
    const kept = getKey(results, ref)
    if (kept === undefined && !Object.hasOwn(edits.values, ref)) return []
    return [[ref, cloneData(applyEdit(ref, kept ?? null, edits))]]
  })
}

function applyEdit(ref: string, kept: Data, { values, redactor }: Edits): Data {
  return Object.hasOwn(values, ref) ? unhidden(values[ref] as Data, kept, redactor) : kept
}

function requireCarriable(carriedOver: readonly [string, Data][], id: string, from: string): void {
  if (estimateBytes(dictionaryOf(carriedOver), MOST_CARRIED_OVER_BYTES) <= MOST_CARRIED_OVER_BYTES) return
  throw new AppError(
    'conflict',
    say('The results of the steps before "{{ref}}" are too large to reuse; replay run {{id}} instead', {
      ref: from,
      id,
    }),
  )
}

/**
 * The steps that don't run again if a flow starts at this step: all steps before it, and before the steps that contain
 * it.
 *
 * @throws AppError `validation`
 */
function stepsBefore(flow: RunnableFlow, list: readonly CompiledStep[], ref: string): CompiledStep[] {
  const at = list.findIndex((step) => step.ref === ref || step.refsBelow.includes(ref))
  const step = list[at]
  if (step === undefined)
    throw fieldErrors({
      from: [
        say('is "{{ref}}", which isn\'t a step of version {{version}} of the flow "{{name}}"', {
          ref,
          version: flow.version,
          name: flow.name,
        }),
      ],
    })
  const before = list.slice(0, at)
  if (step.ref === ref) return before
  if (LOOP_TYPES.includes(step.type))
    throw fieldErrors({
      from: [
        say('is "{{ref}}", a step inside the loop "{{loop}}"; start from the loop', { ref, loop: step.ref }),
      ],
    })
  const inner = listsIn(step.children).find(({ steps: children }) =>
    children.some((child) => child.ref === ref || child.refsBelow.includes(ref)),
  )
  if (inner?.at === 'catch' || inner?.at === 'finally')
    throw fieldErrors({
      from: [
        say('is "{{ref}}", a step in the {{list}} of "{{step}}"; start from that step', {
          ref,
          list: inner.at,
          step: step.ref,
        }),
      ],
    })
  return [...before, ...stepsBefore(flow, inner?.steps ?? [], ref)]
}

function requireKnown(given: readonly string[], known: readonly string[], from: string): void {
  const unknown = given.find((ref) => !known.includes(ref))
  if (unknown === undefined) return
  throw fieldErrors({
    results: [
      say('contains "{{ref}}", which isn\'t a step before "{{from}}"; the steps are {{names}}', {
        ref: unknown.slice(0, 100),
        from,
        names: known.join(', '),
      }),
    ],
  })
}
