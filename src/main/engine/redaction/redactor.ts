import { formsOfSecret, MIN_SECRET_LENGTH } from './secret-forms.ts'
import { type Span, TextMatcher } from './text-matcher.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  Float,
  getKey,
  isDictionary,
  isList,
} from '@millrace/jinja/data'

const REDACTED = '***'
const PLAIN = { writable: true, enumerable: true, configurable: true }

/** The secrets to hide in run history, logs, errors and exports. */
export interface RedactionRules {
  /** Every known secret; those shorter than 12 characters are ignored. */
  readonly secrets: Iterable<string>
  /** Names of headers with secrets, in addition to the well-known ones; case-insensitive. */
  readonly names?: Iterable<string>
  /** Hides these as well, including secrets added to it later. */
  readonly known?: SecretSet
}

export type Redactor = ReturnType<typeof createRedactor>

export type HeaderValue = string | readonly string[] | undefined

/** A set of secrets that can grow. */
export class SecretSet {
  readonly matcher = new TextMatcher()
  /** Replaced by a new object whenever a secret is added. */
  state: object = {}
  readonly #secrets = new Set<string>()

  add(secret: string): void {
    if (this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.state = {}
    for (const form of formsOfSecret(secret)) this.matcher.add(form)
  }

  has(secret: string): boolean {
    return this.#secrets.has(secret)
  }
}

/**
 * Hides secrets by the names they appear under and by their values, in every encoding they can have there (JSON,
 * URLs, base64). The time depends only on the length of the input.
 */
export function createRedactor({ secrets, names = [], known }: RedactionRules) {
  const own = new TextMatcher([...secrets].flatMap(formsOfSecret))
  const extraNames = new Set([...names].map((name) => name.toLowerCase()))
  const isSecretName = (name: string) =>
    isSecretHeader(name) || (extraNames.size > 0 && extraNames.has(name.toLowerCase()))
  // `signature` by itself is ordinary data; a key with a hyphen is the name of a header.
  const isSecretKey = (key: string) =>
    isSecretParameter(key) || (isSecretName(key) && (key.includes('-') || !SIGNATURE_HEADER.test(key)))

  const find = known
    ? (text: string) => joinSpans(known.matcher.find(text), own.find(text))
    : own.find.bind(own)
  const redactText = (text: string) => hideOwnTokens(replaceSpans(text, find(text)))
  const redactLine = (name: string, value: string) => (isSecretName(name) ? REDACTED : redactText(value))

  const redactData = (value: Data): Data => {
    if (typeof value === 'string') return redactText(value)
    if (isList(value)) return redactList(value, redactData)
    if (isDictionary(value)) return redactDictionary(value)
    return isLongNumber(value) && hides(String(value)) ? REDACTED : value
  }
  const hides = (text: string) => redactText(text) !== text
  const redactEntry = (key: string, item: Data): [string, Data] => [
    redactText(key),
    isSecretKey(key) && item !== null ? REDACTED : redactData(item),
  ]
  const redactDictionary = (value: Dictionary): Data => redactEntries(value, redactEntry)

  return {
    /** As long as this is the same object, the same secrets are hidden. */
    get state(): object {
      return known?.state ?? own
    },
    redactText,
    /** Redacts a string that was cut off. Also removes the part of a secret that may be left at its end. */
    redactBeginning(text: string): string {
      const lengths = [own, ...(known ? [known.matcher] : [])].map((one) => one.lengthWithoutBeginning(text))
      const length = Math.min(...lengths)
      // A complete secret must not be cut either, because the rest of it would no longer be found.
      const cut = find(text).find(({ start, end }) => start < length && length < end)
      return redactText(text.slice(0, cut?.start ?? length))
    },
    /**
     * Also redacts keys; if several become equal, none is lost (`***`, `*** (2)`). Values under the name of a secret
     * header are hidden completely. Unchanged parts are shared with the input.
     */
    redactData,
    redactHeaders: <T extends HeaderValue>(headers: Readonly<Record<string, T>>): Record<string, T> => {
      const shown: Record<string, HeaderValue> = {}
      for (const given in headers) {
        const value: HeaderValue = headers[given]
        const redacted =
          typeof value === 'string' ? redactLine(given, value) : value?.map((one) => redactLine(given, one))
        const hidden = given.length < MIN_SECRET_LENGTH ? given : redactText(given)
        const name =
          hidden === given ? given : freeName(hidden, (other) => other in shown || other in headers)
        if (name === '__proto__') Object.defineProperty(shown, name, { ...PLAIN, value: redacted })
        else shown[name] = redacted
      }
      return shown as Record<string, T>
    },
  }
}

/** Most objects contain nothing to hide, and are returned without a copy. */
function redactEntries(value: Dictionary, redact: (key: string, item: Data) => [string, Data]): Data {
  let redacted: [string, Data][] | null = null
  let at = 0
  const hidden = new Set<string>()
  const isTaken = (name: string) => hidden.has(name) || getKey(value, name) !== undefined
  for (const key of value instanceof Map ? value.keys() : Object.keys(value)) {
    const item = (value instanceof Map ? value.get(key) : value[key]) ?? null
    const entry = redact(key, item)
    if (entry[0] !== key) {
      entry[0] = freeName(entry[0], isTaken)
      hidden.add(entry[0])
    }
    if (redacted === null && (entry[0] !== key || entry[1] !== item)) redacted = entriesOf(value).slice(0, at)
    redacted?.push(entry)
    at++
  }
  return redacted === null ? value : dictionaryOf(redacted)
}

/** Keys that differed only in the secret are numbered. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  let number = 2
  while (isTaken(`${name} (${number})`)) number++
  return `${name} (${number})`
}

function redactList(list: readonly Data[], redact: (item: Data) => Data): Data {
  const redacted = list.map(redact)
  return redacted.some((item, index) => item !== list[index]) ? redacted : list
}

/** Merges overlapping spans. */
function joinSpans(some: readonly Span[], others: readonly Span[]): readonly Span[] {
  if (others.length === 0) return some
  if (some.length === 0) return others
  const joined: { start: number; end: number }[] = []
  for (const { start, end } of [...some, ...others].toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}

export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text
  const kept = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start))
  return [...kept, text.slice(spans.at(-1)?.end)].join(REDACTED)
}

