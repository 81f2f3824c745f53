/** All strings of a run that the search covers: only those that its history shows. */
import type { FlowRun, RunError, SEARCHED_FIELDS } from '../../../shared/contract/flow-runs.ts'
import { type NewStep, textOf } from '../history/step-format.ts'

export interface RunText {
  readonly place: TextPlace
  readonly text: string
  /**
   * Whether the string has already occurred in the run, as in iterations of a loop; it is neither indexed nor searched
   * again.
   */
  readonly isRepeated: boolean
}

type PlacedText = Omit<RunText, 'isRepeated'>

/** The position of a string in its run. */
export interface TextPlace {
  /** Null if it belongs to the run itself. */
  readonly step: { readonly position: number; readonly ref: string } | null
  readonly field: (typeof SEARCHED_FIELDS)[number]
  /** Keys and indexes within the field. */
  readonly at: readonly (string | number)[]
}

export interface SearchedRun {
  readonly title: string
  readonly error: FlowRun['error']
  /** Headers of the request that started it. */
  readonly headers: Readonly<Record<string, string>>
  readonly steps: Iterable<readonly [position: number, step: NewStep]>
}

/** A longer run is only searched up to here, because the words of a run are indexed in one go. */
const MOST_CHARACTERS = 500_000
const MOST_READ_CHARACTERS = 2_000_000

/** Short strings, and those searched for most often, come first, because a long run is cut off at the end. */
export function* textsOf(run: SearchedRun): Generator<RunText> {
  const seen = new Set<string>()
  let [left, unread] = [MOST_CHARACTERS, MOST_READ_CHARACTERS]
  for (const text of allTextsOf(run)) {
    const isRepeated = seen.has(text.text)
    seen.add(text.text)
    yield { ...text, isRepeated }
    unread -= text.text.length
    if (!isRepeated) left -= text.text.length
    if (left <= 0 || unread <= 0) return
  }
}

function* allTextsOf({ title, error, headers, steps }: SearchedRun): Generator<PlacedText> {
  yield { place: { step: null, field: 'title', at: [] }, text: title }
  yield* textsOfError(error, null)
  for (const [name, value] of Object.entries(headers))
    yield { place: { step: null, field: 'request', at: [name] }, text: `${name}: ${value}` }
  for (const [position, step] of steps) yield* textsOfStep(position, step)
}

function* textsOfStep(position: number, step: NewStep): Generator<PlacedText> {
  const place = { step: { position, ref: step.ref_id }, at: [] }
  yield* textsOfError(step.error, place.step)
  yield* textsIn(step.input, { ...place, field: 'input' }, step.ref_id)
  yield* textsIn(step.output, { ...place, field: 'output' }, step.ref_id)
  for (const [index, { request, response }] of step.http.entries()) {
    const inCall = (...at: string[]): TextPlace => ({ ...place, field: 'http', at: [index, ...at] })
    yield { place: inCall('request', 'url'), text: request.url }
    if (request.body !== null) yield { place: inCall('request', 'body'), text: textOf(request.body) }
    // The response body of a successful call is the step's output already.
    if (response?.body && (step.status === 'error' || response.status >= 400))
      yield { place: inCall('response', 'body'), text: textOf(response.body) }
  }
}

function* textsOfError(error: RunError | null, step: TextPlace['step']): Generator<PlacedText> {
  if (error !== null)
    yield { place: { step, field: 'error', at: [] }, text: `${error.code}: ${error.message}` }
}

/** Yields one string per value, with its key in front, so that `"status": "open"` is found as written. */
function* textsIn(value: unknown, place: TextPlace, key: string): Generator<PlacedText> {
  if (value === null || value === undefined) return
  if (typeof value !== 'object') {
    yield { place, text: `${key}: ${value as string}` }
    return
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsIn(item, within(place, index), key)
    return
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    yield* textsIn((value.toJSON as () => unknown)(), place, key)
    return
  }
  const entries = value instanceof Map ? (value as Map<string, unknown>) : Object.entries(value)
  for (const [name, item] of entries) yield* textsIn(item, within(place, name), name)
}

const within = (place: TextPlace, key: string | number): TextPlace => ({ ...place, at: [...place.at, key] })
