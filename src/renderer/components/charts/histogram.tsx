import { type ReactNode, useMemo, useState } from 'react'
import { type Figures, readFiguresRoute } from '../../../shared/contract/figures/figures.ts'
import { endsRun } from '../../api/lists.ts'
import { type Resource, resource, useResource } from '../../api/resource.ts'
import { formatExact, formatTimeSpan } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { X } from '../../lib/icons.tsx'
import { type Since, startOf } from '../../lib/search.ts'
import { Button } from '../controls/button.tsx'
import { Chart } from './chart.tsx'
import { chartOfFigures } from './figures-data.ts'

/** The period that a list shows. */
export interface TimeFilter {
  /** Maximum age. */
  readonly since?: Since | undefined
  readonly from?: string | undefined
  /** Exclusive. */
  readonly until?: string | undefined
}

interface HistogramQuery extends TimeFilter {
  readonly of: Figures['of']
  readonly flow: string | undefined
  /** The filter of the list, without its flow and time. */
  readonly filter: readonly string[]
  readonly text: string | undefined
}

/** The records of a list by time and status. */
export function histogramOf({
  of,
  flow,
  filter,
  text,
  since,
  from,
  until,
}: HistogramQuery): Resource<Figures> {
  const isCounted = filter.length === 0 && text === undefined
  return resource(readFiguresRoute, {
    nouns: ['flow_run', 'webhook_request'],
    concerns: (event) => event.noun === 'webhook_request' || event.type === 'deleted' || endsRun(event),
    query: (now) => ({
      of,
      ...(flow === undefined ? {} : isCounted ? { flow_id: flow } : {}),
      ...(isCounted ? {} : { filter: flow === undefined ? filter : [...filter, `flow_id,eq,${flow}`] }),
      ...(text === undefined ? {} : { text }),
      from: from ?? startOf(since ?? 'week', now),
      ...(until === undefined ? {} : { until }),
    }),
  })
}

interface HistogramProps {
  readonly label: string
  readonly figures: Resource<Figures>
  readonly none: string
  readonly picked: string | undefined
  readonly onPick: (key: string) => void
  readonly onTime: (time: TimeFilter) => void
}

const HEIGHT_PX = 72

/** A chart above a list. Dragging over it filters by time, clicking a status filters by it. */
export function Histogram({ label, figures, none, picked, onPick, onTime }: HistogramProps) {
  const { data, failure, reload } = useResource(figures)
  // The previous figures stay until those of the new filter are loaded.
  const [shown, setShown] = useState(data)
  if (data !== null && data !== shown) setShown(data)
  const drawn = useMemo(() => (shown === null ? null : chartOfFigures(shown)), [shown])
  const missing = shown?.counted_from ?? null
  return (
    <div className="shrink-0 border-b border-line bg-surface px-4 py-2">
      <Chart
        compact
        label={label}
        data={failure !== null && data === null ? null : drawn}
        failure={failure}
        onRetry={() => void reload()}
        unit="count"
        height={HEIGHT_PX}
        none={none}
        picked={picked}
        onPick={onPick}
        onSpan={({ from, until }) =>
          onTime({
            since: undefined,
            from: new Date(from).toISOString(),
            until: new Date(until).toISOString(),
          })
        }
      />
      {missing === null ? null : (
        <p className="text-sm text-muted">
          {t('Only entries since {{time}} are counted', { time: formatExact(Date.parse(missing)) })}
        </p>
      )}
    </div>
  )
}

/** The period that was chosen in a chart, with a button that clears it. */
export function TimeChip({
  time: { from, until },
  onClear,
}: {
  readonly time: TimeFilter
  readonly onClear: () => void
}): ReactNode {
  if (from === undefined || until === undefined) return null
  return (
    <Button
      icon={X}
      aria-description={t('Clear the time range')}
      className="max-w-72 bg-selected"
      onClick={onClear}
    >
      <span className="truncate">{formatTimeSpan(Date.parse(from), Date.parse(until))}</span>
    </Button>
  )
}