/** Tokens issued by Millrace are recognized by their form, so that even a token a run has just created is hidden. */
function hideOwnTokens(text: string): string {
  return text.includes('mr_') ? text.replaceAll(OWN_TOKEN, REDACTED) : text
}

const OWN_TOKEN = /mr_(?:pat|whk)_[0-9A-Za-z]{54}/g

/** A secret of digits may have been parsed as a number. */
function isLongNumber(value: Data): value is number | bigint {
  if (value instanceof Float) return false
  return (typeof value === 'number' && Math.abs(value) >= 1e11) || typeof value === 'bigint'
}

/** Whether a header carries credentials: `Authorization` and similar ones, and any signature of a request. */
export function isSecretHeader(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const isSecret = SECRET_HEADERS.has(name.toLowerCase()) || SIGNATURE_HEADER.test(name)
  if (judged.size < MOST_JUDGED && name.length <= LONGEST_JUDGED) judged.set(name, isSecret)
  return isSecret
}

/**
 * Whether a name is one like `api_key`, `access_token`, `apiKey` or `client-secret`, in queries, forms, JSON,
 * XML and cookies.
 */
export function isSecretParameter(name: string): boolean {
  const known = judgedParameters.get(name)
  if (known !== undefined) return known
  const isSecret = name.length <= LONGEST_JUDGED && PARAMETER_NAME.test(name)
  if (judgedParameters.size < MOST_JUDGED && name.length <= LONGEST_JUDGED)
    judgedParameters.set(name, isSecret)
  return isSecret
}

const judgedParameters = new Map<string, boolean>()
const NAMES = String.raw`(?:(?:access|refresh|id|auth|session|security|bearer|api|private)[_-]?)?token|(?:api|secret|private|subscription|access)[_-]?key|(?:client|app|consumer)?[_-]?secret|pass(?:word|wd|phrase)|pwd`
// linear: anchored, and every part is a word
const PARAMETER_NAME = new RegExp(`^(?:${NAMES})$`, 'i')
/** Matches a parameter of a query or form, a cookie, a JSON key with a string or number, or an XML element. */
// linear: a value ends at the next separator, string or tag
const PARAMETERS = new RegExp(
  String.raw`(?<![\w%-])(${NAMES})(=)[^&;#\s"'<>]+|("(?:${NAMES})"\s{0,20}:\s{0,20})(?:"(?:[^"\\]|\\.)*"|-?\d[\d.]*)|(<(?:${NAMES})>)[^<]+`,
  'gi',
)

/** Each of the names contains one of these words, which can be found eight times as fast. */
const MAY_NAME_SECRET = /token|key|secret|pass|pwd/i

/** In a URL or a body, also hides the values of parameters, keys and elements whose names mark them as secret. */
export function hideParameters(text: string): string {
  if (!MAY_NAME_SECRET.test(text)) return text
  return text.replaceAll(PARAMETERS, (whole, name?: string, sign = '', key?: string, tag?: string) => {
    if (whole.includes('{{')) return whole
    if (key !== undefined) return `${key}"${REDACTED}"`
    return `${tag ?? `${name ?? ''}${sign}`}${REDACTED}`
  })
}

/** Results are cached, because requests and results have few different names, which recur all the time. */
const judged = new Map<string, boolean>()
const MOST_JUDGED = 2_000
const LONGEST_JUDGED = 100

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'api-key',
  'apikey',
  'authorization',
  'cookie',
  'ocp-apim-subscription-key',
  'private-token',
  'proxy-authorization',
  'set-cookie',
  'x-access-token',
  'x-amz-security-token',
  'x-api-key',
  'x-apikey',
  'x-auth-token',
  'x-csrf-token',
  'x-gitlab-token',
  'x-goog-api-key',
  'x-xsrf-token',
])

/** `X-Hub-Signature-256`, `Stripe-Signature`, `X-Shopify-Hmac-Sha256`, `Signature`. */
const SIGNATURE_HEADER = /^(?:[a-z0-9-]{0,80}-)?(?:signature|hmac)(?:-[a-z0-9-]{0,80})?$/i
