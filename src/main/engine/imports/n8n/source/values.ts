/** Where the data of an n8n node are to be found in a flow. */

export interface Source {
  /** A template expression that gives the item; of several items the list of them. */
  readonly whole: string
  /** The same as JavaScript of a code step. */
  readonly js: string
  readonly items: 'one' | 'many'
  /** Template expressions of its keys, where it is no dictionary that lies anywhere; null: the key is nowhere. */
  readonly fields?: Readonly<Record<string, string | null>>
  /**
   * Of one item of several: all of them, or null where the flow has no list of them at this place. Absent: it is the
   * only one.
   */
  readonly all?: { readonly whole: string; readonly js: string } | null
  /** Steps of which one gave it: where none of them has run, it is not there. Absent: it always is. */
  readonly there?: readonly string[]
  /** It stands behind ways of which not every one leads through it. */
  readonly mayMiss?: boolean
}

export const oneItem = (ref: string): Source => ({
  whole: ref,
  js: `input.${ref}`,
  items: 'one',
  there: [ref],
})
export const manyItems = (ref: string): Source => ({ ...oneItem(ref), items: 'many' })

/** Template expressions, and JavaScript, of whether it is there. */
export const isThere = (there: readonly string[]) => ({
  whole: there.map((ref) => `${ref} is defined`).join(' or '),
  js: there.map((ref) => `input.${ref} !== undefined`).join(' || '),
})

/** A template expression of the list of its items; empty where no step gave it. */
export function asList({ whole, items, there, mayMiss }: Source): string {
  const list = items === 'one' ? `[${whole}]` : whole
  return mayMiss === true && there !== undefined ? `(${list} if ${isThere(there).whole} else [])` : list
}

/** The same as JavaScript. */
export function asJsList({ js, items, there, mayMiss }: Source): string {
  const list = items === 'one' ? `[${js}]` : js
  return mayMiss === true && there !== undefined ? `(${isThere(there).js} ? ${list} : [])` : list
}

/** The first item of a list. */
export const firstOf = (source: Source): Source => ({
  ...source,
  whole: `(${asList(source)} | first)`,
  js: `${asJsList(source)}[0]`,
  items: 'one',
})

/** As a text in a template expression. */
export function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  return `'${escaped}'`
}
