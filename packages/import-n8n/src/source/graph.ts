/** Analyzes a workflow's graph: where each branch leads, and where branches join. */
import type { Target, Workflow } from './workflow.ts'

export interface Graph {
  /** Targets of each output, without edges that lead back. */
  outputsOf(node: string): readonly (readonly Target[])[]
  /** Edges that lead back to nodes that aren't loops. */
  readonly back: readonly { readonly from: string; readonly to: string }[]
  /** Everything after a node, including the node itself. */
  reach(node: string): ReadonlySet<string>
  /** Nodes whose outputs lead to a node. */
  before(node: string): ReadonlySet<string>
  /** The first node to which all of these branches lead, whatever happens in between; null if there is none. */
  joinOf(ways: readonly (readonly Target[])[]): string | null
  /** The position of a node. Later nodes have higher numbers. */
  order(node: string): number
}

const LOOP = 'n8n-nodes-base.splitInBatches'

/** The end of a branch that returns to a loop. */
export const returnTo = (loop: string): string => `${loop}\u0000`

export function readGraph({ outputs, nodes }: Workflow, start: string): Graph {
  const back: { from: string; to: string }[] = []
  const forward = new Map<string, (readonly Target[])[]>()
  const before = new Map<string, Set<string>>()
  const finished: string[] = []
  walk(start)

  /** Avoids recursion, because a chain can be long. */
  function walk(first: string): void {
    const open = new Set<string>()
    const seen = new Set<string>()
    const stack: { node: string; leaving: boolean }[] = [{ node: first, leaving: false }]
    while (stack.length > 0) {
      const { node, leaving } = stack.pop() as { node: string; leaving: boolean }
      if (leaving) {
        open.delete(node)
        finished.push(node)
        continue
      }
      if (seen.has(node)) continue
      seen.add(node)
      open.add(node)
      stack.push({ node, leaving: true })
      const ways = (outputs.get(node) ?? []).map((targets) =>
        targets.flatMap((target) => {
          if (!open.has(target.node)) return [target]
          if (nodes.get(target.node)?.type === LOOP) return [{ node: returnTo(target.node), input: 0 }]
          back.push({ from: node, to: target.node })
          return []
        }),
      )
      forward.set(node, ways)
      for (const { node: target } of ways.flat()) {
        const known = before.get(target) ?? new Set()
        before.set(target, known.add(node))
      }
      for (const { node: target } of ways.flat().toReversed()) stack.push({ node: target, leaving: false })
    }
  }

  const order = new Map(finished.toReversed().map((node, index) => [node, index]))
  const reached = new Map<string, ReadonlySet<string>>()
  // Begins with the last nodes, because a node reaches whatever its targets reach.
  for (const node of finished) {
    const set = new Set([node])
    for (const { node: target } of (forward.get(node) ?? []).flat())
      for (const each of reached.get(target) ?? [target]) set.add(each)
    reached.set(node, set)
  }
  const certain = new Map<string, ReadonlySet<string>>()
  for (const node of finished) certain.set(node, new Set([node, ...certainBehind(forward.get(node) ?? [])]))

  /** Nodes that a run passes whichever output is taken. It passes all targets of the output that it takes. */
  function certainBehind(ways: readonly (readonly Target[])[]): Set<string> {
    const sets = ways.map(
      (targets) => new Set(targets.flatMap(({ node: target }) => [...(certain.get(target) ?? [])])),
    )
    const [first = new Set<string>(), ...others] = sets
    return new Set([...first].filter((node) => others.every((set) => set.has(node))))
  }

  return {
    outputsOf: (node) => forward.get(node) ?? [],
    back,
    reach: (node) => reached.get(node) ?? new Set([node]),
    before: (node) => before.get(node) ?? new Set(),
    joinOf(ways) {
      if (ways.length < 2) return null
      const joins = [...certainBehind(ways)]
      return joins.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))[0] ?? null
    },
    order: (node) => order.get(node) ?? 0,
  }
}
