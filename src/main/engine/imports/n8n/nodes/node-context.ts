/** What the reading of one node works with, and what it gives. */
import type { StepInput } from '../../../../../shared/contract/steps.ts'
import type { Scripts } from './scripts.ts'
import type { Source } from '../source/values.ts'
import type { Names } from '../expression/names.ts'
import type { Node } from '../source/workflow.ts'

export interface NodeContext {
  readonly node: Node
  /** The name that the node's step gets. */
  readonly ref: string
  /** What comes in; null at the beginning of a flow. */
  readonly source: Source | null
  /** What comes in at each input, by its number. */
  readonly inputs: ReadonlyMap<number, Source>
  readonly names: Names
  /** Sources by node, for code that names them. */
  readonly known: ReadonlyMap<string, Source | null>
  /** What the workflow has for several of its nodes. */
  readonly timezone: string | null
  /** Something that is not as it was, for whoever looks at the flow. */
  readonly note: (field: string | null, message: string) => void
  /** A value whose texts are n8n's, with templates for its expressions. */
  readonly value: (field: string, value: unknown) => unknown
  /** A text as a template; empty where it is none. */
  readonly text: (field: string, value: unknown) => string
  /** A value as one template expression; null where it has none. */
  readonly expression: (field: string, value: unknown) => string | null
  /** Expressions that a code step before the node's own step calculates. */
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
      readonly over: string
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
  convert(context: NodeContext): Converted
}

export const asStep = (step: StepInput, gives: Source | null): Converted => ({
  kind: 'steps',
  steps: [step],
  gives,
})
export const noStep = (gives: Source | null): Converted => ({ kind: 'steps', steps: [], gives })
