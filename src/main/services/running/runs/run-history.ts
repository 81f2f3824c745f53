/** The history of flow runs, for display. */
import { say } from '../../../../shared/contract/base/message.ts'
import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import type { Json, keyedListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import {
  CALL_TRIGGERS,
  type FailureCause,
  type FlowActivity,
  type FlowRun,
  type FlowRunStep,
  type ListedFlowRun,
  type recordsQuery,
  type StepOutcome,
} from '../../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { isPart, stepsIn } from '../../../../shared/contract/base/step-lists.ts'
import { type Data, isList } from '@millrace/jinja/data'
import { stepKey } from '../../../engine/flow/model/run-events.ts'
import type { Clock } from '../../../engine/ports.ts'
import { type StepCounts, type FailedRun, type Store, toOutcomes } from '../../../store/index.ts'
import { readAnswer, readLargeResults, readResults } from '../execution/resume-log.ts'
import type { RecordFilesService } from '../../keeping/files/record-files.ts'
import { parseKeyedListQuery } from '../../kit/list-query.ts'
import type { LoopTurn } from '../../kit/loop-turn.ts'
import { runNotFound } from '../../kit/not-found.ts'
import { filledPage, type KeyedPage, type RecordPage } from '../../kit/pages.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { groupByCause, toFailedRun } from './failure-causes.ts'

type KeyedQuery = z.output<typeof keyedListQuery>
type ListRunsQuery = KeyedQuery & {
  readonly text?: string | undefined
  readonly answers?: 'true' | 'false' | undefined
}
type FailuresQuery = Pick<KeyedQuery, 'filter'> & { readonly text?: string | undefined }
type RecordsQuery = z.output<typeof recordsQuery>

export type RunHistory = ReturnType<typeof createRunHistory>

export interface RunHistoryOptions {
  readonly store: Pick<Store, 'flowRuns' | 'runSteps' | 'runStates'>
  readonly recordFiles: Pick<RecordFilesService, 'page' | 'read'>
  readonly secrets: Pick<KnownSecrets, 'redactor'>
  readonly clock: Clock
}

const OPEN = { field: 'resolved', operator: 'eq', value: 'false' } as const
const HOUR_MS = 3_600_000
/** Matching runs per batch; each run is read completely to find the match. */
const FOUND_PER_PORTION = 50
const SHOWN_OF_ANSWER = 200

export function createRunHistory({ store, recordFiles, secrets, clock }: RunHistoryOptions) {
  /** @throws AppError `not_found` */
  function read(id: string): FlowRun {
    const run = store.flowRuns.get(id)
    if (run === null) throw runNotFound(id)
    return run
  }

  /**
   * The stored state of a run, for resuming or replaying it.
   *
   * @throws AppError `conflict` if this machine can't decrypt it
   */
  function stateOf(id: string): readonly string[] {
    try {
      return store.runStates.of(id)
    } catch (cause) {
      throw new AppError(
        'conflict',
        say("The history of run {{id}} can't be decrypted on this machine", { id }),
        {
          cause,
        },
      )
    }
  }

  /** Doesn't open large states, because it is called for every row of a list. */
  function withAnswer(run: ListedFlowRun): ListedFlowRun {
    if (!CALL_TRIGGERS.includes(run.trigger)) return run
    const kept = readAnswer(smallStateOf(run.id))
    if (kept === null) return run
    const body = kept.body === null ? null : secrets.redactor().redactText(kept.body)
    return { ...run, answer: { status: kept.status, body: body?.slice(0, SHOWN_OF_ANSWER) ?? null } }
  }

  function smallStateOf(id: string): readonly string[] {
    try {
      return store.runStates.smallOf(id)
    } catch {
      return [] // sealed with a key that isn't available now
    }
  }

  return {
    /** With `text`, returns only runs that contain it, with the matches. */
    async list({ text, answers, ...query }: ListRunsQuery): Promise<KeyedPage<ListedFlowRun>> {
      const request = parseKeyedListQuery(query)
      const page = await filledPage(
        text === undefined || text === ''
          ? (from) => store.flowRuns.list(from)
          : (from) => store.flowRuns.search(text, from),
        request,
      )
      return answers === 'true' ? { ...page, records: page.records.map(withAnswer) } : page
    },
    /** Failed runs that aren't resolved, grouped by cause, latest failure first. */
    async failureCauses({ text, filter }: FailuresQuery): Promise<FailureCause[]> {
      const { filters: asked, perPage } = parseKeyedListQuery({ filter, per_page: FOUND_PER_PORTION })
      const filters = asked.some(({ field }) => field === 'resolved') ? asked : [...asked, OPEN]
      const failed: FailedRun[] = []
      if (text === undefined || text === '') {
        let before: number | null = null
        do {
          if (before !== null) await setImmediate()
          const portion = store.flowRuns.failures(filters, before)
          failed.push(...portion.runs)
          before = portion.next
        } while (before !== null)
      } else {
        const wanted = [...filters, { field: 'status', operator: 'eq', value: 'error' } as const]
        let after: string | null = null
        do {
          if (after !== null) await setImmediate()
          const page: KeyedPage<FlowRun> = store.flowRuns.search(text, { filters: wanted, after, perPage })
          failed.push(...page.records.map(toFailedRun))
          after = page.next
        } while (after !== null)
      }
      return groupByCause(failed).flatMap(({ newest, ...cause }) => {
        const run = store.flowRuns.get(newest)
        return run === null ? [] : [{ ...cause, newest: run }]
      })
    },
    read,
    /** The numbers of runs that succeeded and failed per hour, for each flow with runs in the last hours. */
    async activity(hours: number): Promise<FlowActivity[]> {
      const since = clock.now() - hours * HOUR_MS
      const byFlow = new Map<string, { success: number; error: number }[]>()
      let before: number | null = null
      do {
        if (before !== null) await setImmediate()
        const portion = store.flowRuns.endedSince(since, before)
        for (const { flow_id: id, created_at: at, status } of portion.runs) {
          const hour = byFlow.get(id) ?? Array.from({ length: hours }, () => ({ success: 0, error: 0 }))
          byFlow.set(id, hour)
          const count = hour[Math.min(hours - 1, Math.floor((at - since) / HOUR_MS))]
          if (count !== undefined) count[status]++
        }
        before = portion.next
      } while (before !== null)
      return [...byFlow].map(([id, counts]) => ({ flow_id: id, hours: counts }))
    },
    async stepsOf(id: string, query: KeyedQuery): Promise<KeyedPage<FlowRunStep>> {
      read(id)
      return await filledPage((from) => store.runSteps.ofRun(id, from), parseKeyedListQuery(query))
    },
    /** Each step's outcomes across all its iterations. */
    async outcomesOf(id: string): Promise<StepOutcome[]> {
      read(id)
      const counts: StepCounts = new Map()
      let from = store.runSteps.count(id, counts, null)
      while (from !== null) {
        await setImmediate()
        from = store.runSteps.count(id, counts, from)
      }
      return toOutcomes(counts)
    },
    listSteps: async (query: KeyedQuery): Promise<KeyedPage<FlowRunStep>> =>
      await filledPage((from) => store.runSteps.list(from), parseKeyedListQuery(query)),
    /**
     * Records of a step whose result is a list, including long ones; if the step is running or failed, the records so
     * far.
     *
     * @throws AppError `not_found` if the step's result isn't a list
     */
    recordsOf(
      id: string,
      stepId: string,
      { page = 1, per_page: perPage = 50 }: RecordsQuery,
    ): RecordPage<Json> {
      read(id)
      const step = store.runSteps.get(id, stepId)
      if (step === null)
        throw new AppError(
          'not_found',
          say('Run {{id}} has no step "{{step}}" in its history', { id, step: stepId.slice(0, 60) }),
        )
      const from = (page - 1) * perPage
      const stored = recordFiles.page(id, stepKey(step.path, step.iteration), { from, count: perPage })
      if (stored !== null) {
        const redactor = secrets.redactor()
        const records = stored.records.map((record) => redactor.redactData(record) as Json)
        return { records, total: stored.total, page, perPage }
      }
      if (!isList(step.output) || step.truncated)
        throw new AppError(
          'not_found',
          say('The records of step "{{step}}" of run {{id}} weren\'t stored', { step: step.ref_id, id }),
        )
      const output = step.output as readonly Json[]
      return { records: output.slice(from, from + perPage), total: output.length, page, perPage }
    },
    /** Unredacted results by `ref_id` of a run that has ended; null if they were not kept. */
    resultsOf(id: string): Data {
      read(id)
      return readResults(stateOf(id), (mark) => recordFiles.read(id, mark))
    },
    /** The same, but reads large results a few milliseconds at a time. */
    largeResultsOf(id: string): Promise<Data> {
      read(id)
      return readLargeResults(stateOf(id), (mark) => recordFiles.read(id, mark))
    },
    stateOf,
  }
}

export function hasEnded({ status }: FlowRun): boolean {
  return status === 'success' || status === 'error' || status === 'cancelled'
}

const PER_LOOK = 500

/**
 * Results of a run by `ref_id` as the history shows them: for steps in loops, those of the chosen iteration if the
 * steps ran in it, otherwise those of the last one.
 */
export function createRunResults(
  store: Pick<Store, 'flowRuns' | 'runSteps'>,
): (runId: string, turn?: LoopTurn) => Readonly<Record<string, unknown>> | null {
  return (runId, turn) => {
    if (store.flowRuns.get(runId) === null) return null
    const results: Record<string, unknown> = Object.setPrototypeOf({}, null)
    const wanted = turn === undefined ? new Map<string, readonly number[]>() : stepsInTurn(turn)
    const found = new Set<string>()
    for (let after: string | null = ''; after !== null;) {
      const page = store.runSteps.ofRun(runId, { perPage: PER_LOOK, ...(after === '' ? {} : { after }) })
      for (const { ref_id: ref, path, status, output, iteration } of page.records) {
        if (isPart(path)) continue
        const isWanted = wanted.get(ref)?.every((index, depth) => iteration[depth] === index) ?? false
        if (isWanted) found.add(ref)
        if (status === 'success' && (isWanted || !found.has(ref))) results[ref] = output
      }
      after = page.next
    }
    return results
  }
}

/** The steps in the loops whose iteration is given, with that iteration, by `ref_id`. */
export function stepsInTurn({ loops, iteration }: LoopTurn): ReadonlyMap<string, readonly number[]> {
  const turns = new Map<string, readonly number[]>()
  for (const [depth, { steps = [] }] of loops.entries()) {
    if (depth >= iteration.length) break
    for (const { ref_id } of walkChildren(steps)) turns.set(ref_id, iteration.slice(0, depth + 1))
  }
  return turns
}

function* walkChildren(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield step
    yield* walkChildren(stepsIn(step))
  }
}
