/** Query parameters of the URL, parsed with care; invalid ones are ignored. */
import { type English, english } from './i18n.ts'

export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' && value.length <= 500 ? value : undefined
}

/** A time in ISO 8601, as the page writes it. */
export function moment(value: unknown): string | undefined {
  const at = typeof value === 'string' && value.length < 40 ? Date.parse(value) : NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

export function oneOf<const T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === value)
}

/** Parses all parameters; keys without a value are left out, so that URLs stay short. */
export function searchOf<T extends object>(read: (search: Record<string, unknown>) => T) {
  return (search: Record<string, unknown>): Partial<T> =>
    Object.fromEntries(Object.entries(read(search)).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** How far back a list goes. */
export const SINCE = ['hour', 'day', 'week'] as const
export type Since = (typeof SINCE)[number]

export const SINCE_LABELS: { readonly [S in Since]: English } = {
  hour: english('Last hour'),
  day: english('Last 24 hours'),
  week: english('Last 7 days'),
}

const HOURS: { readonly [S in Since]: number } = { hour: 1, day: 24, week: 168 }

/** The start of that period, in the format that filters use. */
export const startOf = (since: Since, now: number) => new Date(now - HOURS[since] * 3_600_000).toISOString()

/** The search for a text; while a word is being typed, it is a prefix. */
export function asTyped(text: string): string {
  return /[\p{L}\p{N}]{3}$/u.test(text) && text.split('"').length % 2 === 1 ? `${text}*` : text
}
