/** What the reading of one node works with, and what it gives. */
import type { StepInput } from '../../../../../shared/contract/steps.ts'
import type { Names } from '../expression/names.ts'
import type { Node } from '../source/workflow.ts'
import type { Source } from '../source/values.ts'
import type { Readers } from './parameters.ts'
import type { Scripts } from './scripts.ts'

export interface NodeContext extends Readers {
  readonly node: Node
  /** The name that the node's step gets. */
  readonly ref: string
  /** What comes in; null at the beginning of a flow. */
  readonly source: Source | null
  /** What comes in at each input, by its number. */
  readonly inputs: ReadonlyMap<number, Source>
  readonly names: Names
  /** What the workflow has for several of its nodes; null where it names none. */
  readonly timezone: string | null
  /** Something to do or to know for whoever looks at the flow. */
  readonly note: (field: string | null, message: string) => void
  /** The node's JavaScript. */
  readonly scripts: Scripts
  /** A name for one more step that the node needs. */
  readonly newRef: (name: string) => string
}

export type Branch = readonly StepInput[]

/** Steps of a node, and where what it gives is to be found. */
export type Converted =
  | { readonly kind: 'steps'; readonly steps: readonly StepInput[]; readonly gives: Source | null }
  /** Goes one of several ways: `build` puts the steps behind each output in their place. */
  | {
      readonly kind: 'branches'
      /** How many outputs it has. */
      readonly outputs: number
      /** Those that are used; absent: all. */
      readonly used?: readonly number[]
      /** Whether it may be that none of them is taken. */
      readonly mayEnd?: boolean
      readonly gives: Source | null
      build(branch: (output: number) => Branch): readonly StepInput[]
    }
  /** Repeats what is behind one of its outputs. */
  | {
      readonly kind: 'loop'
      readonly over: Source
      /** How many items are taken at a time. */
      readonly size: number
      /** The output behind which stands what is repeated, and that of what comes after. */
      readonly each: number
      readonly done: number
    }

export interface NodeType {
  /**
   * Whether n8n runs it once for each item (`each`), once for all (`all`), or lets them pass as they are (`pass`).
   */
  readonly runs: 'each' | 'all' | 'pass'
  readonly isTrigger?: boolean
  /** Waits for all its inputs. */
  readonly isMerge?: boolean
  /** Of several items makes one: where there is none it does not run. */
  readonly gathers?: boolean
  /** @throws Untranslatable where no step means the same */
  convert(context: NodeContext): Converted
}

export const asStep = (step: StepInput, gives: Source | null): Converted => ({
  kind: 'steps',
  steps: [step],
  gives,
})
export const noStep = (gives: Source | null): Converted => ({ kind: 'steps', steps: [], gives })

/** A code step that returns the node's item, or the list of them. */
export function asCode({ ref, scripts }: NodeContext, body: string, gives: Source): Converted {
  return asStep({ ref_id: ref, type: 'code', config: { source: scripts.program(body) } }, gives)
}
