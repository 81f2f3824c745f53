import type { TemplateProblem } from '../../shared/contract/templates.ts'
import { translateHint, translateMessage } from './i18n.ts'

/** `No filter named 'uper'. Did you mean "upper"?` */
export function sentenceOf(problem: Pick<TemplateProblem, 'message' | 'hint'>): string {
  const { message, hint } = problem
  const sentence = translateMessage(message, problem)
  return hint === null ? sentence : `${sentence.replace(/\.$/, '')}. ${translateHint(hint, problem)}`
}
