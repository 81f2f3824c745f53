import { EXIT, HostError } from '../../host/machine/exit-codes.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads `2026-03-01T12:00:00Z`, or a time ago such as `15m`, `2h` or `3d`.
 *
 * @throws HostError naming the option
 */
export function readMoment(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS[unit] ?? 0)
  if (!Number.isNaN(at)) return at
  throw new HostError(
    EXIT.usage,
    `${option} is "${text}", but must be a time like 2026-03-01T12:00:00Z, or 15m, 2h, 3d`,
  )
}
