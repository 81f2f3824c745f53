import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import {
  type Bucket,
  type Figures,
  type FiguresOf,
  readFiguresRoute,
} from '../../../../shared/contract/figures/figures.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import { RUN_STATUSES } from '../../../../shared/contract/flow-runs.ts'
import { endsRun } from '../../../api/lists.ts'
import { resource, useResource } from '../../../api/resource.ts'
import { Chart, type ChartProps } from '../../../components/charts/chart.tsx'
import { chartOfFigures, barsOfMerges, countOf } from '../../../components/charts/figures-data.ts'
import type { ChartData } from '../../../components/charts/series.ts'
import { TabList, TabPanels, TabsRoot } from '../../../components/controls/tabs.tsx'
import { Card } from '../../../components/screen/page.tsx'
import { formatDuration, formatPercent, plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'

type Range = 'day' | 'week' | 'month'

const HOUR_MS = 3_600_000
const RANGES: Readonly<
  Record<Range, { readonly bucket: Bucket; readonly size: number; readonly count: number }>
> = {
  day: { bucket: 'hour', size: HOUR_MS, count: 24 },
  week: { bucket: 'hour', size: HOUR_MS, count: 168 },
  month: { bucket: 'day', size: 24 * HOUR_MS, count: 30 },
}

const figuresOf = (of: FiguresOf, flowId: string, range: Range) => {
  const { bucket, size, count } = RANGES[range]
  return resource(readFiguresRoute, {
    nouns: of === 'webhooks' ? ['flow_run', 'webhook_request'] : ['flow_run'],
    concerns: (event) => event.flow_id === flowId && (event.noun === 'webhook_request' || endsRun(event)),
    query: (now) => ({
      of,
      flow_id: flowId,
      bucket,
      from: new Date((Math.floor(now / size) + 1 - count) * size).toISOString(),
    }),
  })
}

/** The flow's activity in a day, a week or a month: how often it ran, for how long, and what it received and wrote. */
export function ActivityView({ flow }: { readonly flow: Flow }) {
  const [range, setRange] = useState<Range>('week')
  const ranges = [
    { value: 'day', label: t('24 hours') },
    { value: 'week', label: t('7 days') },
    { value: 'month', label: t('30 days') },
  ] as const
  return (
    <TabsRoot value={range} onChange={setRange} className="min-h-0 flex-1 overflow-auto">
      <div className="flex flex-col gap-4 p-4">
        <TabList label={t('Time')} tabs={ranges} look="segments" className="self-start" />
        <TabPanels
          tabs={ranges.map((one) => ({ ...one, content: <Activity flow={flow} range={one.value} /> }))}
        />
      </div>
    </TabsRoot>
  )
}

interface ActivityCard {
  readonly title: string
  readonly aside?: string
  readonly unit?: 'count' | 'duration'
  readonly none: string
  readonly chart: Pick<ChartProps, 'data' | 'failure' | 'onRetry' | 'onPick'>
  /** False if the card doesn't apply to the flow. */
  readonly isShown?: boolean
}

function Activity({ flow, range }: { readonly flow: Flow; readonly range: Range }) {
  const navigate = useNavigate()
  const runs = useFigures('runs', flow.id, range)
  const webhooks = useFigures('webhooks', flow.webhook ? flow.id : null, range)
  const records = useFigures('records', flow.id, range)
  const calls = useFigures('calls', flow.id, range)
  const merges = useMemo(() => records.figures && barsOfMerges(records.figures), [records.figures])
  const durations = useMemo(() => runs.figures && linesOf(runs.figures), [runs.figures])
  const isByDay = RANGES[range].bucket === 'day'
  const showRuns = (key: string) => {
    const status = RUN_STATUSES.find((one) => one === key)
    if (status !== undefined) void navigate({ to: '/runs', search: { flow: flow.id, status } })
  }
  const cards: readonly ActivityCard[] = [
    {
      title: isByDay ? t('Runs a day') : t('Runs an hour'),
      aside: inShort(runs.figures),
      none: t('No runs in this period'),
      chart: { ...runs.chart, onPick: showRuns },
    },
    {
      title: t('Duration of runs'),
      aside: slowest(runs.figures),
      unit: 'duration',
      none: t('No runs in this period'),
      chart: { ...runs.chart, data: durations },
    },
    {
      title: isByDay ? t('Webhook requests a day') : t('Webhook requests an hour'),
      none: t('No webhook requests in this period'),
      chart: webhooks.chart,
      isShown: Boolean(flow.webhook),
    },
    {
      title: isByDay ? t('Records a day') : t('Records an hour'),
      aside: readRecords(records.figures),
      none: t('No records were written in this period'),
      chart: records.chart,
      isShown: hasSome(records.figures),
    },
    {
      title: isByDay ? t('Merged records a day') : t('Merged records an hour'),
      none: t('No records were written in this period'),
      chart: { ...records.chart, data: merges },
      isShown: hasMerges(records.figures),
    },
    {
      title: isByDay ? t('Calls a day') : t('Calls an hour'),
      aside: limits(calls.figures),
      none: t('No calls in this period'),
      chart: calls.chart,
      isShown: hasSome(calls.figures),
    },
  ]
  return (
    <div className="grid min-w-0 grid-cols-2 gap-4 max-xl:grid-cols-1">
      {cards.map(({ title, aside, unit = 'count', none, chart, isShown = true }) =>
        isShown ? (
          <Card
            key={title}
            title={title}
            aside={aside && <span className="tabular text-sm text-muted">{aside}</span>}
          >
            <div className="px-4 py-3">
              <Chart {...chart} label={title} unit={unit} none={none} />
            </div>
          </Card>
        ) : null,
      )}
    </div>
  )
}

function useFigures(of: FiguresOf, flowId: string | null, range: Range) {
  const {
    data: figures,
    failure,
    reload,
  } = useResource(flowId === null ? null : figuresOf(of, flowId, range))
  const data = useMemo(() => figures && chartOfFigures(figures), [figures])
  return { figures, chart: { data, failure, onRetry: () => void reload() } }
}

function linesOf(figures: Figures): ChartData {
  const { at, step } = chartOfFigures(figures)
  const values = (key: 'p50_ms' | 'p95_ms') => figures.buckets.map((one) => one[key])
  return {
    at,
    step,
    lines: [
      { key: 'p50', label: t('Half took at most'), tone: 'main', values: values('p50_ms') },
      { key: 'p95', label: t('95% took at most'), tone: 'second', values: values('p95_ms') },
    ],
  }
}

function inShort(figures: Figures | null): string {
  if (figures === null) return ''
  const { success = 0, error = 0 } = figures.totals.counts
  const all = plural(countOf(figures.totals.counts), 'run')
  return success + error === 0
    ? all
    : `${all} · ${t('{{share}} worked', { share: formatPercent(success / (success + error)) })}`
}

function slowest(figures: Figures | null): string {
  const ms = figures?.totals.p95_ms ?? null
  return ms === null ? '' : t('95% took at most {{duration}}', { duration: formatDuration(ms) })
}

const hasSome = (figures: Figures | null) => figures !== null && countOf(figures.totals.counts) > 0

function hasMerges(figures: Figures | null): boolean {
  const { new: fresh = 0, changed = 0, unchanged = 0 } = figures?.totals.counts ?? {}
  return fresh + changed + unchanged > 0
}

/** How often an API said that there were too many calls. */
function limits(figures: Figures | null): string {
  const { limited = 0 } = figures?.totals.counts ?? {}
  return limited === 0
    ? t('Within the rate limits')
    : t('{{share}} over the rate limit', {
        share: formatPercent(limited / countOf(figures?.totals.counts ?? {})),
      })
}

function readRecords(figures: Figures | null): string {
  const { read = 0 } = figures?.totals.counts ?? {}
  return read === 0 ? '' : t('{{records}} read', { records: plural(read, 'record') })
}
