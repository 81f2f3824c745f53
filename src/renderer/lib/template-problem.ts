import type { TemplateProblem } from '../../shared/contract/templates.ts'

/** `No filter named 'uper'. Did you mean "upper"?` */
export function sentenceOf({ message, hint }: Pick<TemplateProblem, 'message' | 'hint'>): string {
  return hint === null ? message : `${message.replace(/\.$/, '')}. ${hint}`
}
