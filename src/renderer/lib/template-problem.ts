import type { TemplateProblem } from '../../shared/contract/templates.ts'
import { translateMessage } from './i18n.ts'

/** `No filter named 'uper'. Did you mean "upper"?` */
export function sentenceOf({ message, hint }: Pick<TemplateProblem, 'message' | 'hint'>): string {
  return hint === null
    ? translateMessage(message)
    : `${translateMessage(message).replace(/\.$/, '')}. ${translateMessage(hint)}`
}
