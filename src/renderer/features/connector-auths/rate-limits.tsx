import { useMemo } from 'react'
import { listRateLimitsRoute, type RateLimit } from '../../../shared/contract/connector-auths.ts'
import { resource, useResource } from '../../api/resource.ts'
import { Chart } from '../../components/charts/chart.tsx'
import type { ChartData } from '../../components/charts/series.ts'
import { Card } from '../../components/screen/page.tsx'
import { useNow } from '../../components/values/time.tsx'
import { formatCount, formatTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

const MINUTE_MS = 60_000
const MINUTES = 60
const HEIGHT_PX = 120

const limitsOf = (id: string) =>
  resource(listRateLimitsRoute, {
    nouns: ['connector_auth'],
    concerns: (event) => event.id === id,
    params: { id },
  })

/** How close the calls of the last hour came to the APIs' rate limits; nothing if there were no calls. */
export function RateLimits({ authId }: { readonly authId: string }) {
  const { data: limits } = useResource(limitsOf(authId))
  return limits
    ?.filter(({ minutes }) => minutes.length > 0)
    .map((limit) => <RateLimitCard key={limit.origin} limit={limit} />)
}

function RateLimitCard({ limit }: { readonly limit: RateLimit }) {
  const thisMinute = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS
  const { calls, left } = useMemo(() => chartsOf(limit, thisMinute), [limit, thisMinute])
  const none = t('No calls in the last hour')
  return (
    <Card
      title={t('Calls to {{origin}} in the last hour', { origin: limit.origin })}
      aside={<CallsLeft limit={limit} />}
    >
      <div className="flex flex-wrap gap-4 px-4 py-3">
        <div className="min-w-[min(16rem,100%)] flex-1">
          <Chart data={calls} label={t('Calls a minute')} unit="count" height={HEIGHT_PX} none={none} />
        </div>
        {left === null ? null : (
          <div className="min-w-[min(16rem,100%)] flex-1">
            <Chart
              data={left}
              label={t('Calls left')}
              unit="count"
              height={HEIGHT_PX}
              none={t('No calls left in the last hour')}
            />
          </div>
        )}
      </div>
    </Card>
  )
}

interface CallsLeftProps {
  readonly limit: RateLimit
}

function CallsLeft({ limit: { limit, remaining, resets_at: reset, waits_until: wait } }: CallsLeftProps) {
  const timeOf = (at: string) => formatTime(Date.parse(at))
  const next =
    wait !== null
      ? t('calls wait until {{time}}', { time: timeOf(wait) })
      : reset !== null
        ? t('resets at {{time}}', { time: timeOf(reset) })
        : null
  return (
    <span className="tabular text-sm text-muted">
      {[leftOf(limit, remaining), next].filter((one) => one !== null).join(' · ')}
    </span>
  )
}

function leftOf(limit: number | null, remaining: number | null): string {
  if (remaining === null)
    return limit === null
      ? t('The API names no limit')
      : t('Limit: {{limit}} calls', { limit: formatCount(limit) })
  const left = { remaining: formatCount(remaining), limit: formatCount(limit ?? remaining) }
  return limit === null
    ? t('{{remaining}} calls left', left)
    : t('{{remaining}} of {{limit}} calls left', left)
}

/** Two charts, because one scale for both would hide the calls below a large limit. */
function chartsOf({ minutes }: RateLimit, thisMinute: number) {
  const at = Array.from({ length: MINUTES }, (_, index) => thisMinute - (MINUTES - 1 - index) * MINUTE_MS)
  const known = new Map(minutes.map((minute) => [Date.parse(minute.at), minute]))
  const step = MINUTE_MS
  const calls: ChartData = {
    at,
    step,
    bars: [
      {
        key: 'calls',
        label: t('Calls a minute'),
        tone: 'main',
        values: at.map((time) => known.get(time)?.calls ?? 0),
      },
    ],
  }
  const left = at.map((time) => known.get(time)?.remaining ?? null)
  if (left.every((one) => one === null)) return { calls, left: null }
  const line = { key: 'left', label: t('Calls left'), tone: 'second', values: left } as const
  return { calls, left: { at, step, lines: [line] } satisfies ChartData }
}
