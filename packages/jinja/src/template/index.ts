import type { Data } from '../data/value.ts'
import { templateOf } from './render/cache.ts'
import { readLiteral } from './syntax/literal.ts'
import { renderCompiled, type TemplateContext, type TemplateOptions, withPosition } from './render/render.ts'
import { ValueTrace } from './render/value-trace.ts'
import type { TracedValue } from './base/traced-value.ts'

export {
  type CheckOptions,
  checkTemplate,
  isReadableName,
  type MemberPlace,
  membersRead,
  namesRead,
  placeholdersIn,
  type TemplateProblem,
} from './editing/check.ts'
export { isMethodOfDictionary } from './methods/attributes.ts'
export {
  completionEntries,
  type CompletionEntry,
  describeContext,
  type ScopeName,
} from './editing/completion.ts'
export { closest, nearest } from './text/closest.ts'
export { type RepairedTemplate, repairTemplate } from './editing/repair.ts'
export { continuationsOf } from './editing/continuations.ts'
export { evaluateCondition } from './render/evaluate.ts'
export { type DictionaryResult, renderDictionary, renderJsonBody } from './render/dictionary.ts'
export { type FaultKind, NotADictionaryError, TemplateError } from './base/faults.ts'
export { evaluateOptional, evaluateTemplate, evaluateValue } from './render/evaluate.ts'
export { DEFAULT_LIMITS, type TemplateLimits } from './base/limits.ts'
export { positionOf } from './base/source-position.ts'
export { hasTags } from './syntax/lexer.ts'
export { OVER_DATA } from './render/render.ts'
export { renderXml } from './render/xml.ts'
export type { TemplateContext, TemplateOptions } from './render/render.ts'
export type { TracedValue } from './base/traced-value.ts'

/**
 * Renders a template.
 *
 * @throws TemplateError with line, column, the offending token and a hint
 */
export function renderTemplate(source: string, context: TemplateContext, options?: TemplateOptions): string {
  return renderCompiled(templateOf(source, options), context, options)
}

/** Renders a template, and also returns the value that each `{{ … }}` inserted. */
export function renderTraced(
  source: string,
  context: TemplateContext,
  options?: TemplateOptions,
): { text: string; traced: readonly TracedValue[] } {
  const compiled = templateOf(source, options)
  const trace = new ValueTrace(compiled.source, compiled.program)
  const text = renderCompiled(compiled, context, options, (evaluation) => {
    evaluation.observer = trace
  })
  return { text, traced: trace.all }
}

/**
 * Parses a string as JSON or else as a Python literal without names or calls.
 *
 * @throws TemplateError if it is neither
 */
export function parseLiteral(text: string): Data {
  return withPosition(text, undefined, () => readLiteral(text))
}
