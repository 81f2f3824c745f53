/** Names that distinguish a thing from others of its kind, most distinctive first. */
const TELLING = [
  /^(?:order|invoice|ticket|issue|customer|contact|user|account|payment|message|event|record)(?:_?id|_?(?:no|number))$/i,
  /^(?:id|uuid|key|number|reference|ref|sku|slug)$/i,
  /^(?:email|mail|e_mail|username|login|full_?name|name|company|title|subject)$/i,
  /_(?:id|number|ref|key|email|name)$/i,
  /^(?:event|event_type|type|action|topic)$/i,
]
const LONGEST_PART = 60
/** Payloads wrap their content, as in `{ "data": { "object": { … } } }`. */
const DEEPEST = 3
const MOST_KEYS = 200

/**
 * The values that identify a JSON value to a person, the most distinctive first: ids, then names, then types. A string
 * or number identifies itself. `entriesOf` reads objects in the caller's representation of JSON, and returns null for
 * anything else.
 */
export function tellingValues<T>(
  value: T,
  entriesOf: (value: T) => Iterable<readonly [string, T]> | null,
): readonly string[] {
  const own = textOf(value)
  if (own !== null) return [own]
  const found: { readonly rank: number; readonly text: string }[] = []
  let level: readonly T[] = [value]
  let looked = 0
  for (let depth = 0; depth < DEEPEST && found.length === 0; depth++) {
    const below: T[] = []
    for (const each of level) {
      for (const [name, member] of entriesOf(each) ?? []) {
        if (++looked > MOST_KEYS) return texts(found)
        const text = textOf(member)
        const rank = text === null ? -1 : TELLING.findIndex((pattern) => pattern.test(name))
        if (text !== null && rank !== -1) found.push({ rank, text })
        if (text === null) below.push(...(Array.isArray(member) ? (member.slice(0, 1) as T[]) : [member]))
      }
    }
    level = below
  }
  return texts(found)
}

function texts(found: readonly { readonly rank: number; readonly text: string }[]): readonly string[] {
  return [...new Set(found.toSorted((a, b) => a.rank - b.rank).map(({ text }) => text))]
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'string') return null
  const text = value.replaceAll(/\s+/g, ' ').trim()
  return text === '' || text.length > LONGEST_PART ? null : text
}
