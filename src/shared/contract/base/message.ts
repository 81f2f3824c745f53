/**
 * What the program says: an English sentence with named values. The English sentence is its key in the catalogues of
 * other languages. Scripts read the English text; key and values travel next to it, for the page alone.
 */

/** Key and values of a sentence. A value that is a sentence itself is translated with it. */
export interface Said {
  readonly key: string
  readonly params: Readonly<Record<string, string | number | Said>>
}

/** A sentence of the program, or text from elsewhere, such as an API's response, which is never translated. */
export type Sentence = string | Message

export class Message implements Said {
  readonly key: string
  readonly params: Said['params']

  constructor(key: string, params: Said['params']) {
    this.key = key
    this.params = params
  }

  toString(): string {
    return englishOf(this)
  }
}

/**
 * `say('There is no flow "{{id}}"', { id })`. The key is written where it is said: a test reads the sources for keys,
 * and demands each of them in German.
 */
export function say<const K extends string>(key: K, ...[params]: Values<NamesIn<K>>): Message {
  return new Message(key, params ?? {})
}

type Values<N extends string> = [N] extends [never] ? [] : [Readonly<Record<N, Sentence | Said | number>>]
/** `{{ name }}`, with spaces, is part of the sentence: it shows how a template is written. */
type NamesIn<K extends string> = K extends `${string}{{${infer N}}}${infer R}`
  ? (N extends `${string} ${string}` ? never : N) | NamesIn<R>
  : never

export function englishOf({ key, params }: Said): string {
  return key.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = params[name]
    return value === undefined ? whole : typeof value === 'object' ? englishOf(value) : String(value)
  })
}

export const PLACEHOLDER = /\{\{(\w+)\}\}/g

/** Key and values of an object's `message`. A symbol, which JSON leaves out: only the page gets it, as `said`. */
export const SAID: unique symbol = Symbol('said')

export interface Spoken {
  readonly [SAID]?: Said | undefined
}

/** The members of an object that says something. */
export function spoken(sentence: Sentence): { readonly message: string } & Spoken {
  return typeof sentence === 'string'
    ? { message: sentence }
    : { message: String(sentence), [SAID]: sentence }
}

/** What an object or error says, to be part of another sentence. */
export function sentenceOf(speaker: { readonly message: string } & Spoken): Said | string {
  return speaker[SAID] ?? speaker.message
}

/** The same value, in which key and values are ordinary members. Parts that say nothing are shared with it. */
export function withSaid<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withSaid(item, depth + 1))
    return items.some((item, at) => item !== value[at]) ? (items as T) : value
  }
  const said = (value as Spoken)[SAID]
  const changed: Record<string, unknown> = said === undefined ? {} : { said }
  for (const [name, item] of Object.entries(value)) {
    const shown: unknown = withSaid(item, depth + 1)
    if (shown !== item) changed[name] = shown
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed }
}

/** Data of users can be deeper; what the program says isn't. */
const DEEPEST = 6

/** The inverse for one object. */
export function withoutSaid<T extends object>(value: T): T & Spoken {
  const { said, ...rest } = value as T & { readonly said?: Said }
  return said === undefined ? value : { ...(rest as T), [SAID]: said }
}

/** Text of a schema, which has no place for values; `saidInSchema` finds them again. */
export function fault<const K extends string>(key: K, ...[params]: Values<NamesIn<K>>): string {
  const message = new Message(key, params ?? {})
  const text = String(message)
  ofSchemas.set(text, message)
  return text
}

export const saidInSchema = (text: string): Sentence => ofSchemas.get(text) ?? text
const ofSchemas = new Map<string, Message>()
