import type { ConnectorAuthUse } from '../../../shared/contract/connector-auths.ts'
import { cx } from '../../lib/cx.ts'
import { formatDate } from '../../lib/format.ts'
import { t, tn } from '../../lib/i18n.ts'
import { useUtcToday } from '../values/time.tsx'

const DAY_MS = 86_400_000
const SHOWN_DAYS = 30

/** The last 30 days, a dot for each: filled if the credentials worked, a bar if they were rejected. */
export function AuthDays({ use }: { readonly use: ConnectorAuthUse | undefined }) {
  const today = useUtcToday()
  const known = new Map((use?.days ?? []).map((day) => [day.date, day]))
  const days = Array.from({ length: SHOWN_DAYS }, (_, at) => {
    const time = today - (SHOWN_DAYS - 1 - at) * DAY_MS
    const { worked = 0, rejected = 0 } = known.get(new Date(time).toISOString().slice(0, 10)) ?? {}
    return { time, date: formatDate(time, today), worked, rejected }
  })
  return (
    <span
      role="img"
      aria-label={inWords(days)}
      className="inline-flex h-3 items-center align-middle gap-[3px]"
    >
      {days.map(({ time, date, worked, rejected }) => (
        <span
          key={time}
          title={ofDay(date, worked, rejected)}
          className={cx(
            'w-[5px] shrink-0',
            rejected > 0
              ? 'h-3 rounded-[1.5px] bg-error'
              : worked > 0
                ? 'h-[5px] rounded-full bg-success'
                : 'h-[5px] rounded-full bg-line',
          )}
        />
      ))}
    </span>
  )
}

interface Day {
  readonly date: string
  readonly worked: number
  readonly rejected: number
}

function ofDay(date: string, worked: number, rejected: number): string {
  if (worked + rejected === 0) return t('{{date}}: not used', { date })
  return t('{{date}}: {{worked}} worked, {{rejected}} rejected', { date, worked, rejected })
}

function inWords(days: readonly Day[]): string {
  const rejected = days.filter((day) => day.rejected > 0)
  const worked = days.filter((day) => day.worked > 0 && day.rejected === 0).length
  if (rejected.length + worked === 0) return t('Not used in the last 30 days')
  const works = tn(worked, 'Last 30 days: worked on {{count}} day', 'Last 30 days: worked on {{count}} days')
  if (rejected.length === 0) return works
  return t('{{works}}, rejected on {{dates}}', {
    works,
    dates: rejected.map(({ date }) => date).join(', '),
  })
}
