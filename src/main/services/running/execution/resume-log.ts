/**
 * The data from which a run can be resumed or replayed: unredacted, sealed by the store, in parts that are added while
 * it runs. After a success only the first part and the results are kept.
 */
import { withoutSaid, withSaid } from '../../../../shared/contract/base/message.ts'
import type { RunError, RunWarning } from '../../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import {
  attachLists,
  type Data,
  detachLists,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  getKey,
  isDictionary,
  isList,
  OWN_JSON_LIMITS,
  parseJson,
  parseLargeJson,
  type StoredMark,
  type StoredPlace,
  writeJson,
} from '@millrace/jinja/data'
import type { ResumedStep, ResumeState } from '../../../engine/flow/model/run-events.ts'

/** The start of a run; enough to run it again. */
export interface RunStart {
  readonly input: Data
  /** `{{ webhook.headers }}` and the like; null if it wasn't started by a webhook. */
  readonly webhook: Data
  /** The first bytes of a binary body, in base64. */
  readonly rawBytes?: string
  /** The editor's unsaved steps, if the run doesn't use a version of the flow. */
  readonly steps?: Step[]
  /** Whether these steps are only those before one of the flow's steps; no caller would then get their response. */
  readonly isPart?: boolean
  /** Users who must all be able to read an auth for the run to use it; defaults to the flow's readers. */
  readonly readers?: readonly string[]
  /** Whether a step of another run or an AI client waits for its output. */
  readonly awaitedByFlow?: boolean
  /** Pinned values by `ref_id`, which replace the results of those steps in a test run. */
  readonly pins?: Data
  /** Results by `ref_id`, carried over from an earlier run; their steps don't run again. */
  readonly carriedOver?: Data
  /** The reasons why lists among the carried-over results may be incomplete. */
  readonly doubts?: readonly RunWarning[]
  /** Whether it runs because another run failed. */
  readonly handlesError?: boolean
  /** Whether its calls are kept in full. */
  readonly records?: boolean
}

/** An event of a step, for resuming its run. */
export interface ResumeEntry {
  readonly key: string
  readonly position: number
  readonly attempt: number
  readonly progress?: Data
  readonly warning?: RunWarning
  readonly end?: { readonly output: Data } | { readonly error: RunError }
  /** The step runs again from the start, although it was recorded. */
  readonly again?: true
}

/** The reason why the run has to stop after its steps in `finally`; null if it continues after all. */
export interface UnwindingEntry {
  readonly unwinding: RunError | null
}

/** The data from which a run is resumed. */
export interface ResumeData {
  readonly steps: ResumeState
  /** Positions of the steps in the history, by key. */
  readonly positions: ReadonlyMap<string, number>
  /** Milliseconds that count towards the time limit. */
  readonly spentMs: number
  /** The reason why it has to stop, apart from steps in `finally`; null if it doesn't have to. */
  readonly unwinding: RunError | null
  /** Number of stored parts. */
  readonly parts: number
}

export function writeStart(
  {
    input,
    webhook,
    rawBytes,
    steps,
    isPart,
    readers,
    pins,
    carriedOver,
    doubts,
    handlesError,
    awaitedByFlow,
    records,
  }: RunStart,
  results?: Data,
  answer?: KeptAnswer | null,
): string {
  const entries: [string, Data][] = [
    ['input', input],
    ['webhook', webhook],
  ]
  if (rawBytes !== undefined) entries.push(['raw_bytes', rawBytes])
  if (answer) entries.push(['answer', answerEntry(answer)])
  // Steps were parsed from JSON, so they are data; the compiler can't infer that from an interface.
  if (steps !== undefined) entries.push(['steps', steps as unknown as Data])
  if (isPart) entries.push(['is_part', true])
  if (readers !== undefined) entries.push(['readers', readers])
  if (pins !== undefined) entries.push(['pins', pins])
  if (carriedOver !== undefined) entries.push(['taken', carriedOver])
  if (doubts !== undefined) entries.push(['doubts', doubts.map(warningData)])
  if (handlesError) entries.push(['handles_error', true])
  if (awaitedByFlow) entries.push(['awaited_by_flow', true])
  if (records) entries.push(['records', true])
  if (results !== undefined) entries.push(...resultEntries(results, input))
  return writeJson(dictionaryOf(entries))
}

