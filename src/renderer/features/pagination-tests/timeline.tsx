import { CircleX, Hourglass, TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { StatusIcon } from '../../components/status-badge.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../../lib/format.ts'
import { usePagination } from './pagination-store.ts'
import { STOP_WORDS } from './progress.ts'
import type { Attempt, PageLine } from './progress.ts'

interface TimelineProps {
  readonly chosen: number | null
  readonly onChoose: (page: number) => void
}

const SHOWN = 500

/** The pages as they are fetched, with their waits, and how it ended. */
export function Timeline({ chosen, onChoose }: TimelineProps) {
  const progress = usePagination((state) => state.progress)
  const end = useRef<HTMLDivElement>(null)
  const { pages, status } = progress
  const hidden = Math.max(0, pages.length - SHOWN)
  const count = pages.length
  useEffect(() => {
    if (status === 'running' && count > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [status, count])

  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto">
      <div className="sticky top-0 grid h-8 shrink-0 grid-cols-[3rem_3.5rem_4.5rem_4.5rem_minmax(0,1fr)] items-center gap-2 border-b border-line bg-surface px-4 text-sm font-medium text-muted">
        <span>Page</span>
        <span>Status</span>
        <span className="text-right">Took</span>
        <span className="text-right">Records</span>
        <span className="text-right">Total</span>
      </div>
      {hidden === 0 ? null : (
        <p className="px-4 py-1 text-sm text-muted">{plural(hidden, 'page')} before these</p>
      )}
      <ol aria-label="Pages">
        {pages.slice(-SHOWN).map((line) => (
          <li key={line.page}>
            {line.attempts.map((attempt, index) => (
              <Row
                // Attempts are only ever appended.
                // oxlint-disable-next-line react/no-array-index-key
                key={index}
                line={line}
                attempt={attempt}
                chosen={line.page === chosen}
                onChoose={() => onChoose(line.page)}
              />
            ))}
            {line.warnings.map((warning) => (
              <p key={warning.code} className="flex items-start gap-2 px-4 py-1 text-sm text-retrying">
                <TriangleAlert size={13} aria-hidden className="mt-0.5 shrink-0" />
                {warning.message}
              </p>
            ))}
          </li>
        ))}
      </ol>
      <div ref={end} role="status" className="px-4 py-3">
        <End />
      </div>
    </div>
  )
}

interface RowProps {
  readonly line: PageLine
  readonly attempt: Attempt
  readonly chosen: boolean
  readonly onChoose: () => void
}

function Row({ line, attempt: { request, response, retry }, chosen, onChoose }: RowProps) {
  return (
    <>
      <button
        type="button"
        aria-current={chosen}
        onClick={onChoose}
        title={response === null ? undefined : formatBytes(response.bytes)}
        className={cx(
          'tabular grid h-8 w-full grid-cols-[3rem_3.5rem_4.5rem_4.5rem_minmax(0,1fr)] items-center gap-2 px-4 text-left',
          'focus-visible:-outline-offset-2',
          chosen ? 'bg-selected' : 'hover:bg-hover',
        )}
      >
        <span>
          {line.page}
          {request.attempt > 1 ? <span className="ml-1 text-sm text-faint">×{request.attempt}</span> : null}
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
        <span className="text-right">
          {response === null || retry !== null ? '—' : formatCount(response.records)}
        </span>
        <span className="text-right text-muted">
          {response === null || retry !== null ? '' : formatCount(response.total_records)}
        </span>
      </button>
      {retry === null ? null : (
        <p className="flex items-start gap-2 px-4 py-1 pl-[4.75rem] text-sm text-retrying">
          <Hourglass size={13} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 break-words">
            Waits {formatDuration(retry.wait_ms)}, then tries again: {retry.reason}
          </span>
        </p>
      )}
    </>
  )
}

function End() {
  const { status, done, failed, totalRecords } = usePagination((state) => state.progress)
  if (status === 'running')
    return <span className="text-muted">{plural(totalRecords, 'record')} so far…</span>
  if (status === 'cancelled')
    return <span className="text-muted">Cancelled; {plural(totalRecords, 'record')} until then.</span>
  if (done !== null)
    return (
      <p>
        <span className="font-medium">
          {plural(done.total_records, 'record')} on {plural(done.pages, 'page')}
        </span>{' '}
        in {formatDuration(done.duration_ms)}. It ended because {STOP_WORDS[done.stop_reason]}.
      </p>
    )
  if (failed === null) return null
  return (
    <div className="flex items-start gap-2 text-error">
      <CircleX size={15} aria-hidden className="mt-0.5 shrink-0" />
      <p className="min-w-0 break-words">
        {failed.message}
        <span className="block text-sm text-muted">
          <code>{failed.code}</code>
          {failed.field === undefined ? '' : `, field ${failed.field}`}
          {failed.line === undefined ? '' : `, line ${failed.line}`}
          {failed.column === undefined ? '' : `, column ${failed.column}`}
          {failed.partial_count === undefined ? '' : `, ${plural(failed.partial_count, 'record')} read`}
        </span>
      </p>
    </div>
  )
}
