import { englishOf, type Said, SaidError, say } from '@millrace/jinja/said'
import { readFormPart, readFormString, type FormPart } from './form-part.ts'
import { encodeText, isSettled, missing, shownText } from './open-text.ts'
import type { GivenOption, OptionGroup } from './options.ts'
import type { CurlBody, CurlRequest } from './request.ts'
import { expandUrl } from './url-glob.ts'

/**
 * The requests of one transfer: one for each URL it names.
 *
 * @throws SaidError if curl sends nothing
 */
export function buildRequests(
  options: OptionGroup,
  command: string,
  stdin: string | null,
): readonly CurlRequest[] {
  const given = new Given(options)
  const content = readContent(given, stdin)
  return readAddresses(given).map((address, index) =>
    buildRequest(given, { ...content, file: content.files[index] ?? null, address, command, stdin }),
  )
}

class Given {
  readonly all: readonly GivenOption[]

  constructor(all: readonly GivenOption[]) {
    this.all = all
  }

  values(name: string): readonly string[] {
    return this.all.flatMap((option) => (option.name === name ? [option.value] : []))
  }

  last(name: string): string | null {
    return this.values(name).at(-1) ?? null
  }

  isOn(name: string): boolean {
    const last = this.all.findLast((option) => option.name === name)
    return last !== undefined && !last.isOff
  }
}

const MOST_ADDRESSES = 100

function readAddresses(given: Given): readonly string[] {
  const urls = given.values('url')
  if (urls.length === 0) throw new SaidError(say`it has no URL`)
  if (urls.length > MOST_ADDRESSES) throw new SaidError(say`it names more than ${MOST_ADDRESSES} URLs`)
  return given.isOn('globoff') ? urls : urls.flatMap(expandUrl)
}

interface Content {
  /** The combined content of `-d` and related options. */
  readonly data: string | null
  /** The path of the file whose content is the whole body, byte for byte. */
  readonly dataFile: string | null
  /** Whether the data becomes the query (`-G`). */
  readonly isGet: boolean
  readonly isJson: boolean
  readonly parts: readonly FormPart[]
  /** The files from `-T`, one for each URL. */
  readonly files: readonly string[]
}

const DATA = new Set(['data', 'data-ascii', 'data-raw', 'data-binary', 'data-urlencode', 'json'])

function readContent(given: Given, stdin: string | null): Content {
  let data: string | null = null
  const parts: FormPart[] = []
  for (const { name, value } of given.all) {
    if (DATA.has(name)) {
      const piece = readData(name, value, stdin)
      data = data === null ? piece : `${data}${name === 'json' ? '' : '&'}${piece}`
    } else if (name === 'form') {
      parts.push(...readFormPart(value, stdin))
    } else if (name === 'form-string') {
      parts.push(readFormString(value))
    }
  }
  const files = given.values('upload-file')
  const isGet = given.isOn('get')
  const pieces = given.all.filter(({ name }) => DATA.has(name))
  const kinds = [data !== null && !isGet, parts.length > 0, given.isOn('head'), files.length > 0].filter(
    Boolean,
  )
  if (kinds.length > 1)
    throw new SaidError(say`curl rejects it: only one of -d, -F, -T and -I can say what is sent`)
  return { data, dataFile: wholeFile(pieces), isGet, isJson: given.values('json').length > 0, parts, files }
}

/** The path of the file whose content is the unchanged body. */
function wholeFile(pieces: readonly GivenOption[]): string | null {
  const [only] = pieces
  if (pieces.length !== 1 || only === undefined || !/^@(?!-$)/.test(only.value)) return null
  return only.name === 'data-binary' || only.name === 'json' ? shownText(only.value.slice(1)) : null
}

function readData(option: string, value: string, stdin: string | null): string {
  if (option === 'data-urlencode') return readEncoded(value, stdin)
  if (option === 'data-raw' || !value.startsWith('@')) return value
  const content = contentOf(value.slice(1), stdin)
  // `-d` removes line breaks from files.
  return option === 'data' || option === 'data-ascii' ? content.replaceAll(/[\r\n\0]/g, '') : content
}

