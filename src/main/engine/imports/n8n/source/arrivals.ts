/** What comes to a node, over which ways, and what of several ways stands there. */
import type { Source } from './values.ts'

/** Something that comes to a node, at one of its inputs. */
export interface Arrival {
  readonly node: string
  readonly input: number
  readonly source: Source | null
}

export function combined(arrivals: readonly Arrival[]): Source | null {
  return arrivals.length === 1
    ? (arrivals[0]?.source ?? null)
    : combinedSources(arrivals.map(({ source }) => source))
}

/** Whichever of them is there: of several ways one was taken. */
export function combinedSources(sources: readonly (Source | null)[]): Source | null {
  const there = sources.filter((one) => one !== null)
  const different = there.filter((one, at) => there.findIndex((other) => other.whole === one.whole) === at)
  const [first, ...others] = different
  if (first === undefined || others.length === 0) return first ?? null
  const items = different.some((one) => one.items === 'many') ? 'many' : first.items
  // What is only a name is missing where its way was not taken; a calculated one would fail there.
  const [simple, rest] = [different.filter(isPath), different.filter((one) => !isPath(one))]
  const ordered = [...simple, ...rest.slice(0, 1)]
  const whole = ordered
    .map((one) => one.whole)
    .reduceRight((otherwise, one) => `(${guarded(one)} | default(${otherwise}))`)
  return { whole, items }
}

const isPath = ({ whole }: Source) => /^[A-Za-z_][\w.]*$/.test(whole)

/** `a.body` fails where there is no `a`. */
function guarded(path: string): string {
  const [name, ...rest] = path.split('.')
  return rest.length === 0 ? path : `(${name} | default({})).${rest.join('.')}`
}

/** Ways that meet: at a node with one input one of them came, at others each stays at its input. */
export function joined(arrivals: readonly Arrival[]): Arrival[] {
  const [first] = arrivals
  if (first === undefined) return []
  return [
    { node: first.node, input: first.input, source: combinedSources(arrivals.map(({ source }) => source)) },
  ]
}
