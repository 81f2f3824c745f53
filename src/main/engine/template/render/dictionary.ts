import { type Data, type DataMap, isDictionary } from '../../data/value.ts'
import { writeJson } from '../../data/json.ts'
import { templateOf } from './cache.ts'
import { Fault, NotADictionaryError } from '../base/faults.ts'
import { evaluateNoting, evaluateStrings } from './evaluate.ts'
import { readLiteral } from '../syntax/literal.ts'
import { type RawTexts, ValuePlacing } from './quote-aware-printer.ts'
import { type Compiled, runLimited, runText, type TemplateContext, type TemplateOptions } from './render.ts'
import { TakenValues } from './value-trace.ts'
import type { TakenValue } from '../base/traced-value.ts'

/** A rendered `query`, `body` or `header`. */
export interface DictionaryResult {
  readonly value: DataMap | Map<string, Data>
  /** The text it was read from. */
  readonly text: string
  /** What each `{{ … }}` put into it. */
  readonly taken: readonly TakenValue[]
}

/**
 * Renders a dictionary string and reads it, as JSON or else as a Python literal. Values are placed by where they stand:
 * inside quotes they are escaped, outside they are JSON. An object instead of a string is taken as it is, with its
 * texts rendered.
 *
 * @throws NotADictionaryError where the result is something else; its `text` is empty where nothing was rendered
 */
export function renderDictionary(
  source: string | DataMap,
  context: TemplateContext,
  options?: TemplateOptions,
): DictionaryResult {
  if (typeof source !== 'string') return renderObject(source, context, options)
  const compiled = templateOf(source, options)
  if (compiled.program.whole !== null) return renderWhole(source, context, options)
  const attempt = renderPlaced(compiled, context, options)
  const value = attempt.value
  if (!isDictionary(value)) throw notADictionary(attempt.text, attempt.taken)
  return { value, text: attempt.text, taken: attempt.taken }
}

/**
 * Renders a body template that begins with `{` or `[`: values are placed as in a dictionary, so that a quote in one
 * cannot break the JSON. The text is returned, whatever it reads as.
 */
export function renderJsonBody(source: string, context: TemplateContext, options?: TemplateOptions): string {
  return renderPlaced(templateOf(source, options), context, options).text
}

interface Attempt {
  readonly text: string
  /** What the text reads as; undefined where it is no literal. */
  readonly value: Data | undefined
  readonly taken: readonly TakenValue[]
}

/** Computed texts are quoted where they are no literals; only if the whole does not read so, they all stand raw. */
function renderPlaced(
  compiled: Compiled,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): Attempt {
  const careful = attemptWith('raw if a literal', compiled, context, options)
  if (careful.value !== undefined || careful.taken.every(({ path }) => path === 'plain')) return careful
  const raw = attemptWith('raw', compiled, context, options)
  return raw.value === undefined ? careful : raw
}

function attemptWith(
  rawTexts: RawTexts,
  compiled: Compiled,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): Attempt {
  const taken = new TakenValues(compiled.source, compiled.program)
  const text = runText(compiled, context, options, (evaluation) => {
    evaluation.observer = new ValuePlacing(taken, rawTexts)
  })
  return { text, value: readOrNothing(text, options), taken: taken.all }
}

/** One expression that is the whole dictionary: a dictionary, or a text that reads as one. */
function renderWhole(
  source: string,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): DictionaryResult {
  const { value, text, taken } = evaluateNoting(source, context, options)
  const read = typeof value === 'string' ? readOrNothing(value, options) : value
  if (!isDictionary(read)) throw notADictionary(text, taken)
  return { value: read, text, taken }
}

function renderObject(
  source: DataMap,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): DictionaryResult {
  const taken: TakenValue[] = []
  const value = evaluateStrings(source, (text) => {
    const result = evaluateNoting(text, context, options)
    taken.push(...result.taken)
    return result.value
  })
  if (!isDictionary(value)) throw notADictionary('', taken)
  return { value, text: writeJson(value), taken }
}

function readOrNothing(text: string, options: TemplateOptions | undefined): Data | undefined {
  try {
    return runLimited(options, () => readLiteral(text))
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function notADictionary(text: string, taken: readonly TakenValue[]): NotADictionaryError {
  const shown = text.trim()
  const reason = shown === '' ? 'It rendered to nothing' : `"${shown.slice(0, 100)}" is not a dictionary`
  return new NotADictionaryError(shown, `${reason}; write it as {"name": "value"}`, taken)
}
