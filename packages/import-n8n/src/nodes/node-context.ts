/** The input and result of converting one node. */
import { type Said } from '@millrace/jinja/said'
import type { Step } from '../source/steps.ts'
import type { Names } from '../expression/names.ts'
import type { Node } from '../source/workflow.ts'
import type { Source } from '../source/values.ts'
import type { Readers } from './parameters.ts'
import type { Scripts } from './scripts.ts'

export interface NodeContext extends Readers {
  readonly node: Node
  /** The name of the node's step. */
  readonly ref: string
  /** The input; null at the beginning of a flow. */
  readonly source: Source | null
  /** The data at each input, by its number. */
  readonly inputs: ReadonlyMap<number, Source>
  readonly names: Names
  /** Settings shared by all nodes of the workflow; the time zone is null if it has none. */
  readonly timezone: string | null
  /** Adds a note with something that the user has to do or know. */
  readonly note: (field: string | null, message: Said) => void
  readonly scripts: Scripts
  /** A name for another step that the node needs. */
  readonly newRef: (name: string) => string
}

export type Branch = readonly Step[]

/** The steps of a node, and the location of their result. */
export type Converted =
  | { readonly kind: 'steps'; readonly steps: readonly Step[]; readonly gives: Source | null }
  /** Takes one of several branches: `build` inserts the steps after each output. */
  | {
      readonly kind: 'branches'
      readonly outputs: number
      /** The outputs that are used. Defaults to all. */
      readonly used?: readonly number[]
      /** Whether it is possible that no output is taken. */
      readonly mayEnd?: boolean
      readonly gives: Source | null
      build(branch: (output: number) => Branch): readonly Step[]
    }
  /** Repeats the nodes after one of its outputs. */
  | {
      readonly kind: 'loop'
      readonly over: Source
      /** The number of items per iteration. */
      readonly size: number
      /** The output whose nodes are repeated; `done` is the one to continue with afterwards. */
      readonly each: number
      readonly done: number
    }

export interface NodeType {
  /** Whether n8n runs it once for each item (`each`), once for all (`all`), or passes them on unchanged (`pass`). */
  readonly runs: 'each' | 'all' | 'pass'
  readonly isTrigger?: boolean
  /** Whether it waits for all its inputs. */
  readonly isMerge?: boolean
  /** Whether it combines several items into one, and so doesn't run without items. */
  readonly gathers?: boolean
  /** @throws Untranslatable if no step does the same */
  convert(context: NodeContext): Converted
}

export const asStep = (step: Step, gives: Source | null): Converted => ({
  kind: 'steps',
  steps: [step],
  gives,
})
export const noStep = (gives: Source | null): Converted => ({ kind: 'steps', steps: [], gives })

/** A code step that returns the node's item or list of items. */
export function asCode({ ref, scripts }: NodeContext, body: string, gives: Source): Converted {
  return asStep({ ref_id: ref, type: 'code', config: { ...scripts.program(body) } }, gives)
}
