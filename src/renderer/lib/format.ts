/** Formats numbers, times and sizes: always with a unit, with tabular figures, in the language of the page. */
import { LOCAL_USER_NAME } from '../../shared/contract/users.ts'
import type { WEEKDAYS } from '../../shared/contract/step-types/triggers/schedule.ts'
import { locale, t, tn } from './i18n.ts'

/** `3 ms`, `1.24 s`, `2 min 5 s`, `1 h 4 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return '< 1 ms'
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${formatDecimal(ms / 1000, ms < 9_995 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3_600) return joinUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1_440) return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(minutes / 60)
  return joinUnits(Math.floor(hours / 24), t('d'), hours % 24, 'h')
}

/** `412 B`, `3.1 kB`, `5 MB`; a kilobyte is 1,024 bytes. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  const [size, unit] = inUnit(bytes)
  return `${formatDecimal(size, size < 10 ? 1 : 0)} ${unit}`
}

function inUnit(bytes: number): [size: number, unit: string] {
  if (bytes < 1_048_576) return [bytes / 1_024, 'kB']
  return bytes < 1_073_741_824 ? [bytes / 1_048_576, 'MB'] : [bytes / 1_073_741_824, 'GB']
}

/** `1,204` */
export function formatCount(count: number): string {
  return count.toLocaleString(locale())
}

/** `99.2 %` of a share from 0 to 1. */
export function formatPercent(share: number, digits = 1): string {
  return share.toLocaleString(locale(), { style: 'percent', maximumFractionDigits: digits })
}

/** `1 step`, `2 steps`; the catalogue has it as `{{count}} steps`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  const [single, other] = [`{{count}} ${one}`, `{{count}} ${many}`]
  return tn(count, single, other)
}

/** `just now`, `4 min ago`, `in 3 days`; a date beyond a week. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (distance < 10_000) return t('just now')
  if (distance >= 7 * DAY_MS) return formatDate(at, now)
  const days = Math.round(distance / DAY_MS)
  if (distance >= DAY_MS && at <= now) return tn(days, '{{count}} day ago', '{{count}} days ago')
  if (distance >= DAY_MS) return tn(days, 'in {{count}} day', 'in {{count}} days')
  const time = relativeUnits(distance)
  return at <= now ? t('{{time}} ago', { time }) : t('in {{time}}', { time })
}

/** `21 Nov`, `21 Nov 2027` in another year. */
export function formatDate(at: number, now: number): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return new Date(at).toLocaleDateString(locale(), {
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  })
}

/** `Today`, `Yesterday`, `Friday, 21 November`, with the year if it is another. */
export function formatDay(at: number, now: number): string {
  const date = new Date(at)
  const today = new Date(now)
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  if (date.toDateString() === today.toDateString()) return t('Today')
  if (date.toDateString() === yesterday.toDateString()) return t('Yesterday')
  return date.toLocaleDateString(locale(), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(date.getFullYear() === today.getFullYear() ? {} : { year: 'numeric' }),
  })
}

/** `21 November 2027, 14:03:09`, complete and in the system time zone. */
export function formatExact(at: number, timeZone?: string): string {
  return new Date(at).toLocaleString(locale(), { dateStyle: 'long', timeStyle: 'medium', timeZone })
}

/** `Sat, 28 Nov, 14:00 – 15:00`, `Sat, 28 Nov` for whole days. */
export function formatTimeSpan(from: number, until: number): string {
  const isDays = isMidnight(from) && isMidnight(until)
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const
  const parts = isDays ? day : ({ ...day, hour: '2-digit', minute: '2-digit' } as const)
  return new Intl.DateTimeFormat(locale(), parts).formatRange(from, isDays ? until - 1 : until)
}

function isMidnight(at: number): boolean {
  const date = new Date(at)
  return date.getHours() + date.getMinutes() === 0
}

/** `14:00`, `28 Nov` for a midnight. */
export function formatAxisTime(at: number): string {
  const date = new Date(at)
  return isMidnight(at)
    ? date.toLocaleDateString(locale(), { day: 'numeric', month: 'short' })
    : date.toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit' })
}

/** `14:03:09.120` */
export function formatClock(at: number): string {
  return `${formatTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`
}

/** `14:03:09` */
export function formatTime(at: number): string {
  return new Date(at).toLocaleTimeString(locale())
}

/** `Mon`, `Monday`, for the `monday` of a schedule. */
export function formatWeekday(day: Weekday, length: 'short' | 'long'): string {
  const date = new Date(Date.UTC(2024, 0, DAYS[day]))
  return date.toLocaleDateString(locale(), { weekday: length, timeZone: 'UTC' })
}

type Weekday = (typeof WEEKDAYS)[number]

/** January 2024 began on a Monday. */
const DAYS: { readonly [D in Weekday]: number } = {
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
  sunday: 7,
}

const DAY_MS = 86_400_000

function relativeUnits(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  return `${Math.round(ms / 3_600_000)} h`
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

function formatDecimal(value: number, digits: number): string {
  return value.toLocaleString(locale(), { maximumFractionDigits: digits, useGrouping: false })
}

/** The user of this computer has a name chosen by Millrace until they choose one themselves. */
export function userName({ name }: { readonly name: string }): string {
  return name === LOCAL_USER_NAME ? t('Local user') : name
}
