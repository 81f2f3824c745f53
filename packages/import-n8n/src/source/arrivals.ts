/** Combines the data that arrives at a node from several branches. */
import { asJsList, asList, isThere, type Source } from './values.ts'

/** Data arriving at one of a node's inputs. */
export interface Arrival {
  readonly node: string
  readonly input: number
  readonly source: Source | null
}

export function combined(arrivals: readonly Arrival[]): Source | null {
  return combinedSources(arrivals.map(({ source }) => source))
}

/**
 * Combines the results of branches of which one was taken into whichever of them exists. Each must come from
 * a step of its own branch.
 */
export function combinedSources(sources: readonly (Source | null)[]): Source | null {
  const present = sources.filter((one) => one !== null)
  const different = present.filter(
    (one, at) => present.findIndex((other) => other.whole === one.whole) === at,
  )
  const [first, ...others] = different
  if (first === undefined || others.length === 0) return first ?? null
  const items = different.some((one) => one.items === 'many') ? 'many' : 'one'
  const plain = (one: Source): Source => ({ ...one, mayMiss: false })
  const whole = (one: Source) => (items === 'many' ? asList(plain(one)) : one.whole)
  const js = (one: Source) => (items === 'many' ? asJsList(plain(one)) : one.js)
  const rest = different.slice(0, -1)
  const last = different.at(-1) as Source
  return {
    whole: `(${rest.reduceRight((otherwise, one) => `${whole(one)} if ${isThere(one.there ?? []).whole} else ${otherwise}`, whole(last))})`,
    js: `(${rest.reduceRight((otherwise, one) => `${isThere(one.there ?? []).js} ? ${js(one)} : ${otherwise}`, js(last))})`,
    items,
    there: different.flatMap((one) => one.there ?? []),
    ...(different.some((one) => one.all !== undefined) ? { all: null } : {}),
    ...(different.some((one) => one.mayMiss) ? { mayMiss: true } : {}),
  }
}

/** Groups arrivals by node and input. */
export function grouped(arrivals: readonly Arrival[]): Arrival[][] {
  const groups = new Map<string, Arrival[]>()
  for (const one of arrivals) {
    const key = `${one.input} ${one.node}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}
