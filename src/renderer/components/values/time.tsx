import { useSyncExternalStore } from 'react'
import { formatDate, formatDuration, formatExact, formatRelative, formatTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

/** `4 min ago`, kept up to date; the exact time is its title. */
export function Time({ at }: { readonly at: string }) {
  const now = useNow()
  const instant = Date.parse(at)
  return (
    <time dateTime={at} title={formatExact(instant)} className="whitespace-nowrap">
      {formatRelative(instant, now)}
    </time>
  )
}

/** `14:03:09` for today, preceded by the date for earlier days. For lists in which each second counts. */
export function Clock({ at }: { readonly at: string }) {
  const now = useNow()
  const instant = Date.parse(at)
  const isToday = new Date(instant).toDateString() === new Date(now).toDateString()
  return (
    <time dateTime={at} title={formatExact(instant)} className="whitespace-nowrap">
      {isToday ? formatTime(instant) : formatDate(instant, now)}
    </time>
  )
}

/** How long it took, or has taken so far. */
export function Duration({ ms, since }: { readonly ms: number | null; readonly since?: string | null }) {
  if (ms !== null) return <span className="tabular">{formatDuration(ms)}</span>
  if (since === undefined || since === null) return <span className="text-faint">—</span>
  return <Elapsed since={since} />
}

function Elapsed({ since }: { readonly since: string }) {
  const now = useNow()
  return <span className="tabular text-muted">{formatDuration(Math.max(0, now - Date.parse(since)))}…</span>
}

/** The seconds until then. */
export function TimeLeft({ until }: { readonly until: string }) {
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - useNow()) / 1_000))
  return (
    <span role="timer" className="tabular text-muted">
      {t('{{seconds}} s left', { seconds })}
    </span>
  )
}

/** The time of day in ms, shared by all readers, updated once a second while there are any. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** The midnight at which the day began, in ms. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, () => new Date(now).setHours(0, 0, 0, 0))
}

/** The start of the day in UTC, in ms. */
export function useUtcToday(): number {
  return useSyncExternalStore(subscribe, () => now - (now % 86_400_000))
}

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, 1_000)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}
