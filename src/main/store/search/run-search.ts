/**
 * Full-text search over the inputs, steps and results of runs. A word index covers all runs but the newest, which are
 * read directly; it is filled later, in batches, so that storing a run costs nothing extra.
 */
import type { Filter } from '../../../shared/contract/base/common.ts'
import type { Database } from 'better-sqlite3'
import type { FlowRun, RunMatch } from '../../../shared/contract/flow-runs.ts'
import { parseOrNull, PLAIN_JSON, type JsonCodec } from '../sql/codec.ts'
import type { HistoryParts, StepsPart } from '../history/history-parts.ts'
import { keysOfRun, positionOf, runKey, runStepId } from '../history/ids.ts'
import { DEFAULT_PER_PAGE } from '../sql/list.ts'
import { findIn, type TextMatch } from './match.ts'
import { toMatch, type SearchQuery } from './query.ts'
import { textsOf, type RunText } from './run-text.ts'
import { foldedWords } from './words.ts'
import { command, rows, scalar } from '../sql/statement.ts'
import { type NewStep, readKeptSteps } from '../history/step-format.ts'

export interface RunSearchIndex {
  /**
   * Collects words of ended runs that aren't indexed yet, for about this long and no more than can be indexed quickly,
   * but at least one run; null if there are none. Pauses while reading a run that takes longer.
   */
  readonly gather: (budgetMs: number, pause: () => Promise<void>) => Promise<RunWords | null>
  /** Adds them to the index; call inside a write. */
  readonly add: (gathered: RunWords) => void
  /**
   * Merges some index segments, so that a search reads fewer of them; call inside a write, a few times after each
   * `add`. False if nothing is left to merge.
   */
  readonly merge: () => boolean
  /** Deletes the whole index; call inside a write. Search still works without it, only slower. */
  readonly clear: () => void
  readonly isEmpty: () => boolean
}

export interface RunWords {
  readonly ended: readonly EndedRunWords[]
  /** Runs that had not ended. */
  readonly unended: readonly number[]
  /** The last run that was read; null if none was newer than the index. */
  readonly upTo: number | null
}

interface EndedRunWords {
  readonly key: number
  readonly finishedAt: number | null
  readonly words: string
}

export interface RunSearch {
  readonly index: RunSearchIndex
  /** Finds runs, newest first, below the key `before`. */
  readonly find: <T>(query: SearchQuery, options: FindOptions<T>) => FoundRuns<T>
  /** Call when the run is deleted. */
  readonly remove: (key: number) => void
  /** Call when a run continues, because the index then no longer covers all of it. */
  readonly putOff: (key: number) => void
}

export interface FindOptions<T> {
  readonly before: number | null
  readonly filters?: readonly Filter[] | undefined
  readonly perPage?: number | undefined
  /** The records of runs with these keys that match the filters, newest first. */
  readonly among: (keys: readonly number[], filters: readonly Filter[]) => readonly RecordOfRun<T>[]
}

interface RecordOfRun<T> {
  readonly runId: string
  readonly record: T
}

export interface FoundRuns<T> {
  readonly records: readonly (RecordOfRun<T> & { readonly matches: readonly RunMatch[] })[]
  /** The key to continue after; null at the end of the history. */
  readonly nextKey: number | null
}

interface Candidate {
  readonly key: number
  readonly isIndexed: boolean
}

/**
 * A page reads this many runs from the index, and this many characters of other runs; the rest is left to the next
 * page.
 */
const MOST_CANDIDATES = 20_000
export const MOST_SCANNED_CHARACTERS = 1_500_000
const PER_LOOK = 200
/** Fewer characters, because indexing takes several times as long as reading. */
const MOST_GATHERED_CHARACTERS = 65_536
/** Merging is measured in pages; small pages keep each merge short. */
const PAGE_BYTES = 500
const MERGED_PAGES = 64
/** Number of segments at which SQLite merges by itself, however long that takes. */
const MOST_PARTS = 500
/** Matches shown per run. */
const MOST_MATCHES = 3

