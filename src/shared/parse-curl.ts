/** A `curl` command, as browsers and documentation give it, read as the request that it sends. */

export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed where it is JSON, a dictionary where it is a form, else text; null where there is none. */
  readonly body: unknown
  readonly bodyType: 'json' | 'form' | 'multipart' | 'text' | 'none'
}

/** Options that take a value and that a request does without. */
const WITH_VALUE = new Set(
  `--abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --config --connect-timeout
  --connect-to --continue-at --cookie-jar --crlfile --curves --dns-interface --dns-servers --doh-url --dump-header
  --egd-file --engine --etag-compare --etag-save --expect100-timeout --interface --ipfs-gateway --keepalive-time --key
  --key-type --limit-rate --local-port --max-filesize --max-redirs --max-time --netrc-file --noproxy --output
  --output-dir --parallel-max --pass --pinnedpubkey --preproxy --proto --proto-default --proxy --proxy-header
  --proxy-user --range --rate --resolve --retry --retry-delay --retry-max-time --speed-limit --speed-time --stderr
  --time-cond --tls-max --tls13-ciphers --trace --trace-ascii --unix-socket --upload-file --write-out
  -C -D -E -K -P -Q -T -U -Y -c -m -o -r -t -w -x -y -z`.split(/\s+/),
)

/** Short options whose value may follow at once, as in `-XPOST` or `-sXPOST`. */
const SHORT_WITH_VALUE = 'XHduFAbeCDEKPQTUYcmortwxyz'

