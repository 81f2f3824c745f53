import type { Filter } from '../../../shared/contract/base/common.ts'
import type { Database } from 'better-sqlite3'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import type { JsonCodec } from '../sql/codec.ts'
import { recordFilter } from './filter-records.ts'
import type { HistoryParts, StepsPart } from '../history/history-parts.ts'
import { keyInRun, keysOfRun, positionOf, runKey, runStepId, stepPlace } from '../history/ids.ts'
import { DEFAULT_PER_PAGE, type KeyedList } from '../sql/list.ts'
import type { Columns, KeyedQuery } from '../sql/list-query.ts'
import { isRecording, scalar } from '../sql/statement.ts'
import { countSteps, type StepCounts } from '../history/step-counts.ts'
import {
  joinSteps,
  type NewStep,
  readKeptSteps,
  readSteps,
  StepChunks,
  writeStep,
  type WrittenSteps,
} from '../history/step-format.ts'

export type RunStepRepository = ReturnType<typeof createRunStepRepository>

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  flow_run_id: { sql: 'flow_run_id', type: 'text' },
  ref_id: { sql: 'ref_id', type: 'text' },
  type: { sql: 'type', type: 'text' },
  path: { sql: 'path', type: 'text' },
  iteration: { sql: 'iteration', type: 'text' },
  status: { sql: 'status', type: 'text' },
  started_at: { sql: 'started_at', type: 'time' },
  duration_ms: { sql: 'duration_ms', type: 'number', nullable: true },
  attempt: { sql: 'attempt', type: 'number' },
  truncated: { sql: 'truncated', type: 'flag' },
}

/** A filter reads at most this many parts per page; a rare match can be on a later page. */
const PARTS_PER_LOOK = 500
/** About a megabyte of text. */
const PARTS_PER_COUNT = 16

