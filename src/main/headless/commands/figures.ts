import {
  type Figures,
  type FiguresBucket,
  type FiguresOf,
  readFiguresRoute,
  type Tally,
} from '../../../shared/contract/figures/figures.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findFlow } from '../support/find-record.ts'
import { formatTable } from '../support/output.ts'
import { readCount } from '../support/read-count.ts'
import { withHost } from '../support/with-host.ts'

export interface FiguresOptions {
  readonly of: string
  readonly flow?: string
  readonly days: string
}

const DAY_MS = 86_400_000
const BAR_WIDTH = 30

/** Shows one day by hour, and several days by day. */
export async function showFigures(
  { config, output }: CommandContext,
  options: FiguresOptions,
): Promise<void> {
  const days = readCount(options.days, '--days')
  const figures = await withHost(config, async (host) => {
    const from = new Date(Date.now() - (days === 1 ? 1 : days - 1) * DAY_MS).toISOString()
    const flow = options.flow === undefined ? undefined : await findFlow(host, options.flow)
    const bucket = days === 1 ? 'hour' : 'day'
    const of = options.of as FiguresOf
    return host.call(readFiguresRoute, { query: { of, bucket, from, ...(flow && { flow_id: flow.id }) } })
  })
  const text = figures.of === 'runs' ? describe(figures, canDraw()) : describeCounts(figures)
  output.answer(figures, text)
}

/** Prints a column for each status that occurs. */
function describeCounts({ of, buckets, totals, bucket }: Figures): string {
  const names = [...new Set(buckets.flatMap(({ counts }) => Object.keys(counts)))]
  const cell = (count: number | undefined) =>
    of === 'disk' && count !== undefined ? inMb(count) : String(count ?? (of === 'disk' ? '' : 0))
  const rowOf = (first: string, { counts }: Tally) => [first, ...names.map((name) => cell(counts[name]))]
  const header = [`${bucket.toUpperCase()} (UTC)`, ...names.map((name) => name.toUpperCase())]
  const last = of === 'disk' ? 'now' : 'all'
  return formatTable(header, [...buckets.map((one) => rowOf(nameOf(one, bucket), one)), rowOf(last, totals)])
}

const nameOf = ({ at }: FiguresBucket, bucket: Figures['bucket']) =>
  bucket === 'day' ? at.slice(0, 10) : at.slice(0, 16).replace('T', ' ')

function describe({ buckets, totals, before, bucket }: Figures, draws: boolean): string {
  const all = countOf(totals)
  const earlier = before === null ? 0 : countOf(before)
  const most = Math.max(1, ...buckets.map(countOf))
  const rows = buckets.map((one) => [
    nameOf(one, bucket),
    ...(draws ? [bar(one, most)] : []),
    String(countOf(one)),
    String(one.counts['error'] ?? 0),
    inMs(one.p50_ms),
    inMs(one.p95_ms),
  ])
  const header = [`${bucket.toUpperCase()} (UTC)`, ...(draws ? [''] : []), 'RUNS', 'FAILED', 'P50', 'P95']
  const change =
    earlier === 0 ? '' : ` (${withSign((all / earlier - 1) * 100)} % compared with the time before)`
  const worked = all === 0 ? '' : `, ${share(totals)} % succeeded, p95 ${inMs(totals.p95_ms)}`
  return `${formatTable(header, rows)}\n\n${all} runs${change}${worked}`
}

/** Draws failed runs as the light end of the bar, which is visible however few there are. */
function bar(bucket: FiguresBucket, most: number): string {
  const all = countOf(bucket)
  const failed = bucket.counts['error'] ?? 0
  const length = all === 0 ? 0 : Math.max(1, Math.round((all / most) * BAR_WIDTH))
  const light = failed === 0 ? 0 : Math.max(1, Math.round((failed / all) * length))
  return `${'█'.repeat(length - light)}${'░'.repeat(light)}`.padEnd(BAR_WIDTH)
}

const countOf = ({ counts }: Tally) => Object.values(counts).reduce((sum, count) => sum + count, 0)
const share = (totals: Tally) => Math.floor(((totals.counts['success'] ?? 0) / countOf(totals)) * 1_000) / 10
const inMs = (ms: number | null) => (ms === null ? '' : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`)
const inMb = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`
const withSign = (percent: number) => `${percent < 0 ? '' : '+'}${Math.round(percent)}`

/** True on a terminal that shows UTF-8; elsewhere, only the numbers are printed. */
function canDraw(): boolean {
  const { LC_ALL, LC_CTYPE, LANG } = process.env
  const locale = LC_ALL || LC_CTYPE || LANG || ''
  return process.stdout.isTTY && (process.platform === 'win32' || /utf-?8/i.test(locale))
}
