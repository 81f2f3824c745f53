import { say } from '../../data/said.ts'
import { type Data, type DataMap, isDictionary } from '../../data/value.ts'
import { writeJson } from '../../data/json.ts'
import { templateOf } from './cache.ts'
import { Fault, NotADictionaryError } from '../base/faults.ts'
import { evaluateStrings, evaluateTraced } from './evaluate.ts'
import { readLiteral } from '../syntax/literal.ts'
import { QuoteAwarePrinter, type RawTexts } from './quote-aware-printer.ts'
import {
  type Compiled,
  renderCompiled,
  type TemplateContext,
  type TemplateOptions,
  withinLimits,
} from './render.ts'
import { ValueTrace } from './value-trace.ts'
import type { TracedValue } from '../base/traced-value.ts'

/** A rendered `query`, `body` or `header`. */
export interface DictionaryResult {
  readonly value: DataMap | Map<string, Data>
  /** The string that it was parsed from. */
  readonly text: string
  /** The values that each `{{ … }}` inserted. */
  readonly traced: readonly TracedValue[]
}

/**
 * Renders a dictionary string and parses it, as JSON or otherwise as a Python literal. Values are written for their
 * position: escaped in quotes, as JSON elsewhere. If the source is an object instead of a string, its strings are
 * rendered.
 *
 * @throws NotADictionaryError if the result is something else; its `text` is empty if nothing was rendered
 */
export function renderDictionary(
  source: string | DataMap,
  context: TemplateContext,
  options?: TemplateOptions,
): DictionaryResult {
  if (typeof source !== 'string') return renderObject(source, context, options)
  const compiled = templateOf(source, options)
  if (compiled.program.whole !== null) return renderWhole(source, context, options)
  const attempt = renderQuoteAware(compiled, context, options)
  const value = attempt.value
  if (!isDictionary(value)) throw notADictionary(attempt.text, attempt.traced)
  return { value, text: attempt.text, traced: attempt.traced }
}

/**
 * Renders a body template that begins with `{` or `[`. Values are written as in a dictionary, so that a quote in one
 * can't break the JSON. The string is returned even if it isn't valid JSON.
 */
export function renderJsonBody(source: string, context: TemplateContext, options?: TemplateOptions): string {
  return renderQuoteAware(templateOf(source, options), context, options).text
}

interface Attempt {
  readonly text: string
  /** The parsed value; undefined if it isn't a literal. */
  readonly value: Data | undefined
  readonly traced: readonly TracedValue[]
}

/**
 * Computed strings are quoted if they aren't literals; only if the result can't be parsed, all of them are written
 * without quotes.
 */
function renderQuoteAware(
  compiled: Compiled,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): Attempt {
  const careful = attemptWith('raw if a literal', compiled, context, options)
  if (careful.value !== undefined || careful.traced.every(({ path }) => path === 'plain')) return careful
  const raw = attemptWith('raw', compiled, context, options)
  return raw.value === undefined ? careful : raw
}

function attemptWith(
  rawTexts: RawTexts,
  compiled: Compiled,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): Attempt {
  const trace = new ValueTrace(compiled.source, compiled.program)
  const text = renderCompiled(compiled, context, options, (evaluation) => {
    evaluation.observer = new QuoteAwarePrinter(trace, rawTexts)
  })
  return { text, value: readOrNothing(text, options), traced: trace.all }
}

/**
 * Renders a single expression that is the whole dictionary. Its value is a dictionary, or a string that
 * parses as one.
 */
function renderWhole(
  source: string,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): DictionaryResult {
  const { value, text, traced } = evaluateTraced(source, context, options)
  const read = typeof value === 'string' ? readOrNothing(value, options) : value
  if (!isDictionary(read)) throw notADictionary(text, traced)
  return { value: read, text, traced }
}

function renderObject(
  source: DataMap,
  context: TemplateContext,
  options: TemplateOptions | undefined,
): DictionaryResult {
  const traced: TracedValue[] = []
  const value = evaluateStrings(source, (text) => {
    const result = evaluateTraced(text, context, options)
    traced.push(...result.traced)
    return result.value
  })
  if (!isDictionary(value)) throw notADictionary('', traced)
  return { value, text: writeJson(value), traced }
}

function readOrNothing(text: string, options: TemplateOptions | undefined): Data | undefined {
  try {
    return withinLimits(options, () => readLiteral(text))
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function notADictionary(text: string, traced: readonly TracedValue[]): NotADictionaryError {
  const shown = text.trim()
  const reason =
    shown === '' ? say`It renders to an empty string` : say`"${shown.slice(0, 100)}" is not a dictionary`
  return new NotADictionaryError(shown, say`${reason}; write it as {"name": "value"}`, traced)
}
