import type { Source } from '../source/values.ts'

/** What the names in an expression stand for at its place. */
export interface Names {
  /** `$json`: what comes in. */
  readonly current: Source | null
  /** `$('Name')`: a node before; null where it has not run here, or gives several items that are not told apart. */
  node(name: string): Source | null
  /** The place of the item among all, as a template expression; null where nobody knows. */
  readonly itemIndex: string | null
  readonly workflow: string
  /** In which its times are told. */
  readonly timezone: string
  /** An env variable that is read. */
  env(name: string): void
}