function contentOf(path: string, stdin: string | null): string {
  if (path !== '-') return missing(say`the content of the file ${shownText(path)}`)
  return stdin ?? missing(say`what the command reads from its standard input`)
}

/** Reads `content`, `=content`, `name=content`, `@file` and `name@file`. */
function readEncoded(value: string, stdin: string | null): string {
  const sign = value.includes('=') ? '=' : '@'
  const at = value.indexOf(sign)
  const name = at === -1 ? '' : value.slice(0, at)
  const content = at === -1 ? value : value.slice(at + 1)
  const plain = at !== -1 && sign === '@' ? contentOf(content, stdin) : content
  const encoded = encodeText(plain, encode)
  return name === '' ? encoded : `${name}=${encoded}`
}

/** Encodes like curl: a space becomes a plus, and everything except letters, digits and `-._~` is escaped. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

interface One extends Omit<Content, 'files'> {
  readonly address: string
  /** The path from `-T`. */
  readonly file: string | null
  readonly command: string
  readonly stdin: string | null
}

function buildRequest(given: Given, one: One): CurlRequest {
  const notes: Said[] = []
  const blocks: Said[] = []
  const url = readUrl(given, one)
  const isTls = /^https:/i.test(url)
  for (const { meaning, isOff, value, takesValue } of given.all) {
    if (typeof meaning === 'string' || isOff || (takesValue && value === '')) continue
    if ('note' in meaning) notes.push(meaning.note)
    else if (meaning.onlyTls !== true || isTls) blocks.push(meaning.blocks)
  }
  if (given.isOn('insecure') && isTls) notes.push(say`Millrace always checks certificates`)
  if (given.last('request-target') !== null)
    blocks.push(say`requests a different target than its URL, which Millrace can't do`)
  if (given.isOn('path-as-is') && /\/\.{1,2}(?:[/?#]|$)/.test(url))
    blocks.push(say`keeps the dots in its path, which Millrace resolves`)
  const body = bodyOf(one)
  const headers = readHeaders(given, one, { blocks, notes })
  if (body.kind === 'multipart') checkMultipartType(headers, { blocks, notes })
  return {
    command: shownText(one.command).replaceAll(/\s+/g, ' ').slice(0, 120),
    method: readMethod(given, body),
    url,
    headers,
    login: readLogin(given, headers, blocks),
    body,
    timeoutSeconds: readTimeout(given, notes),
    retry: readRetry(given),
    notes: withoutRepeats(notes),
    blocks: withoutRepeats(blocks),
  }
}

const withoutRepeats = (sentences: readonly Said[]) => [
  ...new Map(sentences.map((said) => [englishOf(said), said])).values(),
]

interface Findings {
  readonly notes: Said[]
  readonly blocks: Said[]
}

/** The URL as it is sent. */
function readUrl(given: Given, { address, data, file }: One): string {
  const text = withScheme(address, given.last('proto-default'))
  const shown = shownText(address).slice(0, 100)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    throw new SaidError(
      say`it goes to ${scheme}://, but Millrace sends requests only to http:// and https://`,
    )
  if (scheme !== undefined && /^[a-z]+:\/\/(?:[/?#]|$)/i.test(text))
    throw new SaidError(say`curl finds no host in ${shown}`)
  if (hasBlank(text))
    throw new SaidError(say`curl rejects the URL ${shown}: it contains a space or a line break`)
  const queries =
    given.isOn('get') && data !== null
      ? [data]
      : given.values('url-query').map((value) => readUrlQuery(value))
  const withQuery = queries.reduce(appendQuery, text.replace(/#[^]*/, ''))
  if (hasBlank(withQuery))
    throw new SaidError(
      say`curl rejects its query, which contains a space or a line break; use --data-urlencode`,
    )
  return file === null ? withQuery : appendFileName(withQuery, file)
}

/** curl guesses the protocol of a URL from its host name. */
function withScheme(address: string, protocol: string | null): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address) || /^(?:\uFDD0|\{\{)/.test(address)) return address
  const guess = /^(ftp|dict|ldap|imap|smtp|pop3)\./i.exec(address)?.[1]?.toLowerCase()
  return `${protocol ?? guess ?? 'http'}://${address.replace(/^\/\//, '')}`
}

function hasBlank(url: string): boolean {
  const settled = url.replaceAll(/\{\{[^]*?(?:\}\}|$)|\uFDD0[^\uFDD0\uFDD1]*\uFDD1/g, '')
  return /[\0-\x20\x7f]/.test(settled)
}

/** `+content` is used unchanged, everything else as in `--data-urlencode`. */
const readUrlQuery = (value: string) => (value.startsWith('+') ? value.slice(1) : readEncoded(value, null))

function appendQuery(url: string, query: string): string {
  if (!url.includes('?')) return `${url}?${query}`
  return /[?&]$/.test(url) ? url + query : `${url}&${query}`
}

/** If a URL ends with a slash or has no path, the filename is appended. */
function appendFileName(url: string, file: string): string {
  const [, start = '', path = '', query = ''] = /^([a-z]+:\/\/[^/?]*)([^?]*)(.*)$/is.exec(url) ?? []
  const name = file.split(/[/\\]/).at(-1) ?? ''
  if (file === '-' || (path !== '' && !path.endsWith('/'))) return url
  return `${start}${path || '/'}${isSettled(name) ? encodeURIComponent(name) : name}${query}`
}

function bodyOf({ data, dataFile, parts, file, stdin, isGet }: One): CurlBody {
  if (parts.length > 0) return { kind: 'multipart', parts }
  if (dataFile !== null && !isGet) return { kind: 'file', path: dataFile }
  if (file === '-') return { kind: 'text', text: contentOf('-', stdin) }
  if (file !== null) return { kind: 'file', path: shownText(file) }
  return data === null || isGet ? { kind: 'none' } : { kind: 'text', text: data }
}

function readMethod(given: Given, body: CurlBody): string {
  const said = given.last('request')
  if (said !== null && said !== '') return said
  if (given.isOn('head')) return 'HEAD'
  if (body.kind === 'none') return 'GET'
  return given.values('upload-file').length > 0 ? 'PUT' : 'POST'
}

/** The given headers, followed by those that other options imply, unless they were given too. */
function readHeaders(given: Given, { data, isJson, isGet }: One, { blocks, notes }: Findings) {
  const headers: [name: string, value: string][] = []
  const removed = new Set<string>()
  for (const line of given.values('header')) {
    const [, name = '', sign, rest = ''] = /^([^:;]*)([:;])([\s\S]*)$/.exec(line) ?? []
    const value = rest.trim()
    if (line.startsWith('@')) blocks.push(say`sends headers from the file ${shownText(line.slice(1))}`)
    else if (sign === undefined || name.trim() === '' || (sign === ';' && value !== ''))
      notes.push(say`curl doesn't send the header ${shownText(line).slice(0, 60)}, which has no colon`)
    else if (!isSettled(name) || /\s/.test(name.trim()) || /[\r\n]/.test(value))
      blocks.push(say`sends an invalid header: ${shownText(line).trim().slice(0, 60)}`)
    else if (sign === ':' && value === '') removed.add(name.trim().toLowerCase())
    else headers.push([name.trim(), value])
  }
  const isFree = (name: string) =>
    !removed.has(name.toLowerCase()) && headers.every(([known]) => known.toLowerCase() !== name.toLowerCase())
  const add = (name: string, value: string | null) => {
    if (value !== null && isFree(name)) headers.push([name, value])
  }
  if (removed.has('accept') || removed.has('user-agent') || removed.has('host'))
    notes.push(say`Millrace sends Host, Accept and User-Agent with every request`)
  const cookies = given.values('cookie').filter((value) => value !== '')
  const files = cookies.filter((value) => !value.includes('='))
  if (files.length > 0 && isFree('Cookie'))
    blocks.push(say`sends cookies from the file ${shownText(files[0] ?? '')}; set the header Cookie instead`)
  const pairs = cookies.filter((value) => value.includes('='))
  if (isJson) {
    add('Content-Type', 'application/json')
    add('Accept', 'application/json')
  } else if (data !== null && !isGet) add('Content-Type', 'application/x-www-form-urlencoded')
  add('Cookie', pairs.length === 0 ? null : pairs.join(';'))
  add('User-Agent', given.last('user-agent') || null)
  add('Referer', given.last('referer')?.replace(/;auto$/, '') || null)
  add('Range', rangeOf(given))
  const time = given.last('time-cond')
  if (time !== null && time !== '') addTime(time, add, blocks)
  const length = headers.find(([name]) => /^content-length$/i.test(name))
  if (length !== undefined && !/^0+$/.test(length[1]))
    notes.push(say`Millrace calculates the length of the body itself`)
  if (headers.some(([name]) => /^(?:te|transfer-encoding|trailer|upgrade)$/i.test(name)))
    notes.push(say`Millrace sets TE, Transfer-Encoding, Trailer and Upgrade itself`)
  return headers
}

/** A range without an end gets a hyphen. */
function rangeOf(given: Given): string | null {
  const offset = given.last('continue-at')
  const range = given.last('range') ?? (offset !== null && /^\d+$/.test(offset) ? `${offset}-` : null)
  if (range === null) return null
  return `bytes=${/^\d+$/.test(range) ? `${range}-` : range}`
}

function addTime(text: string, add: (name: string, value: string) => void, blocks: Said[]): void {
  const isBefore = text.startsWith('-')
  const time = Date.parse(text.replace(/^[-+=]/, ''))
  if (Number.isNaN(time)) blocks.push(say`compares with the time of the file ${shownText(text)}`)
  else add(isBefore ? 'If-Unmodified-Since' : 'If-Modified-Since', new Date(time).toUTCString())
}

/** A given header takes precedence over `--oauth2-bearer`, which takes precedence over `-u`. */
function readLogin(given: Given, headers: [string, string][], blocks: Said[]): CurlRequest['login'] {
  if (headers.some(([name]) => name.toLowerCase() === 'authorization')) return null
  const user = given.last('user')
  const token = given.last('oauth2-bearer')
  const scheme = ['digest', 'ntlm', 'ntlm-wb', 'negotiate', 'anyauth'].find((name) => given.isOn(name))
  if (scheme !== undefined && (user !== null || token !== null)) {
    blocks.push(
      scheme === 'digest'
        ? say`signs in with --digest; set up a connector auth with HTTP Digest instead`
        : say`signs in with --${scheme}, which Millrace can't do`,
    )
    return null
  }
  if (token !== null) headers.push(['Authorization', `Bearer ${token}`])
  if (token !== null || user === null) return null
  const at = user.indexOf(':')
  return at === -1
    ? { user, password: missing(say`the password of ${shownText(user)}, which curl asks for`) }
    : { user: user.slice(0, at), password: user.slice(at + 1) }
}

/** The type of a form can be given, but its boundary is always generated. */
function checkMultipartType(headers: [string, string][], { blocks, notes }: Findings): void {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')
  if (type === undefined) return
  if (!/^multipart\//i.test(type[1])) blocks.push(say`sends a form with the Content-Type ${type[1]}`)
  else if (/;\s*boundary=/i.test(type[1])) notes.push(say`Millrace writes the boundary of a form itself`)
  const kept = type[1].replace(/;\s*boundary=(?:"[^"]*"|[^;]*)/i, '').trim()
  headers.splice(headers.indexOf(type), 1)
  if (kept.toLowerCase() !== 'multipart/form-data') headers.push([type[0], kept])
}

function readTimeout(given: Given, notes: Said[]): number | null {
  const seconds = Number(given.last('max-time') ?? 0)
  if (!(seconds > 0)) return null
  if (seconds > 3_600) notes.push(say`Millrace waits an hour at most`)
  return Math.min(seconds, 3_600)
}

function readRetry(given: Given): CurlRequest['retry'] {
  const times = Math.floor(Number(given.last('retry') ?? 0))
  if (!(times > 0)) return null
  const wait = Number(given.last('retry-delay') ?? 0)
  return { attempts: Math.min(times, 20), waitSeconds: wait > 0 ? Math.min(wait, 86_400) : 1 }
}
