import { type English, english } from '../../lib/i18n.ts'
import { type Since, SINCE, SINCE_LABELS, startOf } from '../../lib/search.ts'

export type Span = 'all' | Since

export const SPANS: readonly (readonly [Span, English])[] = [
  ['all', english('Any time')],
  ...SINCE.map((since) => [since, SINCE_LABELS[since]] as const),
]

export function sinceOf(span: Span): { readonly since?: string } {
  return span === 'all' ? {} : { since: startOf(span, Date.now()) }
}
