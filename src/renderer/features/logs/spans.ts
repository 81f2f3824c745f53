import { type English, english } from '../../lib/i18n.ts'

export type Span = 'all' | 'hour' | 'day' | 'week'

export const SPANS: readonly (readonly [Span, English])[] = [
  ['all', english('Any time')],
  ['hour', english('Last hour')],
  ['day', english('Last 24 hours')],
  ['week', english('Last 7 days')],
]

const HOURS: { readonly [S in Exclude<Span, 'all'>]: number } = { hour: 1, day: 24, week: 168 }

export function sinceOf(span: Span): { readonly since?: string } {
  return span === 'all' ? {} : { since: new Date(Date.now() - HOURS[span] * 3_600_000).toISOString() }
}
