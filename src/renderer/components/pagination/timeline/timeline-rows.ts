import type { Attempt, PageLine, TestProgress, Wait } from '../state/test-progress.ts'

interface RowBase {
  readonly id: string
  readonly line: PageLine
}

/** `stopped`: the run ended first. */
export type WaitState = 'waiting' | 'over' | 'stopped'

/** A line of the timeline; all have the same height. */
export type TimelineRow =
  | (RowBase & { readonly kind: 'attempt'; readonly attempt: Attempt; readonly isLast: boolean })
  | (RowBase & { readonly kind: 'wait'; readonly wait: Wait; readonly state: WaitState })
  | (RowBase & { readonly kind: 'warning'; readonly message: string })
  /** Planned but not sent: a pause, a dry run, or a limit that cut the list. */
  | (RowBase & { readonly kind: 'planned' })

/**
 * @param isDry whether the list was cut on purpose, which needs no warning
 * @param hasEnded whether nothing more is expected
 */
export function timelineRows(
  pages: TestProgress['pages'],
  { isDry = false, hasEnded = false } = {},
): readonly TimelineRow[] {
  const last: WaitState = hasEnded ? 'stopped' : 'waiting'
  return pages.flatMap((line) => [
    ...waitRow(line, line.wait, 'before', line.attempts.length === 0 ? last : 'over'),
    ...line.attempts.flatMap((attempt, index) => attemptRows(line, attempt, index, last)),
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

function attemptRows(line: PageLine, attempt: Attempt, index: number, last: WaitState): TimelineRow[] {
  const isLast = index === line.attempts.length - 1
  return [
    { kind: 'attempt', id: `${line.page}-${index}`, line, attempt, isLast },
    ...waitRow(line, attempt.retry, String(index), isLast ? last : 'over'),
  ]
}

function waitRow(line: PageLine, wait: Wait | null, place: string, state: WaitState): TimelineRow[] {
  return wait === null ? [] : [{ kind: 'wait', id: `${line.page}-wait-${place}`, line, wait, state }]
}

function plannedRow(line: PageLine): TimelineRow[] {
  const isPlanned = line.attempts.length === 0 && line.wait === null && (line.plan?.request ?? null) !== null
  return isPlanned ? [{ kind: 'planned', id: `${line.page}-planned`, line }] : []
}

/** The expected number of pages of a run, if it is limited. */
export function expectedPages(maxPages: string): number | null {
  return /^[1-9]\d{0,8}$/.test(maxPages) ? Number(maxPages) : null
}
