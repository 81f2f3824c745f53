/** The location of an n8n node's data in a flow. */

export interface Source {
  /** A template expression for the item, or for the list of several items. */
  readonly whole: string
  /** The same expression as JavaScript for a code step. */
  readonly js: string
  readonly items: 'one' | 'many'
  /** Template expressions for its keys, if it isn't stored as an object. Null means that the key isn't stored. */
  readonly fields?: Readonly<Record<string, string | null>>
  /**
   * All items, if this is one of several, or null if the flow has no list of them here. If absent, it is the only item.
   */
  readonly all?: { readonly whole: string; readonly js: string } | null
  /** Steps of which one produced it. If none of them has run, it doesn't exist. If absent, it always exists. */
  readonly there?: readonly string[]
  /** Whether some branch that leads here doesn't produce it. */
  readonly mayMiss?: boolean
}

export const oneItem = (ref: string): Source => ({
  whole: ref,
  js: `input.${ref}`,
  items: 'one',
  there: [ref],
})
export const manyItems = (ref: string): Source => ({ ...oneItem(ref), items: 'many' })

/** Template and JavaScript expressions that check whether a value exists. */
export const isThere = (there: readonly string[]) => ({
  whole: there.map((ref) => `${ref} is defined`).join(' or '),
  js: there.map((ref) => `input.${ref} !== undefined`).join(' || '),
})

/** A template expression for the list of its items; empty if no step produced it. */
export function asList({ whole, items, there, mayMiss }: Source): string {
  const list = items === 'one' ? `[${whole}]` : whole
  return mayMiss === true && there !== undefined ? `(${list} if ${isThere(there).whole} else [])` : list
}

/** The same list as a JavaScript expression. */
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

/** The text as a string literal in a template expression. */
export function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  return `'${escaped}'`
}