/** Results that equal the input, such as the trigger's, aren't written a second time. */
function resultEntries(results: Data, input: Data): [string, Data][] {
  if (!isDictionary(results)) return writtenAs('results', results)
  const all = entriesOf(results)
  const others = all.filter(([, value]) => value !== input)
  if (others.length === all.length) return writtenAs('results', results)
  const names = all.filter(([, value]) => value === input).map(([name]) => name)
  return [...writtenAs('results', dictionaryOf(others)), ['results_like_input', names]]
}

export function writeResumeEntries(
  entries: readonly (ResumeEntry | UnwindingEntry)[],
  spentMs: number,
): string {
  return writeJson([
    dictionaryOf([['spent_ms', Math.round(spentMs)]]),
    ...entries.map((entry) => {
      if ('unwinding' in entry) return dictionaryOf([['unwinding', errorData(entry.unwinding)]])
      const { key, position, attempt, progress, warning, end, again } = entry
      const members: [string, Data][] = [
        ['key', key],
        ['position', position],
        ['attempt', attempt],
      ]
      if (again === true) members.push(['again', true])
      if (progress !== undefined) members.push(...writtenAs('kept', progress))
      if (warning !== undefined) members.push(['warning', warningData(warning)])
      if (end && 'error' in end) members.push(['error', errorData(end.error)])
      else if (end) members.push(...writtenAs('output', end.output))
      return dictionaryOf(members)
    }),
  ])
}

const errorData = (error: RunError | null): Data => error && (withSaid(error) as unknown as Data)
const warningData = (warning: RunWarning): Data => withSaid(warning) as unknown as Data

/** Lists stored in files aren't written again: their location is recorded next to the value. */
function writtenAs(name: string, given: Data): [string, Data][] {
  const { value, stored } = detachLists(given)
  const entries: [string, Data][] = [[name, value]]
  if (stored.length > 0) entries.push([`${name}_stored`, stored])
  return entries
}

function readAs(name: string, entries: Dictionary, open: OpenList): Data | undefined {
  const value = getKey(entries, name)
  const stored = getKey(entries, `${name}_stored`)
  return value === undefined || stored === undefined
    ? value
    : attachLists(value, stored as readonly StoredPlace[], open)
}

/** Opens a list of the run that is stored in a file. */
export type OpenList = (mark: StoredMark) => readonly Data[]

/** Results are stored next to the run's start, which contains the input. */
export function writeResults({ input, results, output, answer }: RunResults): string {
  return writeJson(
    dictionaryOf([
      ...(results === undefined ? [] : resultEntries(results, input)),
      ...(output === undefined ? [] : [['output', output] as const]),
      ...(answer ? [['answer', answerEntry(answer)] as const] : []),
    ]),
  )
}

interface RunResults extends Pick<RunStart, 'input'> {
  readonly results: Data | undefined
  /** The output for the flow that waits for the run. */
  readonly output: Data | undefined
  readonly answer: KeptAnswer | null
}

/** The flow's response to a webhook's caller. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly truncated?: boolean
}

function answerEntry({ status, headers, body }: KeptAnswer): Data {
  const isLong = body !== null && body.length > LONGEST_ANSWER
  return dictionaryOf([
    ['status', status],
    ['headers', dictionaryOf(Object.entries(headers))],
    ['body', isLong ? body.slice(0, LONGEST_ANSWER) : body],
    ...(isLong ? [['truncated', true] as const] : []),
  ])
}

/** Null if the run sent no response, or none was kept. */
export function readAnswer(parts: readonly string[]): KeptAnswer | null {
  for (const part of [parts.at(-1), parts.at(0)]) {
    const value = part === undefined ? null : parseJson(part, OWN_JSON_LIMITS)
    const answer = isDictionary(value) ? getKey(value, 'answer') : undefined
    if (answer === undefined || !isDictionary(answer)) continue
    const headers = getKey(answer, 'headers') ?? null
    const body = getKey(answer, 'body')
    return {
      status: Number(getKey(answer, 'status')),
      headers: isDictionary(headers)
        ? Object.fromEntries(
            entriesOf(headers).map(([name, line]) => [name, typeof line === 'string' ? line : '']),
          )
        : {},
      body: typeof body === 'string' ? body : null,
      truncated: getKey(answer, 'truncated') === true,
    }
  }
  return null
}

