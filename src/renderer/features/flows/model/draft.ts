import type { Flow, FlowPatch, FlowSettings } from '../../../../shared/contract/flows.ts'
import type { Step } from '../../../../shared/contract/steps.ts'

/** The editor's state of a flow: everything that a person changes, saved or not. */
export interface FlowDraft {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly steps: readonly Step[]
  readonly settings: FlowSettings
}

export function toDraft({ name, description, tags, steps, settings }: Flow): FlowDraft {
  return { name, description, tags, steps, settings }
}

/** Only the differences to the saved flow, so that a save never undoes another window's changes. */
export function toPatch(flow: Flow, draft: FlowDraft): FlowPatch {
  const saved = toDraft(flow)
  const changed = (Object.keys(saved) as (keyof FlowDraft)[]).filter((key) => !isSame(saved[key], draft[key]))
  return Object.fromEntries(changed.map((key) => [key, draft[key]]))
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || stable(a) === stable(b)
}

/** Keys in a fixed order without absent ones: a form may write them in another order than the program sends. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return `${item}n`
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
    return Object.fromEntries(Object.entries(item).sort(([x], [y]) => (x < y ? -1 : 1)))
  })
}
