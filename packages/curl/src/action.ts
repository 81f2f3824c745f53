import { englishOf, type Said, say } from '@millrace/jinja/said'
import { withoutOpenParts, openPartsOf, shownText } from './open-text.ts'
import { fieldsOf, fileOf } from './form-fields.ts'
import type { CurlRequest } from './request.ts'
import { isOwnTemplate, placeholder, toTemplate, type TemplateOptions } from './template-text.ts'

/** A request as a connector's action. */
export interface CurlAction {
  readonly method: string
  /** The path without its leading slash. Includes the query if an object would be serialized differently. */
  readonly endpoint: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Shell variables, which become form fields. */
  readonly inputs: readonly string[]
  readonly notes: readonly Said[]
}

export interface CurlActionOptions {
  /** Headers and parameters whose values aren't imported. */
  readonly isSecret: (name: string) => boolean
  /** Called for each value that was left out. */
  readonly onSecret: (place: 'header' | 'query parameter', name: string, value: string) => void
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
const OPTIONS: TemplateOptions = { keepsTemplates: false, read: (name) => `input.${name}` }

/** Data that isn't in the command becomes a placeholder, at which the action's calls fail. */
export function actionOf(request: CurlRequest, options: CurlActionOptions): CurlAction {
  const notes = [...request.notes]
  const blocks = [...request.blocks]
  const method = request.method.toUpperCase()
  if (!METHODS.has(method))
    blocks.push(say`has the method ${shownText(request.method).slice(0, 40)}, which actions don't support`)
  else if (method !== request.method)
    notes.push(say`curl sends the method as ${request.method}, Millrace as ${method}`)
  if (request.timeoutSeconds !== null) notes.push(say`the time limit of a call is set at the step`)
  if (request.retry !== null) notes.push(say`retries of a call are set at the step`)
  const headers = headersOf(request, options)
  const body = bodyOf(request, method, headers, { blocks, notes })
  const { path, query, inPath } = addressOf(request.url, options)
  return {
    method: METHODS.has(method) ? method : 'POST',
    endpoint: blocks.map((block) => placeholder(`the request ${englishOf(block)}`)).join('') + path + inPath,
    query,
    headers,
    body,
    inputs: variablesOf(path + inPath, query, headers, body),
    notes: [
      ...notes,
      ...[...blocks.map((block) => say`the request ${block}`), ...missingIn(request)].map(
        (what) => say`${what}; the action has a placeholder for it`,
      ),
    ],
  }
}

/** Open parts in the strings of the action. */
function missingIn({ url, headers, body }: CurlRequest): readonly Said[] {
  const parts = body.kind === 'multipart' ? body.parts : []
  const files = parts.flatMap(({ file }) => (file === null ? [] : [file]))
  if (body.kind === 'file') files.push(body.path)
  const texts = [url, ...headers.map(([, value]) => value), ...parts.map(({ content }) => content)]
  if (body.kind === 'text') texts.push(body.text)
  return [
    ...files.map((path) => say`the file ${path} is on the computer that the command was written for`),
    ...parts.flatMap(({ problems }) => problems),
    ...texts.flatMap(openPartsOf).flatMap((part) => (part.kind === 'missing' ? [part.what] : [])),
  ]
}

function addressOf(url: string, { isSecret, onSecret }: CurlActionOptions) {
  const [, path = '', search = ''] = /^[a-z]+:\/\/[^/?#]*([^?]*)(?:\?([\s\S]*))?$/i.exec(url) ?? []
  const pairs: string[] = []
  for (const pair of search.split('&')) {
    const name = decode(pair.split('=', 1)[0] ?? '')
    if (name !== null && isSecret(name)) onSecret('query parameter', name, pair.slice(pair.indexOf('=') + 1))
    else pairs.push(pair)
  }
  const kept = pairs.join('&')
  const query = kept === '' ? {} : dictionaryOf(pairs)
  return {
    path: toTemplate(path.replace(/^\//, ''), OPTIONS),
    query: query ?? {},
    inPath: query === null ? `?${toTemplate(kept, OPTIONS)}` : '',
  }
}

/** Null if an object would be serialized differently. */
function dictionaryOf(pairs: readonly string[]): Record<string, string | string[]> | null {
  const found = new Map<string, string[]>()
  let last = ''
  for (const pair of pairs) {
    const [, rawName = '', rawValue] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? []
    const name = decode(rawName)
    const value = rawValue === undefined ? null : decode(rawValue)
    if (name === null || value === null || name === '' || name === '__proto__') return null
    if (withoutOpenParts(pair, '') !== pair || (found.has(name) && last !== name)) return null
    last = name
    found.set(name, [...(found.get(name) ?? []), toTemplate(value, OPTIONS)])
  }
  return Object.fromEntries(
    [...found].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

/** Null if it would be encoded differently. */
function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text)
    return encodeURIComponent(decoded).replaceAll("'", '%27') === text ? decoded : null
  } catch {
    return null
  }
}

/** An action has each header once; several lines with a name are equivalent to one with commas. */
function headersOf({ headers, login }: CurlRequest, { isSecret, onSecret }: CurlActionOptions) {
  const found: Record<string, string> = {}
  if (login !== null) onSecret('header', 'Authorization', 'Basic ')
  for (const [name, value] of headers) {
    if (isSecret(name)) {
      onSecret('header', name, shownText(value))
      continue
    }
    const known = Object.keys(found).find((key) => key.toLowerCase() === name.toLowerCase())
    const template = toTemplate(value, OPTIONS)
    found[known ?? name] = known === undefined ? template : `${found[known]}, ${template}`
  }
  return found
}

function bodyOf(
  { body }: CurlRequest,
  method: string,
  headers: Record<string, string>,
  { blocks, notes }: { readonly blocks: Said[]; readonly notes: Said[] },
): unknown {
  if (body.kind === 'none') return null
  if (method === 'GET' || method === 'HEAD') {
    blocks.push(say`sends a body with ${method}, which only a rest step can do`)
    return null
  }
  const type = Object.keys(headers).find((name) => name.toLowerCase() === 'content-type')
  const said = type === undefined ? '' : (headers[type] ?? '')
  if (body.kind === 'multipart') {
    if (type === undefined) headers['Content-Type'] = 'multipart/form-data'
    return fieldsOf(body.parts, notes, OPTIONS)
  }
  if (body.kind === 'file' && said !== '' && !/[/+]json\b|^application\/x-www-form-urlencoded\b/i.test(said))
    return fileOf(body.path)
  if (body.kind === 'file') {
    blocks.push(
      said === ''
        ? say`sends the file ${body.path} without a Content-Type, which only a rest step can do`
        : say`sends the file ${body.path} as ${said}, which only a rest step can do`,
    )
    return null
  }
  if (type === undefined) blocks.push(say`sends a body without a Content-Type, which only a rest step can do`)
  return textBodyOf(body.text, said)
}

/** The body as a structure if that serializes to the same string, or else as the string. */
function textBodyOf(text: string, type: string): unknown {
  const template = toTemplate(text, OPTIONS)
  const bare = withoutOpenParts(text, 'x')
  const value = jsonOf(bare)
  if (bare === text && /json/i.test(type) && typeof value === 'object' && value !== null)
    if (JSON.stringify(value) === text) return literals(value)
  // In a string that begins like JSON, values are encoded as JSON. That is correct only if it is JSON and
  // contains no escapes.
  const isPlaced = /^\s*[[{]/.test(template) && !/^\s*\{[{%#]/.test(template)
  if (!isPlaced || (value !== undefined && isOwnTemplate(bare))) return template
  return openPartsOf(text).length === 0 && isOwnTemplate(text)
    ? template
    : template.replace(/[[{]/, (sign) => `{{ '${sign}' }}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function literals(value: unknown): unknown {
  if (typeof value === 'string') return toTemplate(value, OPTIONS)
  if (Array.isArray(value)) return value.map(literals)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, literals(part)]))
}

function variablesOf(...values: unknown[]): readonly string[] {
  const names = [...JSON.stringify(values).matchAll(/\binput\.([A-Za-z_]\w*)/g)].map(([, name = '']) => name)
  return [...new Set(names)]
}
