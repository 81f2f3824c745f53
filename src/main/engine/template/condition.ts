import { expressionOf, templateOf } from './render/cache.ts'
import { runText, runValue, type TemplateContext, type TemplateOptions } from './render/render.ts'
import { textOf } from './values/repr.ts'
import { isTrue } from './values/truth.ts'

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
export function hasTags(source: string): boolean {
  return /\{[{%#]/.test(source)
}