/** Number of characters of a response that are kept for display. */
const LONGEST_ANSWER = 262_144

/** The output of a run that a flow waited for; undefined if it wasn't kept. */
export function readOutput(parts: readonly string[]): Data | undefined {
  const last = parts.at(-1)
  const value = last === undefined ? null : parseJson(last, OWN_JSON_LIMITS)
  return isDictionary(value) ? getKey(value, 'output') : undefined
}

export function readStart(parts: readonly string[]): RunStart | null {
  const [first] = parts
  const start = first === undefined ? undefined : parseJson(first, OWN_JSON_LIMITS)
  if (!isDictionary(start)) return null
  const read = (name: string) => getKey(start, name)
  const steps = read('steps')
  const readers = read('readers') ?? null
  const pins = read('pins')
  const carriedOver = read('taken')
  const doubts = read('doubts') ?? null
  const rawBytes = read('raw_bytes')
  return {
    input: read('input') ?? dictionaryOf([]),
    webhook: read('webhook') ?? null,
    ...(typeof rawBytes === 'string' ? { rawBytes } : {}),
    // Steps have the form that `writeStart` wrote.
    ...(steps === undefined ? {} : { steps: steps as unknown as Step[] }),
    ...(read('is_part') === true ? { isPart: true } : {}),
    ...(isList(readers) ? { readers: readers.filter((reader) => typeof reader === 'string') } : {}),
    ...(pins === undefined ? {} : { pins }),
    ...(carriedOver === undefined ? {} : { carriedOver }),
    ...(isList(doubts) ? { doubts: doubts as unknown as RunWarning[] } : {}),
    ...(read('handles_error') === true ? { handlesError: true } : {}),
    ...(read('awaited_by_flow') === true ? { awaitedByFlow: true } : {}),
    ...(read('records') === true ? { records: true } : {}),
  }
}

/** Results by `ref_id` of a run that has ended; null if none were kept. */
export function readResults(parts: readonly string[], open: OpenList, parse = parseOwn): Data {
  for (const part of [parts.at(-1), parts.at(0)]) {
    const value = part === undefined ? null : parse(part)
    const results = isDictionary(value) ? readAs('results', value, open) : undefined
    if (results !== undefined) return withInputs(results, value, parts, parse)
  }
  return null
}

/** The same, but reads large results a few milliseconds at a time. */
export async function readLargeResults(parts: readonly string[], open: OpenList): Promise<Data> {
  const parsed = new Map<string, Data>()
  for (const part of [parts.at(-1), parts.at(0)])
    if (part !== undefined) parsed.set(part, await parseLargeJson(part, OWN_JSON_LIMITS))
  return readResults(parts, open, (part) => parsed.get(part) ?? null)
}

const parseOwn = (part: string): Data => parseJson(part, OWN_JSON_LIMITS)

function withInputs(
  results: Data,
  part: Data,
  [first]: readonly string[],
  parse: (part: string) => Data,
): Data {
  const names = isDictionary(part) ? getKey(part, 'results_like_input') : undefined
  if (!isDictionary(part) || !isDictionary(results) || !isList(names)) return results
  const start = getKey(part, 'input') === undefined && first !== undefined ? parse(first) : part
  const input = (isDictionary(start) && getKey(start, 'input')) || null
  return dictionaryOf([
    ...names.map((name): [string, Data] => [name as string, input]),
    ...entriesOf(results),
  ])
}

