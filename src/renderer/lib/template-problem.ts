import type { TemplateProblem } from '../../shared/contract/templates.ts'
import { said } from './i18n.ts'

/** `No filter named 'uper'. Did you mean "upper"?` */
export function sentenceOf({ message, hint }: Pick<TemplateProblem, 'message' | 'hint'>): string {
  return hint === null ? said(message) : `${said(message).replace(/\.$/, '')}. ${said(hint)}`
}
