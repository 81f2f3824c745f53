/**
 * Millrace's messages, which are English sentences with named values. The sentence is also the key in the catalogs of
 * other languages. Scripts read the English text; only the page also gets the key and the values.
 */

export { closest, nearest } from '@millrace/jinja/closest'

/** The key and the values of a message. A value that is a message itself is translated as well. */
export interface Said {
  readonly key: string
  readonly params: Readonly<Record<string, string | number | Said>>
}

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
 * Used as in `say('There is no flow "{{id}}"', { id })`. Write the key as a literal, because a test collects all keys
 * from the sources and checks that each has a German translation.
 */
export function say<const K extends string>(key: K, ...[params]: Values<NamesIn<K>>): Message {
  return new Message(key, params ?? {})
}

type Values<N extends string> = [N] extends [never] ? [] : [Readonly<Record<N, string | number | Said>>]
/** `{{ name }}`, with spaces, isn't a placeholder. Sentences about templates show it unchanged. */
type NamesIn<K extends string> = K extends `${string}{{${infer N}}}${infer R}`
  ? (N extends `${string} ${string}` ? never : N) | NamesIn<R>
  : never

/** Text from elsewhere, such as an API's response, which is never translated. */
export const quoted = (text: string): Said => say('{{text}}', { text })

export function englishOf({ key, params }: Said): string {
  return key.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = params[name]
    return value === undefined ? whole : typeof value === 'object' ? englishOf(value) : String(value)
  })
}

export const PLACEHOLDER = /\{\{(\w+)\}\}/g

/** The key and the values of an object's `message`. JSON leaves symbols out; only the page gets them, as `said`. */
export const SAID: unique symbol = Symbol('said')

export interface Spoken {
  readonly [SAID]?: Said | undefined
}

/** Properties that give an object a message, in English and as key and values. */
export function spoken(said: Said): { readonly message: string } & Spoken {
  return { message: englishOf(said), [SAID]: said }
}

/** The message of an object or error, as a value of another message. */
export function sentenceOf(speaker: Speaker): Said {
  return speaker[SAID] ?? speaker.said ?? quoted(speaker.message)
}

/** Errors from packages have their key and values in `said`. */
interface Speaker extends Spoken {
  readonly message: string
  readonly said?: Said
}

/** A template's problem, together with its advice. */
export const advised = ({ said, advice }: { readonly said: Said; readonly advice: Said | null }): Said =>
  advice === null ? said : say('{{first}} ({{second}})', { first: said, second: advice })

/** A message with a hint, which is shown next to it. The hint is a parameter that the message's text doesn't use. */
export const withHint = ({ key, params }: Said, hint: Said | null): Said => ({
  key,
  params: hint === null ? params : { ...params, hint },
})

/** Properties that give an object a message and a hint, in English and as key and values. */
export function spokenWithHint(
  speaker: Speaker,
): { readonly message: string; readonly hint: string } & Spoken {
  const said = speaker[SAID]
  const hint = said?.params['hint']
  return { message: speaker.message, hint: typeof hint === 'object' ? englishOf(hint) : '', [SAID]: said }
}

/** A copy in which the keys and values of messages are ordinary properties. Parts without messages aren't copied. */
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

/** Users' data can be nested more deeply, but messages aren't. */
const DEEPEST = 6

/** Undoes `withSaid` for one object. */
export function withoutSaid<T extends object>(value: T): T & Spoken {
  const { said, ...rest } = value as T & { readonly said?: Said }
  return said === undefined ? value : { ...(rest as T), [SAID]: said }
}

/** A message as a string, because schemas accept nothing else. `saidInSchema` restores its key and values. */
export function fault<const K extends string>(key: K, ...[params]: Values<NamesIn<K>>): string {
  const message = new Message(key, params ?? {})
  const text = String(message)
  ofSchemas.set(text, message)
  return text
}

/**
 * A schema's message that is followed by the invalid value: `must be a UUID, got "7"`. Not for secrets, nor for URLs,
 * which may contain them.
 */
export function withValue(sentence: string): string {
  namingTheirValue.add(sentence)
  return sentence
}

/** Whether the invalid value follows this message of a schema. */
export const namesItsValue = (sentence: string): boolean => namingTheirValue.has(sentence)
const namingTheirValue = new Set<string>()

/** A schema's message without values is its own key. */
export const saidInSchema = (text: string): Said => ofSchemas.get(text) ?? new Message(text, {})
const ofSchemas = new Map<string, Message>()
