import { CircleDashed, Hourglass, TriangleAlert } from '../../../lib/icons.tsx'
import { StatusIcon } from '../../values/status-badge.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatBytes, formatCount, formatDuration } from '../../../lib/format.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import type { TimelineRow, WaitState } from './timeline-rows.ts'
import { useEffect, useState } from 'react'

export const TIMELINE_GRID =
  'grid grid-cols-[2.75rem_2.5rem_minmax(3.25rem,1fr)_minmax(3rem,1fr)_3.25rem_minmax(3rem,1fr)_2rem] items-center gap-x-1.5 px-3'

/** As wide as its columns need, even if the pane is narrower. */
export const TIMELINE_WIDTH = 'min-w-90'

interface EntryProps {
  readonly row: TimelineRow
  readonly top: number
  readonly chosen: boolean
  readonly onChoose: () => void
}

/** One line of the timeline: a request, a wait, a warning, or a planned request. */
export function TimelineEntry({ row, top, chosen, onChoose }: EntryProps) {
  const isPage = (row.kind === 'attempt' && row.isLast) || row.kind === 'planned'
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the list itself takes the keys
    <div
      id={isPage ? `page-${row.line.page}` : undefined}
      role={isPage ? 'option' : 'presentation'}
      aria-selected={isPage ? chosen : undefined}
      tabIndex={-1}
      onClick={onChoose}
      className={cx('absolute inset-x-0 h-7', chosen ? 'bg-selected' : 'hover:bg-hover')}
      style={{ top }}
    >
      <Line row={row} />
    </div>
  )
}

function Line({ row }: { readonly row: TimelineRow }) {
  if (row.kind === 'attempt') return <AttemptLine row={row} />
  if (row.kind === 'planned')
    return (
      <p className="tabular flex h-7 items-center gap-2 px-3 text-muted">
        <span className="w-9">{row.line.page}</span>
        <CircleDashed size={13} aria-hidden className="shrink-0" />
        <span className="min-w-0 truncate">{t('planned, not sent')}</span>
      </p>
    )
  if (row.kind === 'warning')
    return (
      <p
        className="flex h-7 items-center gap-2 px-3 text-retrying"
        title={translateMessage(row.message, row)}
      >
        <TriangleAlert size={13} aria-hidden className="shrink-0" />
        <span className="min-w-0 truncate">{translateMessage(row.message, row)}</span>
      </p>
    )
  return (
    <p
      className="flex h-7 items-center gap-2 px-3 pl-[3.75rem] text-retrying"
      title={translateMessage(row.wait.reason, row.wait)}
    >
      <Hourglass size={13} aria-hidden className="shrink-0" />
      <Countdown wait={row.wait} state={row.state} />
      <span className="min-w-0 truncate text-muted">{translateMessage(row.wait.reason, row.wait)}</span>
    </p>
  )
}

function AttemptLine({ row }: { readonly row: Extract<TimelineRow, { kind: 'attempt' }> }) {
  const { request, response, retry } = row.attempt
  const good = response !== null && response.status < 400 && retry === null
  return (
    <div className={cx(TIMELINE_GRID, 'tabular h-7')}>
      <span>
        {request.page}
        {request.attempt > 1 ? (
          <span
            className="ml-1 text-sm text-retrying"
            title={t('Attempt {{attempt}}', { attempt: request.attempt })}
          >
            ×{request.attempt}
          </span>
        ) : null}
      </span>
      <span
        className={cx(
          'font-medium',
          response !== null && (response.status < 400 ? 'text-success' : 'text-error'),
        )}
      >
        {response === null ? <StatusIcon state={retry === null ? 'running' : 'error'} /> : response.status}
      </span>
      <span className="text-right text-muted">
        {response === null ? '' : formatDuration(response.duration_ms)}
      </span>
      <span className="text-right text-muted">{response === null ? '' : formatBytes(response.bytes)}</span>
      <span className="text-right">
        {response === null ? '' : good ? formatCount(response.records) : '—'}
      </span>
      <span className="text-right text-muted">{good ? formatCount(response.total_records) : ''}</span>
      <span className="text-right text-sm text-faint">
        {request.config_index === null ? '—' : request.config_index + 1}
      </span>
    </div>
  )
}

interface CountdownProps {
  /** `endsAt` in milliseconds of `performance.now`. */
  readonly wait: { readonly wait_ms: number; readonly endsAt: number }
  readonly state: WaitState
}

const TICK_MS = 100

/** The remaining time of a wait; after it, its total duration. */
function Countdown({ wait, state }: CountdownProps) {
  if (state === 'waiting') return <Running wait={wait} />
  const duration = formatDuration(wait.wait_ms)
  return (
    <span className="shrink-0">
      {state === 'over' ? t('waited {{duration}}', { duration }) : t('a wait of {{duration}}', { duration })}
    </span>
  )
}

function Running({ wait }: Pick<CountdownProps, 'wait'>) {
  const left = useLeft(wait.endsAt)
  if (left <= 0)
    return (
      <span className="shrink-0">{t('waited {{duration}}', { duration: formatDuration(wait.wait_ms) })}</span>
    )
  const share = Math.min(1, left / Math.max(1, wait.wait_ms))
  return (
    <span className="flex shrink-0 items-center gap-2" role="timer">
      <span className="tabular w-16">
        {t('{{seconds}} s left', { seconds: (Math.ceil(left / TICK_MS) / 10).toFixed(1) })}
      </span>
      <span aria-hidden className="h-1 w-14 overflow-hidden rounded-full bg-retrying-soft">
        <span className="block h-full bg-retrying" style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  )
}

function useLeft(endsAt: number): number {
  const [left, setLeft] = useState(() => endsAt - performance.now())
  useEffect(() => {
    const timer = setInterval(() => {
      const now = endsAt - performance.now()
      setLeft(now)
      if (now <= 0) clearInterval(timer)
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [endsAt])
  return left
}
