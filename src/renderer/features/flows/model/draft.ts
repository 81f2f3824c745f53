import type { Flow, FlowPatch, FlowSettings, WorkingCopy } from '../../../../shared/contract/flows.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { mapLists } from '../../../../shared/contract/base/step-lists.ts'
import { walkSteps } from './step-tree.ts'

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

/** Contains only the differences from the saved flow, so that a save never undoes another window's changes. */
export function toPatch(flow: Flow, draft: FlowDraft): FlowPatch {
  const saved = toDraft(flow)
  const changed = (Object.keys(saved) as (keyof FlowDraft)[]).filter((key) => !isSame(saved[key], draft[key]))
  return Object.fromEntries(changed.map((key) => [key, draft[key]]))
}

/**
 * Deep equality of two JSON values, regardless of key order: a form may write keys in another order than the server
 * sends. An undefined value counts as absent. Unchanged steps are the same objects, so that comparing a large flow
 * after each key press takes no time.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at]))
    )
  const [left, right] = [presentOf(a), presentOf(b)]
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && isSame(value, (b as Record<string, unknown>)[key]))
  )
}

function presentOf(value: object): readonly [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}

/** The names of steps that differ, ignoring the steps inside them, and of removed steps. */
export function changedSteps(before: readonly Step[], after: readonly Step[]): readonly string[] {
  const next = new Map(walkSteps(after).map(({ step }) => [step.ref_id, step]))
  return walkSteps(before).flatMap(({ step }) => {
    const now = next.get(step.ref_id)
    if (now === step) return []
    return now === undefined ||
      !isSame(mapLists<Step, Step>(step, noSteps), mapLists<Step, Step>(now, noSteps))
      ? [step.ref_id]
      : []
  })
}

const noSteps = () => []

/** The contract allows any JSON, because unfinished steps are stored too; these are always steps. */
export function copiedSteps({ steps }: WorkingCopy): readonly Step[] {
  const given = steps as unknown as readonly Step[]
  // If all steps are complete, they stay the same objects.
  return walkSteps(given).every(({ step }) => step.retry !== undefined && step.config !== undefined)
    ? given
    : given.map(withDefaults)
}

/** Other programs may leave out any key that is optional in the contract. */
function withDefaults(step: Step): Step {
  const whole = {
    title: '',
    description: '',
    disabled: false,
    on_error: 'stop',
    retry: null,
    config: {},
  } as const
  return mapLists<Step, Step>({ ...whole, ...step }, (list) => list.map(withDefaults))
}
