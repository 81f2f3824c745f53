/** What comes to a node, over which ways, and what of several ways stands there. */
import { asJsList, asList, isThere, type Source } from './values.ts'

/** Something that comes to a node, at one of its inputs. */
export interface Arrival {
  readonly node: string
  readonly input: number
  readonly source: Source | null
}

export function combined(arrivals: readonly Arrival[]): Source | null {
  return combinedSources(arrivals.map(({ source }) => source))
}

/** Whichever of them is there: of several ways one was taken. Each must be given by a step of its own way. */
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

/** By the node they come to, and its input. */
export function grouped(arrivals: readonly Arrival[]): Arrival[][] {
  const groups = new Map<string, Arrival[]>()
  for (const one of arrivals) {
    const key = `${one.input} ${one.node}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}
