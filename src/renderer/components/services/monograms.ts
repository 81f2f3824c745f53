import type { Connector } from '../../../shared/contract/connectors.ts'

export interface Monogram {
  readonly letters: string
  /** The hue of its color, in degrees. */
  readonly hue: number
}

export type Named = Pick<Connector, 'id' | 'name' | 'built_in' | 'created_at'>

/**
 * Two letters and a color for each service, no two alike. Older ones choose first, so that a new one changes none of
 * them.
 */
export function monogramsOf(services: readonly Named[]): ReadonlyMap<string, Monogram> {
  const known = made.get(services)
  if (known !== undefined) return known
  const taken = new Set<string>()
  const monograms = new Map<string, Monogram>()
  for (const { id, name } of services.toSorted(byAge)) {
    const free = candidatesOf(name).find((one) => !taken.has(keyOf(one)))
    const monogram = free ?? { letters: String(monograms.size + 1), hue: 0 }
    taken.add(keyOf(monogram))
    monograms.set(id, monogram)
  }
  made.set(services, monograms)
  return monograms
}

const made = new WeakMap<readonly Named[], ReadonlyMap<string, Monogram>>()

const keyOf = ({ letters, hue }: Monogram) => `${letters} ${hue}`

function byAge(a: Named, b: Named): number {
  if (a.built_in !== b.built_in) return a.built_in ? -1 : 1
  return a.created_at.localeCompare(b.created_at) || a.name.localeCompare(b.name) || a.id.localeCompare(b.id)
}

/**
 * The initials of its words, then its first letter with each of the others; all of these in one color after another.
 */
function candidatesOf(name: string): Monogram[] {
  const words = name.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? ['?']
  const [first = '?', ...rest] = [...words.join('')]
  const initials = words.slice(1).map((word) => first + ([...word][0] ?? ''))
  const pairs = [...new Set([...initials, ...rest.map((letter) => first + letter), first])]
  const start = [...name].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7) % HUES.length
  return HUES.flatMap((_, turn) =>
    pairs.map((letters) => ({ letters, hue: HUES[(Math.abs(start) + turn) % HUES.length] ?? 0 })),
  )
}

const HUES = [20, 55, 85, 140, 175, 205, 240, 270, 300, 335] as const
