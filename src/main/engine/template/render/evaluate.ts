import { type Data, dictionaryOf, entriesOf, Float, isDictionary, isList } from '../../data/value.ts'
import type { TakenValue } from '../base/traced-value.ts'
import { Undefined } from '../base/undefined.ts'
import { textOf } from '../values/repr.ts'
import { toData } from '../values/to-data.ts'
import { isTrue } from '../values/truth.ts'
import { expressionOf, templateOf } from './cache.ts'
import { runText, runValue, type TemplateContext, type TemplateOptions } from './render.ts'
import { TakenValues } from './value-trace.ts'

/** The value of a template: one whole `{{ expression }}` keeps its type, anything else is text; undefined is null. */
export function evaluateTemplate(source: string, context: TemplateContext, options?: TemplateOptions): Data {
  const compiled = templateOf(source, options)
  if (compiled.program.evaluate === null) return runText(compiled, context, options)
  return runValue(compiled, context, options, (value) => toData(value))
}

/** The same; a whole expression that is undefined is undefined, not null. */
export function evaluateOptional(source: string, context: TemplateContext): Data | undefined {
  const compiled = templateOf(source)
  if (compiled.program.evaluate === null) return runText(compiled, context, undefined)
  return runValue(compiled, context, undefined, (value) =>
    value instanceof Undefined ? undefined : toData(value),
  )
}

/** A value with every text in it, however deep, evaluated as a template; keys stay as they are. */
export function evaluateValue(value: Data, context: TemplateContext, options?: TemplateOptions): Data {
  return evaluateStrings(value, (text) => evaluateTemplate(text, context, options))
}

/** The value, its text, and what was taken from the context. */
export function evaluateNoting(
  source: string,
  context: TemplateContext,
  options?: TemplateOptions,
): { value: Data; text: string; taken: readonly TakenValue[] } {
  const compiled = templateOf(source, options)
  const { program } = compiled
  const taken = new TakenValues(compiled.source, program)
  const { whole } = program
  if (whole === null) {
    const text = runText(compiled, context, options, (evaluation) => {
      evaluation.observer = taken
    })
    return { value: text, text, taken: taken.all }
  }
  return runValue(compiled, context, options, (value) => {
    taken.note(value, whole)
    const data = toData(value)
    return { value: data, text: textOf(value), taken: taken.all }
  })
}

/** Replaces every text inside a value. */
export function evaluateStrings(value: Data, evaluate: (text: string) => Data): Data {
  if (typeof value === 'string') return evaluate(value)
  if (value instanceof Float) return value
  if (isList(value)) return value.map((item) => evaluateStrings(item, evaluate))
  if (!isDictionary(value)) return value
  return dictionaryOf(entriesOf(value).map(([key, item]) => [key, evaluateStrings(item, evaluate)]))
}

/** Texts that mean no, however they came about. */
const FALSE_TEXTS: ReadonlySet<string> = new Set([
  '',
  'False',
  'false',
  '0',
  'None',
  'none',
  'null',
  '[]',
  '{}',
])

/** Whether a `when` holds: a template whose text is not one of those that mean no, or a bare expression that is true. */
export function evaluateCondition(
  source: string,
  context: TemplateContext,
  options?: TemplateOptions,
): boolean {
  if (FALSE_TEXTS.has(source.trim())) return false
  if (!hasTags(source)) return runValue(expressionOf(source, options), context, options, isTrue)
  const compiled = templateOf(source.trim(), options)
  if (compiled.program.evaluate === null) return !FALSE_TEXTS.has(runText(compiled, context, options).trim())
  return runValue(
    compiled,
    context,
    options,
    (value) => isTrue(value) && !FALSE_TEXTS.has(textOf(value).trim()),
  )
}

/** Whether a source is a template and not a bare expression. */
function hasTags(source: string): boolean {
  return /\{[{%#]/.test(source)
}
