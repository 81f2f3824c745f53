import { isDictionary, isList, type Data } from '../../data/value.ts'
import type { WebhookResponse } from '../../webhook/build-response.ts'

/** Names that tell one thing from another of its kind, the most telling first. `*` stands for what is before `_id`. */
const TELLING = [
  /^(?:order|invoice|ticket|issue|customer|contact|user|account|payment|message|event|record)(?:_?id|_?(?:no|number))$/i,
  /^(?:id|uuid|key|number|reference|ref|sku|slug)$/i,
  /^(?:email|mail|e_mail|username|login|full_?name|name|company|title|subject)$/i,
  /_(?:id|number|ref|key|email|name)$/i,
  /^(?:event|event_type|type|action|topic)$/i,
]
const MOST_PARTS = 2
const LONGEST_PART = 60
const LONGEST_ANSWER = 80
/** Payloads wrap what they are about: `{ "data": { "object": { … } } }`. */
const DEEPEST = 3
const MOST_KEYS = 200

/**
 * What a run was about, for flows without a title of their own: what the input identifies and a short response,
 * `A-1042 · grace@example.test → {"known_customer": true}`. Null if the input identifies nothing.
 */
export function titleOfRun(input: Data, answer: WebhookResponse | null): string | null {
  const parts = tellingValues(input)
  if (parts.length === 0) return null
  const body = answer?.body ?? null
  const told =
    body === null || body === 'null' || body === '' || body.length > LONGEST_ANSWER ? '' : ` → ${body}`
  return `${parts.join(' · ')}${told}`.replaceAll(/\s+/g, ' ')
}

function tellingValues(input: Data): readonly string[] {
  const found: { readonly rank: number; readonly text: string }[] = []
  let level: readonly Data[] = [input]
  let looked = 0
  for (let depth = 0; depth < DEEPEST && found.length === 0; depth++) {
    const below: Data[] = []
    for (const value of level) {
      if (!isDictionary(value)) continue
      for (const [name, member] of Object.entries(value)) {
        if (++looked > MOST_KEYS) return texts(found)
        const text = textOf(member)
        if (text === null) below.push(isList(member) ? (member[0] ?? null) : member)
        else {
          const rank = TELLING.findIndex((pattern) => pattern.test(name))
          if (rank !== -1) found.push({ rank, text })
        }
      }
    }
    level = below
  }
  return texts(found)
}

function texts(found: readonly { readonly rank: number; readonly text: string }[]): readonly string[] {
  const sorted = found.toSorted((a, b) => a.rank - b.rank).map(({ text }) => text)
  return [...new Set(sorted)].slice(0, MOST_PARTS)
}

function textOf(value: Data): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'string') return null
  const text = value.trim()
  return text === '' || text.length > LONGEST_PART ? null : text
}
