/** Where the data of an n8n node are to be found in a flow. */

export interface Source {
  /** A template expression that gives all of it; of several items the list of them. */
  readonly whole: string
  /**
   * How many items n8n would have there: `maybe` where it is known only when the flow runs, and the expression gives
   * a list or one value.
   */
  readonly items: 'one' | 'many' | 'maybe'
  /** Keys that lie elsewhere; null: nowhere. */
  readonly fields?: Readonly<Record<string, string | null>>
  /** Of one item in a loop, the expression of all; null where the flow has no list of them at this place. */
  readonly all?: string | null
}

export const oneItem = (whole: string): Source => ({ whole, items: 'one' })
export const manyItems = (whole: string): Source => ({ whole, items: 'many' })

/** A list of the items, whatever there is. */
export function asList({ whole, items }: Source): string {
  return items === 'one' ? `[${whole}]` : whole
}

/** `item['first name']`, `item.name`; `of` must be a name, a path or stand in parentheses. */
export function memberOf(of: string, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `${of}.${key}` : `${of}[${quoted(key)}]`
}

/** `address.city` of the entry that a step looks at; undefined where there is no address either. */
export function fieldOfItem(path: string): string {
  const [first = '', ...rest] = path.split('.')
  return rest.reduce((of, key) => memberOf(`(${of} | default({}, true))`, key), memberOf('item', first))
}

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
