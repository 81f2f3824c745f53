import { cx } from '../../lib/cx.ts'
import type { DiffLine } from '../../lib/line-diff.ts'

/** Two texts as one, with what was taken away and what was added marked by sign and ground. */
export function LineDifference({ lines }: { readonly lines: readonly DiffLine[] }) {
  return lines.map((line, index) => (
    // Lines have no identity but their place.
    <Line key={index} line={line} />
  ))
}

const MARKS = { same: ' ', removed: '−', added: '+' } as const
const GROUNDS = { same: '', removed: 'bg-error-soft', added: 'bg-success-soft' } as const

function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  return (
    <div className={cx('flex gap-3 px-4 font-mono whitespace-pre-wrap', GROUNDS[kind])}>
      <span aria-label={kind === 'same' ? undefined : kind} className="w-3 shrink-0 text-muted select-none">
        {MARKS[kind]}
      </span>
      <span className="min-w-0 break-all">{text}</span>
    </div>
  )
}
