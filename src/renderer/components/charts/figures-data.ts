/** Millrace's figures as chart data. */
import type { Figures } from '../../../shared/contract/figures/figures.ts'
import { type English, english, t } from '../../lib/i18n.ts'
import type { ChartData, Tone } from './series.ts'

interface Kind {
  readonly key: string
  readonly label: English
  readonly tone: Tone
  /** Shown even if its values are all 0. */
  readonly always?: true
}

/** From bottom to top, with failures on top. */
const KINDS: { readonly [K in Exclude<Figures['of'], 'disk'>]: readonly Kind[] } = {
  runs: [
    { key: 'success', label: english('Worked'), tone: 'main', always: true },
    { key: 'queued', label: english('Queued'), tone: 'quiet' },
    { key: 'running', label: english('Running'), tone: 'second' },
    { key: 'retrying', label: english('Retrying'), tone: 'doubt' },
    { key: 'cancelled', label: english('Cancelled'), tone: 'quiet' },
    { key: 'in_doubt', label: english('In doubt'), tone: 'doubt' },
    { key: 'error', label: english('Failed'), tone: 'failed', always: true },
  ],
  webhooks: [
    { key: '2xx', label: english('Worked (2xx)'), tone: 'main', always: true },
    { key: '3xx', label: english('Redirected (3xx)'), tone: 'quiet' },
    { key: '4xx', label: english('Rejected (4xx)'), tone: 'doubt', always: true },
    { key: '5xx', label: english('Failed (5xx)'), tone: 'failed', always: true },
  ],
  // Records read aren't stacked on these, because they may be the same records.
  records: [
    { key: 'written', label: english('Records written'), tone: 'main', always: true },
    { key: 'rejected', label: english('Set aside'), tone: 'doubt' },
  ],
  calls: [
    { key: 'answered', label: english('Answered'), tone: 'main', always: true },
    { key: 'limited', label: english('Too many (429)'), tone: 'doubt', always: true },
    { key: 'refused', label: english('Refused (4xx)'), tone: 'second' },
    { key: 'failed', label: english('Failed'), tone: 'failed', always: true },
  ],
}

/** Results of merges. They count records that `written` counts, too. */
const MERGED: readonly Kind[] = [
  { key: 'unchanged', label: english('Unchanged'), tone: 'quiet', always: true },
  { key: 'changed', label: english('Changed'), tone: 'second', always: true },
  { key: 'new', label: english('New'), tone: 'main', always: true },
]

/** Drawn as lines, not stacked: a size is the last one measured, and the database's includes that of its tables. */
const SIZES: readonly Kind[] = [
  { key: 'database', label: english('Database'), tone: 'main' },
  { key: 'tables', label: english('Tables in it'), tone: 'doubt' },
  { key: 'files', label: english('Files'), tone: 'second' },
  { key: 'backups', label: english('Backups'), tone: 'quiet' },
]

const STEP_MS: { readonly [B in Figures['bucket']]: number } = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

export const chartOfFigures = (figures: Figures): ChartData =>
  figures.of === 'disk' ? linesOfSizes(figures) : barsOf(figures, KINDS[figures.of])
export const barsOfMerges = (figures: Figures): ChartData => barsOf(figures, MERGED)

function barsOf({ bucket, buckets, totals }: Figures, kinds: readonly Kind[]): ChartData {
  return {
    at: buckets.map(({ at }) => Date.parse(at)),
    step: STEP_MS[bucket],
    bars: kinds.flatMap(({ key, label, tone, always }) =>
      always === true || (totals.counts[key] ?? 0) > 0
        ? [{ key, label: t(label), tone, values: buckets.map(({ counts }) => counts[key] ?? 0) }]
        : [],
    ),
  }
}

function linesOfSizes({ bucket, buckets }: Figures): ChartData {
  const isMeasured = ({ counts }: Figures['buckets'][number]) => Object.keys(counts).length > 0
  return {
    at: buckets.map(({ at }) => Date.parse(at)),
    step: STEP_MS[bucket],
    lines: SIZES.map(({ key, label, tone }) => ({
      key,
      label: t(label),
      tone,
      values: buckets.map((one) => (isMeasured(one) ? (one.counts[key] ?? 0) : null)),
    })),
  }
}

export const countOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