export function createRunStepRepository(db: Database, json: JsonCodec, parts: HistoryParts) {
  const runId = scalar<string>(db, 'SELECT id FROM flow_runs WHERE key = ?')

  function keyOfRun(id: string): number | null {
    const key = runKey(id)
    return key !== null && runId.get(key) === id.toLowerCase() ? key : null
  }

  function save(key: number, position: number, texts: readonly WrittenSteps[]): void {
    if (texts.length === 0) return
    const part = parts.stepsAt(key, position)
    const held = part === null ? [] : splitTexts(part)
    const index = part === null ? 0 : position - positionOf(part.key)
    const room = index < held.length ? held.length - index : distanceToNextPart(key, position, texts.length)
    const fitting = texts.slice(0, room)
    if (part !== null && index < held.length) {
      held.splice(index, fitting.length, ...fitting)
      parts.putSteps(key, positionOf(part.key), joinSteps(held))
    } else {
      putChunks(key, position, fitting)
    }
    save(key, position + fitting.length, texts.slice(room))
  }

  function putChunks(key: number, position: number, texts: readonly WrittenSteps[]): void {
    const chunks = new StepChunks(position, (first, steps) => parts.putSteps(key, first, steps))
    for (const text of texts) chunks.add(text)
    chunks.end()
  }

  const splitTexts = (part: StepsPart) => readKeptSteps(part, json).map((step) => writeStep(step, json))

  function distanceToNextPart(key: number, position: number, wanted: number): number {
    const last = keyInRun(key, position + wanted - 1)
    for (const part of parts.stepsUp(keyInRun(key, position), last)) return positionOf(part.key) - position
    return wanted
  }

  function stepsOf(part: StepsPart): FlowRunStep[] {
    const first = positionOf(part.key)
    return readSteps(part, json).map((step, index) => ({
      ...step,
      id: runStepId(part.run_id, first + index),
      flow_run_id: part.run_id,
    }))
  }

  function requireKey(id: string): number {
    const key = isRecording() ? runKey(id) : keyOfRun(id)
    if (key === null) throw new Error(`There is no flow run ${id} to add steps to`)
    return key
  }

  const write = (steps: readonly NewStep[]) => steps.map((step) => writeStep(step, json))

  return {
    /**
     * Stores or replaces steps of a stored run, from this position on; positions count from 0 in the order of starting.
     * Pass steps that are stored at the same time together.
     */
    save: (id: string, position: number, steps: readonly NewStep[]) =>
      save(requireKey(id), position, write(steps)),
    /** Stores steps of a stored run that has none from this position on, without looking for existing ones. */
    append: (id: string, position: number, steps: readonly NewStep[]) =>
      putChunks(requireKey(id), position, write(steps)),

    /** The steps of a run in the order they started. */
    ofRun(
      id: string,
      { filters = [], after, perPage = DEFAULT_PER_PAGE }: KeyedQuery = {},
    ): KeyedList<FlowRunStep> {
      const matches = recordFilter(filters, COLUMNS)
      const key = keyOfRun(id)
      if (key === null) return { records: [], next: null, total: 0 }
      const from = keyAfter(after) ?? keyInRun(key, 0) - 1
      const begin = parts.stepsAt(key, positionOf(Math.max(from, keyInRun(key, 0))))?.key ?? from
      const page = createPage(perPage)
      for (const part of parts.stepsUp(begin, keysOfRun(key)[1])) {
        for (const step of stepsOf(part)) {
          if (keyOfStep(step) > from && matches(step) && !page.add(step)) return page.cut()
        }
      }
      return page.whole()
    },

    /**
     * Counts a batch of a run's steps, small enough for one event loop iteration.
     *
     * @param from null for the first batch, then the return value of the previous call
     * @returns null once all are counted
     */
    count(id: string, counts: StepCounts, from: number | null): number | null {
      const key = keyOfRun(id)
      if (key === null) return null
      const [first, last] = keysOfRun(key)
      let counted = 0
      for (const part of parts.stepsUp(from ?? first, last)) {
        if (counted === PARTS_PER_COUNT) return part.key
        countSteps(counts, part.steps)
        counted += 1
      }
      return null
    },

    get(id: string, stepId: string): FlowRunStep | null {
      const key = keyOfRun(id)
      const place = stepPlace(stepId)
      const part = key === null || place?.runKey !== key ? null : parts.stepsAt(key, place.position)
      return (part && stepsOf(part).find((step) => step.id === stepId)) ?? null
    },

    /** The step at a position; null if the history has none there. */
    at(id: string, position: number): FlowRunStep | null {
      const key = keyOfRun(id)
      const part = key === null ? null : parts.stepsAt(key, position)
      return (part && stepsOf(part)[position - positionOf(part.key)]) ?? null
    },

    /** Steps across all runs, starting with the last step of the newest run. */
    list({ filters = [], after, perPage = DEFAULT_PER_PAGE }: KeyedQuery = {}): KeyedList<FlowRunStep> {
      const matches = recordFilter(filters, COLUMNS)
      const [from, to] = keysNamed(filters)
      const upper = Math.min(to, (keyAfter(after) ?? to + 1) - 1)
      const page = createPage(perPage)
      let looks = 0
      for (const part of parts.stepsDown(from, upper)) {
        for (const step of stepsOf(part).toReversed()) {
          if (keyOfStep(step) <= upper && matches(step) && !page.add(step)) return page.cut()
        }
        if (++looks === PARTS_PER_LOOK) return page.cut(runStepId(part.run_id, positionOf(part.key)))
      }
      return page.whole()
    },
  }
}

/**
 * The range of keys to which filters on `flow_run_id` limit the search; the filters are then checked record by record.
 */
function keysNamed(filters: readonly Filter[]): readonly [number, number] {
  const named = filters.find(({ field, operator }) => field === 'flow_run_id' && operator === 'eq')
  if (named === undefined) return [0, Number.MAX_SAFE_INTEGER]
  return keysOfRun(runKey(String(named.value)) ?? 0)
}

function keyAfter(after: string | null | undefined): number | null {
  if (after === null || after === undefined) return null
  const place = stepPlace(after)
  if (place === null)
    throw fieldErrors({
      after: [say('must be the ID of a step, got "{{after}}"', { after: after.slice(0, 60) })],
    })
  return keyInRun(place.runKey, place.position)
}

function keyOfStep({ id }: FlowRunStep): number {
  const place = stepPlace(id)
  return place === null ? -1 : keyInRun(place.runKey, place.position)
}

function createPage(perPage: number) {
  const records: FlowRunStep[] = []
  return {
    /** False if the page is full. */
    add: (step: FlowRunStep) => records.length < perPage && records.push(step) > 0,
    whole: (): KeyedList<FlowRunStep> => ({ records, next: null, total: null }),
    cut: (next = records.at(-1)?.id ?? null): KeyedList<FlowRunStep> => ({ records, next, total: null }),
  }
}
