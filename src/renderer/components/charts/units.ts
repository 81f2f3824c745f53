/** The units in which values and positions are shown. */
import { formatBytes, formatCount, formatDuration, formatTimeSpan } from '../../lib/format.ts'
import type { Span } from './series.ts'

export const UNITS = {
  count: { format: formatCount, bases: [1] },
  duration: {
    format: (ms: number) => (ms === 0 ? '0' : formatDuration(ms)),
    bases: [1, 1_000, 60_000, 3_600_000],
  },
  bytes: { format: (bytes: number) => formatBytes(bytes), bases: [1, 1_024, 1_048_576, 1_073_741_824] },
} as const

export type Unit = keyof typeof UNITS

/** Times, or numbers with the noun they count: `Page`. */
export type Axis = 'time' | { readonly title: string }

/** The label of a part of the axis: `Sat 28 Nov, 14:00 – 15:00`, `Page 3`. */
export function wordsOfSpan(axis: Axis, { from, until }: Span, step: number): string {
  if (axis === 'time') return formatTimeSpan(from, until)
  const last = until - step
  return `${axis.title} ${formatCount(from)}${last <= from ? '' : `–${formatCount(last)}`}`
}