/** Null where the text is no such command or names no address. */
export function parseCurl(text: string): CurlRequest | null {
  const [command, ...words] = splitShellWords(withoutPrompt(text))
  if (command !== 'curl' && command !== 'curl.exe') return null
  const draft = readOptions(words)
  if (draft.url === '') return null
  const url = /^[a-z]+:\/\//i.test(draft.url) ? draft.url : `http://${draft.url}`
  const headers = { ...draft.headers }
  if (draft.parts.length > 0) {
    const body = Object.fromEntries(draft.parts)
    return { url, headers, method: draft.method || 'POST', body, bodyType: 'multipart' }
  }
  if (draft.asQuery || draft.data.length === 0) {
    const query = draft.data.join('&')
    const joined = query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`
    return { url: joined, headers, method: draft.method || 'GET', body: null, bodyType: 'none' }
  }
  return { url, headers, method: draft.method || 'POST', ...readBody(draft.data.join('&'), headers) }
}

/** As documentation shows it: comments above, and the sign after which one types. */
function withoutPrompt(text: string): string {
  return text.replace(/^(?:\s*#[^\n]*(?:\n|$))+/, '').replace(/^\s*(?:[$>%]\s+)?/, '')
}

interface Draft {
  method: string
  url: string
  asQuery: boolean
  readonly headers: Record<string, string>
  readonly data: string[]
  readonly parts: [string, string][]
}

function readOptions(given: readonly string[]): Draft {
  const words = given.flatMap(splitBundle)
  const draft: Draft = { method: '', url: '', asQuery: false, headers: {}, data: [], parts: [] }
  for (let at = 0; at < words.length; at += 1) {
    const [option, joined] = splitOption(words[at] ?? '')
    const value = () => joined ?? words[(at += 1)] ?? ''
    if (!option.startsWith('-')) draft.url ||= option
    else if (option === '-X' || option === '--request') draft.method = value().toUpperCase()
    else if (option === '--url') draft.url = value()
    else if (option === '-H' || option === '--header') addHeader(draft, value())
    else if (option === '-A' || option === '--user-agent') draft.headers['User-Agent'] = value()
    else if (option === '-e' || option === '--referer') draft.headers['Referer'] = value()
    else if (option === '-b' || option === '--cookie') draft.headers['Cookie'] = value()
    else if (option === '-u' || option === '--user')
      draft.headers['Authorization'] = `Basic ${toBase64(value())}`
    else if (option === '-G' || option === '--get') draft.asQuery = true
    else if (option === '-I' || option === '--head') draft.method = 'HEAD'
    else if (option === '--oauth2-bearer') draft.headers['Authorization'] = `Bearer ${value()}`
    else if (option === '--json') addJson(draft, value())
    else if (option === '--data-urlencode') draft.data.push(encodePair(value()))
    else if (/^(?:-d|--data(?:-raw|-binary|-ascii)?)$/.test(option)) draft.data.push(value())
    else if (/^(?:-F|--form(?:-string)?)$/.test(option)) draft.parts.push(pairOf(value()))
    else if (WITH_VALUE.has(option)) value()
  }
  return draft
}

/** `-sSLXPOST` as `-s`, `-S`, `-L` and `-XPOST`. */
function splitBundle(word: string): readonly string[] {
  const bundle = /^-([A-Za-z#:][\s\S]+)$/.exec(word)?.[1]
  if (bundle === undefined) return [word]
  const valued = [...bundle].findIndex((letter) => SHORT_WITH_VALUE.includes(letter))
  const flags = valued === -1 ? bundle : bundle.slice(0, valued)
  return [...[...flags].map((letter) => `-${letter}`), ...(valued === -1 ? [] : [`-${bundle.slice(valued)}`])]
}

/** `-XPOST`, `--request=POST` and `-X POST` are one. */
function splitOption(word: string): [option: string, value: string | undefined] {
  const long = /^(--[a-z0-9-]+)=([\s\S]*)$/.exec(word)
  if (long !== null) return [long[1] ?? '', long[2]]
  return /^-[^-][\s\S]+$/.test(word) ? [word.slice(0, 2), word.slice(2)] : [word, undefined]
}

function addHeader({ headers }: Draft, line: string): void {
  const [, name = '', sign, value = ''] = /^([^:;]+)([:;])([\s\S]*)$/.exec(line) ?? []
  // `Accept:` takes a header away that curl would send by itself; `X-Empty;` sends one without a value.
  if (name !== '' && (value.trim() !== '' || sign === ';')) headers[name.trim()] = value.trim()
}

function addJson(draft: Draft, text: string): void {
  draft.data.push(text)
  draft.headers['Content-Type'] ??= 'application/json'
}

function encodePair(text: string): string {
  const [name, value] = pairOf(text)
  return text.includes('=') ? `${name}=${encodeURIComponent(value)}` : encodeURIComponent(text)
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** The step sets the content type itself; one that says the same is left out. */
function readBody(text: string, headers: Record<string, string>): Pick<CurlRequest, 'body' | 'bodyType'> {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'content-type')
  const type = name === undefined ? '' : (headers[name] ?? '')
  const json = /json/i.test(type) || (type === '' && /^\s*[[{]/.test(text)) ? readJson(text) : undefined
  if (json !== undefined) {
    if (name !== undefined && /^application\/json\b/i.test(type)) delete headers[name]
    return { body: json, bodyType: 'json' }
  }
  // JSON with templates in it is no JSON yet; the step makes it one.
  if (/^application\/json\b/i.test(type) || (type === '' && /^\s*[[{]/.test(text))) {
    if (name !== undefined) delete headers[name]
    return { body: text, bodyType: 'json' }
  }
  if (type !== '' && !/x-www-form-urlencoded/i.test(type)) return { body: text, bodyType: 'text' }
  if (name !== undefined) delete headers[name]
  return { body: readForm(text), bodyType: 'form' }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function readForm(text: string): Record<string, string> {
  const pairs = text.split('&').filter((pair) => pair !== '')
  return Object.fromEntries(pairs.map((pair) => pairOf(pair).map(decodeForm) as [string, string]))
}

function decodeForm(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Of the text's UTF-8; neither the page's nor Node's own function is to be had here. */
function toBase64(text: string): string {
  const bytes = [...encodeURIComponent(text).matchAll(/%([0-9A-F]{2})|([\s\S])/g)].map(([, hex, sign = '']) =>
    hex === undefined ? sign.charCodeAt(0) : Number.parseInt(hex, 16),
  )
  let encoded = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = bytes.slice(at, at + 3)
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    encoded += `${BASE64[bits >> 18]}${BASE64[(bits >> 12) & 63]}`
    encoded += second === undefined ? '=' : BASE64[(bits >> 6) & 63]
    encoded += third === undefined ? '=' : BASE64[bits & 63]
  }
  return encoded
}

/** Words as a POSIX shell splits them: quotes, backslashes, continued lines, and `$'…'`; a template is one word. */
function splitShellWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string
    const next = text[at + 1]
    if (/\s/.test(sign)) {
      if (word !== null) words.push(word)
      word = null
    } else if ((sign === '\\' || sign === '^') && /^\r?\n/.test(text.slice(at + 1))) {
      at += next === '\r' ? 2 : 1
    } else if (sign === '\\') {
      word = (word ?? '') + (next ?? '')
      at += 1
    } else if (sign === "'" || (sign === '$' && next === "'")) {
      const isAnsi = sign === '$'
      const end = endOfQuote(text, at + (isAnsi ? 2 : 1), "'", isAnsi)
      const inside = text.slice(at + (isAnsi ? 2 : 1), end)
      word = (word ?? '') + (isAnsi ? unescapeAnsi(inside) : inside)
      at = end
    } else if (sign === '"') {
      const end = endOfQuote(text, at + 1, '"', true)
      word =
        (word ?? '') +
        text
          .slice(at + 1, end)
          .replace(/\\\r?\n/g, '')
          .replace(/\\(["\\$`])/g, '$1')
      at = end
    } else if (sign === '{' && next === '{' && text.includes('}}', at)) {
      // A template, with or without spaces, as it stands in an address that was copied from a step.
      const end = text.indexOf('}}', at) + 2
      word = (word ?? '') + text.slice(at, end)
      at = end - 1
    } else word = (word ?? '') + sign
  }
  return word === null ? words : [...words, word]
}

function endOfQuote(text: string, from: number, quote: string, escapes: boolean): number {
  let at = from
  while (at < text.length && text[at] !== quote) at += escapes && text[at] === '\\' ? 2 : 1
  return Math.min(at, text.length)
}

function unescapeAnsi(text: string): string {
  const SIGNS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' }
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g,
    (_all, code, hex, sign: string) =>
      code === undefined && hex === undefined
        ? (SIGNS[sign] ?? sign)
        : String.fromCharCode(Number.parseInt((code ?? hex) as string, 16)),
  )
}
