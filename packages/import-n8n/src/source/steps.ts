import type { Source } from './values.ts'
import type { Node } from './workflow.ts'

/** A step of a flow as it is stored. The code that saves it checks the config against its type. */
export interface Step {
  ref_id: string
  type: string
  title?: string
  description?: string
  disabled?: boolean
  on_error?: 'continue' | 'break_loop'
  retry?: { attempts: number; wait_seconds: number }
  config?: Record<string, unknown>
  steps?: Step[]
  then?: Step[]
  else?: Step[]
  cases?: { label: string; steps: Step[] }[]
  default?: Step[]
}

/** Adds a node's general settings to its step. */
export function dressed(step: Step, node: Node): Step {
  return {
    ...step,
    title: step.title ?? node.name.slice(0, 200),
    ...(node.notes === '' ? {} : { description: node.notes }),
    ...(node.disabled ? { disabled: true } : {}),
    ...(node.retry === null || step.type === 'condition' ? {} : { retry: node.retry }),
    ...(node.onError === 'stop' ? {} : { on_error: 'continue' as const }),
  }
}

/** The names of the steps and everything nested in them. */
export function refsIn(steps: readonly Step[]): Set<string> {
  const refs = new Set<string>()
  const open = [...steps]
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    refs.add(step.ref_id)
    open.push(
      ...(step.steps ?? []),
      ...(step.then ?? []),
      ...(step.else ?? []),
      ...(step.default ?? []),
      ...(step.cases ?? []).flatMap((one) => one.steps),
    )
  }
  return refs
}

/** For a step whose failure doesn't stop the flow. After a failure, its item is the error. */
export function gaveOrFailed(gives: Source, ref: string): Source {
  const isMany = gives.items === 'many'
  const whole = `{'error': ${ref}.error.message}`
  const js = `{ error: input.${ref}.error.message }`
  return {
    whole: `(${isMany ? `[${whole}]` : whole} if $.${ref}.error.code is defined and $.${ref}.error.message is defined else ${gives.whole})`,
    js: `(input.${ref}?.error?.code !== undefined && input.${ref}.error.message !== undefined ? ${isMany ? `[${js}]` : js} : ${gives.js})`,
    items: gives.items,
    ...(gives.there === undefined ? {} : { there: gives.there }),
    ...(gives.all === undefined ? {} : { all: gives.all }),
  }
}
