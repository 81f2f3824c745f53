import { Select } from '../../components/controls/select.tsx'
import { type English, english, t } from '../../lib/i18n.ts'
import { type Since, SINCE, SINCE_LABELS, startOf } from '../../lib/search.ts'

export type Span = 'all' | Since

const SPANS: readonly (readonly [Span, English])[] = [
  ['all', english('Any time')],
  ...SINCE.map((since) => [since, SINCE_LABELS[since]] as const),
]

export function sinceOf(span: Span): { readonly since?: string } {
  return span === 'all' ? {} : { since: startOf(span, Date.now()) }
}

interface SpanSelectProps {
  readonly value: Span
  readonly onChange: (span: Span) => void
}

export function SpanSelect({ value, onChange }: SpanSelectProps) {
  return (
    <Select
      label={t('Time')}
      className="w-40"
      value={value}
      onChange={onChange}
      options={SPANS.map(([span, label]) => ({ value: span, label: t(label) }))}
    />
  )
}
