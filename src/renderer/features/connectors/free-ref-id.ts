/** A name for a new step that no other step has: `list_orders`, `list_orders_2`. */
export function freeRefId(wanted: string, steps: unknown): string {
  const taken = new Set<string>()
  collect(steps, taken)
  const base = /^[A-Za-z_][A-Za-z0-9_]*$/.test(wanted) ? wanted : 'step'
  if (!taken.has(base)) return base
  for (let number = 2; ; number += 1) if (!taken.has(`${base}_${number}`)) return `${base}_${number}`
}

/** Anything called `ref_id`, at any depth: too many names do no harm. */
function collect(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, one] of Object.entries(value)) {
    if (key === 'ref_id' && typeof one === 'string') into.add(one)
    else collect(one, into)
  }
}
