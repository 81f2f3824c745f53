import { CircleAlert, CircleCheck, Info, TriangleAlert } from '../../../lib/icons.tsx'
import { cx } from '../../../lib/cx.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { lineOf } from './problem-places.ts'
import type { PlacedProblem } from './problem-places.ts'

interface ProblemListProps {
  readonly text: string
  readonly problems: readonly PlacedProblem[]
  readonly onGo: (offset: number) => void
}

const ICONS = { error: CircleAlert, warning: TriangleAlert, hint: Info } as const
const TONES = { error: 'text-error', warning: 'text-retrying', hint: 'text-running' } as const

/** The problems of the configuration; each links to its place. */
export function ProblemList({ text, problems, onGo }: ProblemListProps) {
  if (problems.length === 0)
    return (
      <p className="flex items-center gap-1.5 text-muted">
        <CircleCheck size={13} aria-hidden className="text-success" />
        {text.trim() === '' ? t('No configuration: only one request is sent.') : t('No problems')}
      </p>
    )
  return (
    <ul aria-label={t('Configuration problems')} className="-mx-1.5 flex max-h-52 flex-col overflow-auto">
      {problems.map((problem) => {
        const Icon = ICONS[problem.severity]
        const { line, column } = lineOf(text, problem.from)
        return (
          <li key={`${problem.from} ${problem.message}`}>
            <button
              type="button"
              onClick={() => onGo(problem.from)}
              className="flex w-full items-start gap-1.5 rounded px-1.5 py-0.5 text-left text-sm hover:bg-hover"
            >
              <Icon size={13} aria-hidden className={cx('mt-0.5 shrink-0', TONES[problem.severity])} />
              <span className="sr-only">{problem.severity}: </span>
              <span className="min-w-0 flex-1 break-words">{translateMessage(problem.message, problem)}</span>
              <span className="tabular shrink-0 text-faint">
                {line}:{column}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
