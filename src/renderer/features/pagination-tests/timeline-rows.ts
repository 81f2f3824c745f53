import type { Attempt, PageLine, Progress, Wait } from './progress.ts'

interface RowBase {
  readonly id: string
  readonly line: PageLine
}

/** A line of the timeline, each of one height. */
export type TimelineRow =
  | (RowBase & { readonly kind: 'attempt'; readonly attempt: Attempt; readonly isLast: boolean })
  | (RowBase & { readonly kind: 'wait'; readonly wait: Wait })
  | (RowBase & { readonly kind: 'warning'; readonly message: string })
  /** Planned, and not sent: a pause, a dry run, or a wish that cut the list. */
  | (RowBase & { readonly kind: 'planned' })

/** @param isDry the list was cut on purpose, which needs no warning */
export function timelineRows(pages: Progress['pages'], isDry = false): readonly TimelineRow[] {
  return pages.flatMap((line) => [
    ...waitRow(line, line.wait, 'before'),
    ...line.attempts.flatMap((attempt, index) => attemptRows(line, attempt, index)),
    ...plannedRow(line),
    ...line.warnings
      .filter(({ code }) => !(isDry && code === 'cut_by_max_pages'))
      .map(({ code, message }): TimelineRow => ({
        kind: 'warning',
        id: `${line.page}-${code}`,
        line,
        message,
      })),
  ])
}

function attemptRows(line: PageLine, attempt: Attempt, index: number): TimelineRow[] {
  const isLast = index === line.attempts.length - 1
  return [
    { kind: 'attempt', id: `${line.page}-${index}`, line, attempt, isLast },
    ...waitRow(line, attempt.retry, String(index)),
  ]
}

function waitRow(line: PageLine, wait: Wait | null, place: string): TimelineRow[] {
  return wait === null ? [] : [{ kind: 'wait', id: `${line.page}-wait-${place}`, line, wait }]
}

function plannedRow(line: PageLine): TimelineRow[] {
  const isPlanned = line.attempts.length === 0 && line.wait === null && (line.plan?.request ?? null) !== null
  return isPlanned ? [{ kind: 'planned', id: `${line.page}-planned`, line }] : []
}

/** How many pages a run will have, where a wish says so. */
export function expectedPages(maxPages: string): number | null {
  return /^[1-9]\d{0,8}$/.test(maxPages) ? Number(maxPages) : null
}
