import { type Data, dictionaryOf, entriesOf, Float, isDictionary, isList } from '../../data/value.ts'
import type { TracedValue } from '../base/traced-value.ts'
import { Undefined } from '../base/undefined.ts'
import { hasTags } from '../syntax/lexer.ts'
import { textOf } from '../values/repr.ts'
import { toData } from '../values/to-data.ts'
import { isTrue } from '../values/truth.ts'
import { expressionOf, templateOf } from './cache.ts'
import { evaluateCompiled, renderCompiled, type TemplateContext, type TemplateOptions } from './render.ts'
import { ValueTrace } from './value-trace.ts'

/**
 * Evaluates a template. A single `{{ expression }}` keeps its type; anything else is a string. Undefined becomes null.
 */
export function evaluateTemplate(source: string, context: TemplateContext, options?: TemplateOptions): Data {
  const compiled = templateOf(source, options)
  if (compiled.program.evaluate === null) return renderCompiled(compiled, context, options)
  return evaluateCompiled(compiled, context, options, (value) => toData(value))
}

/** Like `evaluateTemplate`, but a single expression that is undefined stays undefined. */
export function evaluateOptional(source: string, context: TemplateContext): Data | undefined {
  const compiled = templateOf(source)
  if (compiled.program.evaluate === null) return renderCompiled(compiled, context, undefined)
  return evaluateCompiled(compiled, context, undefined, (value) =>
    value instanceof Undefined ? undefined : toData(value),
  )
}

/** Evaluates every string in a value, at any depth, as a template; keys are unchanged. */
export function evaluateValue(value: Data, context: TemplateContext, options?: TemplateOptions): Data {
  return evaluateStrings(value, (text) => evaluateTemplate(text, context, options))
}

/** The value, its string form, and the values that its `{{ … }}` inserted. */
export function evaluateTraced(
  source: string,
  context: TemplateContext,
  options?: TemplateOptions,
): { value: Data; text: string; traced: readonly TracedValue[] } {
  const compiled = templateOf(source, options)
  const { program } = compiled
  const trace = new ValueTrace(compiled.source, program)
  const { whole } = program
  if (whole === null) {
    const text = renderCompiled(compiled, context, options, (evaluation) => {
      evaluation.observer = trace
    })
    return { value: text, text, traced: trace.all }
  }
  return evaluateCompiled(compiled, context, options, (value) => {
    trace.note(value, whole)
    const data = toData(value)
    return { value: data, text: textOf(value), traced: trace.all }
  })
}

export function evaluateStrings(value: Data, evaluate: (text: string) => Data): Data {
  if (typeof value === 'string') return evaluate(value)
  if (value instanceof Float) return value
  if (isList(value)) return value.map((item) => evaluateStrings(item, evaluate))
  if (!isDictionary(value)) return value
  return dictionaryOf(entriesOf(value).map(([key, item]) => [key, evaluateStrings(item, evaluate)]))
}

/** Strings that mean false, however they were produced. */
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

/** Whether a `when` is true: a template whose output doesn't mean false, or a bare expression that is true. */
export function evaluateCondition(
  source: string,
  context: TemplateContext,
  options?: TemplateOptions,
): boolean {
  if (FALSE_TEXTS.has(source.trim())) return false
  if (!hasTags(source)) return evaluateCompiled(expressionOf(source, options), context, options, isTrue)
  const compiled = templateOf(source.trim(), options)
  if (compiled.program.evaluate === null)
    return !FALSE_TEXTS.has(renderCompiled(compiled, context, options).trim())
  return evaluateCompiled(
    compiled,
    context,
    options,
    (value) => isTrue(value) && !FALSE_TEXTS.has(textOf(value).trim()),
  )
}
