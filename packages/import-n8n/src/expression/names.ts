import type { Source } from '../source/values.ts'

/** The meaning of the names in an expression at its position. */
export interface Names {
  /** The input, `$json`. */
  readonly current: Source | null
  /** A previous node, `$('Name')`; null if it hasn't run here, or returned several items that can't be told apart. */
  node(name: string): Source | null
  /** The index of the item among all items, as a template expression; null if it is unknown. */
  readonly itemIndex: string | null
  readonly workflow: string
  /** The time zone of its dates. */
  readonly timezone: string
  /** Called for each variable that is read. */
  env(name: string): void
}
