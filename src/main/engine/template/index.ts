import type { Data } from '../data/value.ts'
import { templateOf } from './render/cache.ts'
import { readLiteral } from './syntax/literal.ts'
import { runPlaced, runText, type TemplateContext, type TemplateOptions } from './render/render.ts'
import { TakenValues } from './render/value-trace.ts'
import type { TakenValue } from './base/traced-value.ts'

export {
  type CheckOptions,
  checkTemplate,
  isReadableName,
  type MemberPlace,
  membersRead,
  namesRead,
  type TemplateProblem,
} from './editing/check.ts'
export { isMethodOfDictionary } from './methods/attributes.ts'
export {
  type CompletionEntry,
  completionEntries,
  describeContext,
  type ScopeName,
} from './editing/completion.ts'
export { evaluateCondition } from './render/evaluate.ts'
export { type DictionaryResult, renderDictionary, renderJsonBody } from './render/dictionary.ts'
export { type FaultKind, NotADictionaryError, TemplateError } from './base/faults.ts'
export { evaluateOptional, evaluateTemplate, evaluateValue } from './render/evaluate.ts'
export { DEFAULT_LIMITS, type TemplateLimits } from './base/limits.ts'
export { OVER_DATA } from './render/render.ts'
export type { TemplateContext, TemplateOptions } from './render/render.ts'
export type { TakenValue } from './base/traced-value.ts'

/**
 * The text of a template.
 *
 * @throws TemplateError with line, column, the offending token and a hint
 */
export function renderTemplate(source: string, context: TemplateContext, options?: TemplateOptions): string {
  return runText(templateOf(source, options), context, options)
}

/** The text of a template, and what each `{{ … }}` in it put there. */
export function renderTraced(
  source: string,
  context: TemplateContext,
  options?: TemplateOptions,
): { text: string; taken: readonly TakenValue[] } {
  const compiled = templateOf(source, options)
  const taken = new TakenValues(compiled.source, compiled.program)
  const text = runText(compiled, context, options, (evaluation) => {
    evaluation.observer = taken
  })
  return { text, taken: taken.all }
}

/**
 * Reads a text as JSON, else as a Python literal: no names, no calls.
 *
 * @throws TemplateError where it is neither
 */
export function parseLiteral(text: string): Data {
  return runPlaced(text, undefined, () => readLiteral(text))
}
