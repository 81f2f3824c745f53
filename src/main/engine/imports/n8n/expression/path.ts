/** What stands behind the first name of an expression: members, indices and calls. */
import type { Expression } from './javascript.ts'
import type { Names } from './names.ts'
import type { Written } from './written.ts'

/** One step of `$('Name').item.json.total.toFixed(2)`. */
export type Link =
  | { readonly key: string; readonly optional: boolean }
  | { readonly at: Expression; readonly optional: boolean }
  | { readonly args: readonly Expression[] }

/** How far a beginning has been read, and what follows it. */
export interface Start {
  readonly value: Written
  readonly rest: readonly Link[]
}

/** What the reading of a path needs beside it. */
export interface PathScope {
  readonly names: Names
  readonly write: (expression: Expression) => Written
}

export const keyOf = (link: Link | undefined): string | null => (link && 'key' in link ? link.key : null)
export const argsOf = (link: Link | undefined): readonly Expression[] | null =>
  link && 'args' in link ? link.args : null
