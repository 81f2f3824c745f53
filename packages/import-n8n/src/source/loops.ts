/** The input and the results of loops. */
import type { Step } from './steps.ts'
import { asJsList, asList, manyItems, type Source } from './values.ts'
import type { Node } from './workflow.ts'

/** If no item returns to a loop, n8n doesn't reach the nodes after the loop. */
export function comesBack(ref: string, node: Node, source: Source): Step {
  const code = `// From n8n: where no item comes back the loop goes no further.\nif ((${asJsList(source)}).length === 0) throw new Error('no item came back to the loop')\nreturn null`
  return {
    ref_id: ref,
    type: 'code',
    title: `Back to ${node.name}`.slice(0, 200),
    on_error: 'break_loop',
    config: { source: code },
  }
}

/** The value that a loop collects from each iteration, and the way to read the values after the loop. */
export function collected(
  sources: readonly Source[],
  ref: string,
): { readonly collect: unknown; readonly gives: readonly Source[] } {
  const [only] = sources
  if (sources.length === 1 && only !== undefined && only.items === 'one' && only.mayMiss !== true)
    return { collect: `{{ ${only.whole} }}`, gives: [manyItems(ref)] }
  const keys = sources.map((_, at) => `way_${at + 1}`)
  return {
    collect: Object.fromEntries(sources.map((one, at) => [keys[at] ?? '', `{{ ${asList(one)} }}`])),
    gives: keys.map((key) => ({
      ...manyItems(ref),
      whole: `(${ref} | map(attribute='${key}') | sum(start=[]))`,
      js: `input.${ref}.flatMap((turn) => turn.${key})`,
    })),
  }
}

/** Results from inside a loop aren't available individually after it. */
export function afterLoop(
  inner: ReadonlyMap<string, Source | null>,
  outer: ReadonlyMap<string, Source | null>,
): Map<string, Source | null> {
  const known = new Map(outer)
  for (const node of inner.keys()) if (!outer.has(node)) known.set(node, null)
  return known
}

export interface HeldItem {
  readonly steps: readonly Step[]
  readonly known: ReadonlyMap<string, Source | null>
}

/** In a nested loop `item` has another meaning, so an expression that reads it is saved under a name first. */
export function holdItem(
  known: ReadonlyMap<string, Source | null>,
  newRef: (name: string) => string,
): HeldItem {
  const readers = [...known].filter(([, held]) => held !== null && /\bitem\b/.test(held.whole))
  if (readers.length === 0) return { steps: [], known }
  const ref = newRef('outer_item')
  const step: Step = {
    ref_id: ref,
    type: 'set',
    title: 'The outer item',
    config: { values: { json: '{{ item }}' } },
  }
  const kept = readers.map(([node, held]): [string, Source | null] => [
    node,
    held?.whole === 'item' && held.items === 'one'
      ? {
          whole: `${ref}.json`,
          js: `input.${ref}.json`,
          items: 'one',
          all: held.all === undefined ? null : held.all,
        }
      : null,
  ])
  return { steps: [step], known: new Map([...known, ...kept]) }
}
