import { englishOf, type Said, say } from '@millrace/jinja/said'
import { openPartsOf, shownText, withoutOpenParts } from './open-text.ts'
import { fieldsOf, fileOf } from './form-fields.ts'
import type { CurlRequest } from './request.ts'
import {
  isOwnTemplate,
  placeholder,
  splitTemplates,
  toExpression,
  toTemplate,
  type TemplateOptions,
} from './template-text.ts'

/** A request as a `rest` step. */
export interface CurlStep {
  readonly config: Record<string, unknown>
  readonly retry: { readonly attempts: number; readonly wait_seconds: number } | null
  /** Differences from the command, and steps that the user has to take. */
  readonly notes: readonly Said[]
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
/** Shell variables become Millrace's variables. */
const OPTIONS: TemplateOptions = { keepsTemplates: true, read: (name) => name }

/** Data that isn't in the command becomes a placeholder, which the editor shows and at which runs fail. */
export function restStepOf(request: CurlRequest): CurlStep {
  const notes = [...request.notes, ...variablesOf(request)]
  const blocks = [...request.blocks]
  const method = request.method.toUpperCase()
  if (!METHODS.has(method))
    blocks.push(say`has the method ${shownText(request.method).slice(0, 40)}, which steps don't support`)
  else if (method !== request.method)
    notes.push(say`curl sends the method as ${request.method}, Millrace as ${method}`)
  const headers = headersOf(request)
  const { body, body_type } = bodyOf(request, headers, notes)
  return {
    config: {
      method: METHODS.has(method) ? method : 'POST',
      url:
        blocks.map((block) => placeholder(`the request ${englishOf(block)}`)).join('') +
        toTemplate(request.url, OPTIONS),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(body_type === 'none' ? {} : { body, body_type }),
      ...(request.timeoutSeconds === null ? {} : { timeout_seconds: request.timeoutSeconds }),
    },
    retry:
      request.retry === null
        ? null
        : { attempts: request.retry.attempts, wait_seconds: request.retry.waitSeconds },
    notes,
  }
}

function variablesOf({ url, headers, login, body }: CurlRequest): readonly Said[] {
  const texts = [url, ...headers.map(([, value]) => value), login?.user ?? '', login?.password ?? '']
  if (body.kind === 'text') texts.push(body.text)
  if (body.kind === 'multipart') texts.push(...body.parts.map(({ content }) => content))
  const names = texts.flatMap(openPartsOf).flatMap((part) => (part.kind === 'variable' ? [part.name] : []))
  return [...new Set(names)].map((name) => say`$${name} is read from the variable ${name}`)
}

type Headers = Record<string, string | readonly string[] | null>

/** A header that is sent more than once becomes a list. */
function headersOf({ headers, login }: CurlRequest): Headers {
  const found = new Map<string, string | string[]>()
  const add = (name: string, value: string) => {
    const known = [...found.keys()].find((key) => key.toLowerCase() === name.toLowerCase())
    const before = known === undefined ? undefined : found.get(known)
    found.set(known ?? name, before === undefined ? value : [before, value].flat())
  }
  for (const [name, value] of headers) add(name, toTemplate(value, OPTIONS))
  if (login !== null) {
    const text = `${toExpression(login.user, OPTIONS)} ~ ':' ~ ${toExpression(login.password, OPTIONS)}`
    add('Authorization', `Basic {{ (${text}) | base64_encode }}`)
  }
  return Object.fromEntries(found)
}

interface StepBody {
  readonly body: unknown
  readonly body_type: 'none' | 'text' | 'json' | 'form' | 'binary' | 'multipart'
}

function bodyOf({ body }: CurlRequest, headers: Headers, notes: Said[]): StepBody {
  switch (body.kind) {
    case 'none':
      return { body: null, body_type: 'none' }
    case 'file':
      if (Object.keys(headers).every((name) => name.toLowerCase() !== 'content-type'))
        headers['Content-Type'] = null
      return { body: fileOf(body.path), body_type: 'binary' }
    case 'multipart':
      return { body: fieldsOf(body.parts, notes, OPTIONS), body_type: 'multipart' }
    default:
      return textBodyOf(body.text, headers)
  }
}

/** The body as a structure if that serializes to the same string, or else as the string. */
function textBodyOf(text: string, headers: Headers): StepBody {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'content-type')
  // A step adds its own content type to a string without one, unless the header is null.
  if (name === undefined) headers['Content-Type'] = null
  const type = name === undefined ? '' : String(headers[name]).toLowerCase()
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(type)
  const structured = isJson ? jsonBody(text) : type === FORM ? formBody(text) : null
  if (structured === null) return { body: toTemplate(text, OPTIONS), body_type: 'text' }
  if (name !== undefined && (type === FORM || type === 'application/json')) delete headers[name]
  return structured
}

const FORM = 'application/x-www-form-urlencoded'
const hasTemplate = (text: string) => text.includes('{{')
const withNumbers = (text: string) =>
  splitTemplates(text)
    .map((piece, index) => (index % 2 === 1 ? '0' : piece))
    .join('')

/** Null if the string isn't JSON, or would be serialized differently as the JSON body of a step. */
function jsonBody(text: string): StepBody | null {
  const bare = withoutOpenParts(text, 'x')
  if (!isOwnTemplate(withNumbers(bare))) return null
  try {
    // Variables are only accepted inside strings, because a bare one isn't always a JSON value.
    const value: unknown = JSON.parse(withNumbers(bare))
    const isWhole = bare === text && !hasTemplate(text) && typeof value === 'object' && value !== null
    if (isWhole && JSON.stringify(value) === text) return { body: value, body_type: 'json' }
    return { body: toTemplate(text, OPTIONS), body_type: 'json' }
  } catch {
    return null
  }
}

/** Null if an object of fields would be serialized differently. */
function formBody(text: string): StepBody | null {
  if (withoutOpenParts(text, '') !== text || text === '') return null
  const fields = new Map<string, string[]>()
  let last = ''
  for (const pair of pairsOf(text)) {
    const [, name = '', value] = /^([^=]*)=([\s\S]*)$/.exec(pair) ?? []
    const decoded = value === undefined ? null : [decode(name), decode(value)]
    if (decoded === null || decoded[0] === null || decoded[1] === null) return null
    const [key = '', content = ''] = decoded as string[]
    // An object groups fields with the same name.
    if (key === '' || key === '__proto__' || (fields.has(key) && last !== key)) return null
    last = key
    fields.set(key, [...(fields.get(key) ?? []), toTemplate(content, OPTIONS)])
  }
  return {
    body: Object.fromEntries(
      [...fields].map(([key, values]) => [key, values.length === 1 ? values[0] : values]),
    ),
    body_type: 'form',
  }
}

/** Splits at ampersands, except those inside templates. */
function pairsOf(text: string): string[] {
  const pairs = ['']
  for (const [index, piece] of splitTemplates(text).entries()) {
    const [first = '', ...more] = index % 2 === 1 ? [piece] : piece.split('&')
    pairs.push(`${pairs.pop() ?? ''}${first}`, ...more)
  }
  return pairs
}

/** Null if it would be encoded differently; a template is unchanged. */
function decode(text: string): string | null {
  if (hasTemplate(text)) return text
  try {
    const decoded = decodeURIComponent(text)
    return encodeURIComponent(decoded).replaceAll("'", '%27') === text ? decoded : null
  } catch {
    return null
  }
}
