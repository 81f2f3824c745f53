import { ChevronsUpDown } from '../../lib/icons.tsx'
import { useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import type { DiffLine } from '../../lib/line-diff.ts'
import { Button } from '../controls/button.tsx'

interface LineDifferenceProps {
  readonly lines: readonly DiffLine[]
  /** Replaces long unchanged stretches with a button that opens them. */
  readonly folded?: boolean
}

/** Two texts as one, with removals and additions marked by sign and background. */
export function LineDifference({ lines, folded = false }: LineDifferenceProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const isSame = lines.every(({ kind }) => kind === 'same')
  return stretchesOf(lines, folded && !isSame).map(({ from, to, isFolded }) =>
    isFolded && !opened.has(from) ? (
      <div key={from} className="border-y border-line bg-sunken px-4 font-sans">
        <Button
          look="quiet"
          icon={ChevronsUpDown}
          className="h-6 text-sm"
          onClick={() => setOpened(new Set([...opened, from]))}
        >
          {plural(to - from, 'unchanged line')}
        </Button>
      </div>
    ) : (
      lines.slice(from, to).map((line, index) => (
        // Lines are identified only by their position.
        <Line key={from + index} line={line} />
      ))
    ),
  )
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly isFolded: boolean
}

/** Unchanged lines that are kept around a change. */
const AROUND = 3
/** Fewer lines aren't folded, because a button would take as much room. */
const FEWEST_FOLDED = 4

function stretchesOf(lines: readonly DiffLine[], folded: boolean): readonly Stretch[] {
  const stretches: Stretch[] = []
  for (let from = 0; from < lines.length;) {
    const kind = lines[from]?.kind === 'same'
    let to = from
    while (to < lines.length && (lines[to]?.kind === 'same') === kind) to += 1
    const hidden = { from: from === 0 ? 0 : from + AROUND, to: to === lines.length ? to : to - AROUND }
    if (!folded || !kind || hidden.to - hidden.from < FEWEST_FOLDED)
      stretches.push({ from, to, isFolded: false })
    else
      stretches.push(
        { from, to: hidden.from, isFolded: false },
        { ...hidden, isFolded: true },
        { from: hidden.to, to, isFolded: false },
      )
    from = to
  }
  return stretches
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