export function createRunSearch(
  db: Database,
  json: JsonCodec,
  parts: Pick<HistoryParts, 'stepsUp'>,
  lastKey: number,
): RunSearch {
  // Keys are reused if the newest runs were deleted before the program ended.
  command(db, 'UPDATE run_search_state SET indexed_to = min(indexed_to, ?)').run(lastKey)
  configure(db)
  const indexedTo = scalar<number>(db, 'SELECT indexed_to FROM run_search_state')
  const moveTo = command(db, 'UPDATE run_search_state SET indexed_to = ?')
  const newest = scalar<number | null>(db, 'SELECT max(key) FROM flow_runs')
  const run = rows<RunHead>(
    db,
    `SELECT r.key, r.id, r.title, r.error, r.finished_at,
       (SELECT headers FROM history_parts WHERE key = r.key << 20) AS headers
     FROM flow_runs r WHERE r.key = ?`,
  )
  const finishedAtOf = scalar<number | null>(db, 'SELECT finished_at FROM flow_runs WHERE key = ?')
  const newerUp = rows<{ key: number; finished_at: number | null }>(
    db,
    `SELECT key, finished_at FROM flow_runs WHERE key > ? ORDER BY key LIMIT ${PER_LOOK}`,
  )
  const newerDown = scalar<number>(
    db,
    `SELECT key FROM flow_runs WHERE key > ? AND key < ? ORDER BY key DESC LIMIT ${PER_LOOK}`,
  )
  const matching = scalar<number>(
    db,
    `SELECT rowid FROM run_search WHERE run_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ${PER_LOOK}`,
  )
  const waitingEnded = scalar<number>(
    db,
    `SELECT w.run_key FROM run_search_waiting w CROSS JOIN flow_runs r ON r.key = w.run_key
     WHERE r.finished_at IS NOT NULL LIMIT ${PER_LOOK}`,
  )
  const waitingDown = scalar<number>(
    db,
    'SELECT run_key FROM run_search_waiting WHERE run_key >= ? AND run_key < ? ORDER BY run_key DESC',
  )
  const wait = command(db, 'INSERT OR IGNORE INTO run_search_waiting (run_key) VALUES (?)')
  const waitNoMore = command(db, 'DELETE FROM run_search_waiting WHERE run_key = ?')
  const insert = command(db, 'INSERT INTO run_search (rowid, words) VALUES (?, ?)')
  const merge = command(db, `INSERT INTO run_search (run_search, rank) VALUES ('merge', ${MERGED_PAGES})`)
  const changes = scalar<number>(db, 'SELECT total_changes()')
  const remove = command(db, 'DELETE FROM run_search WHERE rowid = ?')

  /** Runs one statement for each part, so that the database isn't busy while a run is read with pauses. */
  function* stepsOf(key: number): Generator<readonly [number, NewStep]> {
    const [begin, end] = keysOfRun(key)
    for (let from = begin; ;) {
      const [part] = parts.stepsUp(from, end)
      if (part === undefined) return
      const first = positionOf(part.key)
      for (const [index, step] of readable(part).entries()) yield [first + index, step]
      from = part.key + 1
    }
  }

  /** Unreadable steps can't be found, and must not keep others from being found. */
  function readable(part: StepsPart): readonly NewStep[] {
    try {
      return readKeptSteps(part, json)
    } catch {
      return []
    }
  }

  function textsOfRun({ key, title, error, headers }: RunHead): Iterable<RunText> {
    return textsOf({
      title,
      error: parseOrNull(error, json) as FlowRun['error'],
      headers: (parseOrNull(headers, PLAIN_JSON) ?? {}) as Readonly<Record<string, string>>,
      steps: stepsOf(key),
    })
  }

  function readTexts(key: number): Iterable<RunText> {
    const head = run.get(key)
    return head === undefined ? [] : textsOfRun(head)
  }

  async function wordsOfRun(
    key: number,
    sliceMs: number,
    pause: () => Promise<void>,
  ): Promise<EndedRunWords> {
    const finishedAt = finishedAtOf.get(key) ?? null
    const words: string[] = []
    let until = performance.now() + sliceMs
    for (const { text, isRepeated } of readTexts(key)) {
      if (!isRepeated) words.push(foldedWords(text))
      if (performance.now() < until) continue
      await pause()
      until = performance.now() + sliceMs
    }
    return { key, finishedAt, words: words.join(' ') }
  }

  /** Runs that can match, newest first. */
  function* candidates(match: string, before: number): Generator<readonly Candidate[]> {
    const limit = indexedTo.get() ?? 0
    for (let upper = before; upper > limit;) {
      const keys = newerDown.all(limit, upper)
      if (keys.length > 0) yield keys.map((key) => ({ key, isIndexed: false }))
      upper = keys.length < PER_LOOK ? limit : (keys.at(-1) ?? limit)
    }
    for (let upper = Math.min(before, limit + 1); upper > 0;) {
      const keys = matching.all(match, upper)
      const lower = keys.length < PER_LOOK ? 0 : (keys.at(-1) ?? 0)
      const waiting = waitingDown.all(lower, upper)
      const left = new Set(waiting)
      const found = [
        ...keys.filter((key) => !left.has(key)).map((key) => ({ key, isIndexed: true })),
        ...waiting.map((key) => ({ key, isIndexed: false })),
      ]
      yield found.toSorted((a, b) => b.key - a.key)
      upper = lower
    }
  }

  function matchesOf(runId: string, query: SearchQuery, isIndexed: boolean): Looked {
    let characters = 0
    const counted = function* (): Generator<RunText> {
      for (const text of readTexts(runKey(runId) ?? -1)) {
        characters += text.text.length
        if (!text.isRepeated) yield text
      }
    }
    const matches = findIn(counted(), query) ?? (isIndexed ? [] : null)
    return {
      characters,
      matches: matches && matches.slice(0, MOST_MATCHES).map((match) => toRunMatch(runId, match)),
    }
  }

  return {
    find<T>(
      query: SearchQuery,
      { before, filters = [], perPage = DEFAULT_PER_PAGE, among }: FindOptions<T>,
    ): FoundRuns<T> {
      const records: FoundRuns<T>['records'][number][] = []
      let [looked, characters] = [0, 0]
      for (const chunk of candidates(toMatch(query), before ?? (newest.get() ?? 0) + 1)) {
        const indexed = new Set(chunk.filter((one) => one.isIndexed).map(({ key }) => key))
        const keys = chunk.map(({ key }) => key)
        for (const found of keys.length === 0 ? [] : among(keys, filters)) {
          const key = runKey(found.runId) ?? 0
          const look = matchesOf(found.runId, query, indexed.has(key))
          if (look.matches !== null) {
            if (records.length === perPage) return { records, nextKey: runKey(records.at(-1)?.runId ?? '') }
            records.push({ ...found, matches: look.matches })
          }
          if (!indexed.has(key)) characters += look.characters
          if (characters > MOST_SCANNED_CHARACTERS) return { records, nextKey: key }
        }
        looked += keys.length
        if (looked >= MOST_CANDIDATES) return { records, nextKey: keys.at(-1) ?? null }
      }
      return { records, nextKey: null }
    },
    remove: (key) => void (key <= (indexedTo.get() ?? 0) && remove.run(key)),
    putOff(key) {
      if (key <= (indexedTo.get() ?? 0)) wait.run(key)
    },
    index: {
      isEmpty: () => indexedTo.get() === 0,
      async gather(budgetMs, pause) {
        const ended: EndedRunWords[] = []
        const unended: number[] = []
        let upTo: number | null = null
        const until = performance.now() + budgetMs
        let room = MOST_GATHERED_CHARACTERS
        const take = async (key: number) => {
          const run = await wordsOfRun(key, budgetMs, pause)
          ended.push(run)
          room -= run.words.length
        }
        for (const key of waitingEnded.all()) {
          await take(key)
          if (room < 0 || performance.now() > until) return { ended, unended, upTo }
        }
        for (const { key, finished_at: finishedAt } of newerUp.all(indexedTo.get() ?? 0)) {
          upTo = key
          if (finishedAt === null) unended.push(key)
          else await take(key)
          if (room < 0 || performance.now() > until) break
        }
        return ended.length === 0 && unended.length === 0 ? null : { ended, unended, upTo }
      },
      add({ ended, unended, upTo }) {
        const limit = indexedTo.get() ?? 0
        for (const { key, finishedAt, words } of ended) {
          if (key <= limit) {
            remove.run(key)
            waitNoMore.run(key)
          }
          // The run can have resumed, even ended again, or been deleted, since its words were collected.
          if (finishedAt !== null && finishedAtOf.get(key) === finishedAt) insert.run(key, words)
          else if (run.get(key) !== undefined) wait.run(key)
        }
        for (const key of unended) if (run.get(key) !== undefined) wait.run(key)
        if (upTo !== null && upTo > limit) moveTo.run(upTo)
      },
      merge() {
        const before = changes.get() ?? 0
        merge.run()
        return (changes.get() ?? 0) - before >= 2
      },
      clear() {
        db.exec(`INSERT INTO run_search (run_search) VALUES ('delete-all')`)
        db.exec('DELETE FROM run_search_waiting')
        moveTo.run(0)
      },
    },
  }
}

interface RunHead {
  readonly key: number
  readonly id: string
  readonly title: string
  readonly error: string | null
  readonly finished_at: number | null
  readonly headers: string | null
}

interface Looked {
  readonly characters: number
  readonly matches: readonly RunMatch[] | null
}

function toRunMatch(runId: string, { place, snippet, marks }: TextMatch): RunMatch {
  return {
    step_id: place.step === null ? null : runStepId(runId, place.step.position),
    ref_id: place.step?.ref ?? null,
    field: place.field,
    at: [...place.at],
    snippet,
    marks: marks.map(([from, to]) => [from, to]),
  }
}

/** By default, SQLite merges while adding, for as long as it takes. `merge` does it in small pieces instead. */
function configure(db: Database): void {
  if (scalar<number>(db, `SELECT v FROM run_search_config WHERE k = 'pgsz'`).get() === PAGE_BYTES) return
  for (const [name, value] of Object.entries({ automerge: 0, crisismerge: MOST_PARTS, pgsz: PAGE_BYTES }))
    db.exec(`INSERT INTO run_search (run_search, rank) VALUES ('${name}', ${value})`)
}