export function readResumeData(parts: readonly string[], open: OpenList): ResumeData {
  const steps = new Map<
    string,
    ResumedStep & { readonly savedProgress: Data[]; readonly warnings: RunWarning[] }
  >()
  const positions = new Map<string, number>()
  let spentMs = 0
  let unwinding: RunError | null = null
  for (const part of parts.slice(1)) {
    const entries = parseJson(part, OWN_JSON_LIMITS)
    for (const entry of isList(entries) ? entries : []) {
      if (!isDictionary(entry)) continue
      const spent = getKey(entry, 'spent_ms')
      if (typeof spent === 'number') {
        spentMs = spent
        continue
      }
      const halt = getKey(entry, 'unwinding')
      if (halt !== undefined) {
        unwinding = halt === null ? null : withoutSaid(halt as unknown as RunError)
        continue
      }
      const key = getKey(entry, 'key') as string
      const progress = readAs('kept', entry, open)
      const output = readAs('output', entry, open)
      const error = getKey(entry, 'error')
      positions.set(key, Number(getKey(entry, 'position')))
      if (getKey(entry, 'again') === true) {
        steps.delete(key)
        continue
      }
      const warning = getKey(entry, 'warning')
      const before = steps.get(key)
      const savedProgress = before?.savedProgress ?? []
      if (progress !== undefined) savedProgress.push(progress)
      // A step that failed and is tried again starts without its warnings.
      const warnings = before === undefined || before.end ? [] : before.warnings
      if (warning !== undefined) warnings.push(withoutSaid(warning as unknown as RunWarning))
      const attempt = Number(getKey(entry, 'attempt'))
      steps.set(key, { attempt, savedProgress, warnings, end: endOf(output, error) })
    }
  }
  return { steps, positions, spentMs, unwinding, parts: parts.length }
}

/**
 * The log entries to add so that a failed run continues with the steps that caused its failure. A failure ignored by
 * `on_error` stays a failure, and steps in `finally` run again. Null if no steps were recorded.
 */
export function entriesToRetry(
  { steps, positions }: ResumeData,
  error: RunError | null,
): (ResumeEntry | UnwindingEntry)[] | null {
  if (positions.size === 0) return null
  const retried = [...steps].flatMap(([key, { savedProgress, end }]) => {
    if (end === undefined || !('error' in end) || !isCauseOf(error, end.error)) return []
    const last = savedProgress.at(-1)
    // A call that was waiting starts again with its first try, instead of using up its last one.
    const isWaiting = isDictionary(last) && getKey(last, 'attempt') !== undefined
    const more = isWaiting ? { progress: dictionaryOf([['attempt', 1]]) } : {}
    return [{ key, position: positions.get(key) ?? 0, attempt: 1, ...more }]
  })
  const again = [...steps.keys()].filter((key) => retried.some((step) => isInFinally(key, step.key)))
  return [
    { unwinding: null },
    ...retried,
    ...again.map((key) => ({ key, position: positions.get(key) ?? 0, attempt: 1, again: true as const })),
  ]
}

/** Whether a step is in the `finally` of another one, in the same iterations of the loops around both. */
function isInFinally(key: string, outer: string): boolean {
  const [path = '', turns = ''] = key.split('#')
  const [outerPath = '', around = ''] = outer.split('#')
  return path.startsWith(`${outerPath}.finally.`) && `${turns}.`.startsWith(around === '' ? '' : `${around}.`)
}

/**
 * Whether a step's error caused the run's. The steps around a failed one have the same error; the error of a halted run
 * names no step.
 */
function isCauseOf(ofRun: RunError | null, ofStep: RunError): boolean {
  if (ofRun === null || ofRun.ref_id !== null) return ofRun?.ref_id === ofStep.ref_id
  return ofRun.code === ofStep.code && ofRun.message === ofStep.message
}

function endOf(output: Data | undefined, error: Data | undefined): ResumedStep['end'] {
  if (error !== undefined) return { error: withoutSaid(error as unknown as RunError) }
  return output === undefined ? undefined : { output }
}
