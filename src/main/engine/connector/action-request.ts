import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import {
  type Data,
  type DataMap,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  getKey,
  isDictionary,
  isList,
} from '@millrace/jinja/data'
import type { ApiRequest } from '../request/api-request.ts'
import { valueText } from '../request/query-string.ts'
import { bodyOf, type RequestBody } from '../request/body.ts'
import type { HeaderLine, Random } from '../ports.ts'
import { headerValue } from '../request/headers.ts'
import { type BodyFile, writeMultipart, withBoundary } from '../request/multipart.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { evaluateOptional, renderJsonBody, renderTemplate } from '@millrace/jinja'
import { authContext, credentialsOf } from './credentials.ts'
import type { OpenAuth } from './open-auth.ts'

export interface ActionCall {
  readonly connector: Connector
  readonly action: Action
  readonly auth: OpenAuth | null
  /** The step's form values after rendering, so they are plain data. */
  readonly input: Dictionary
  readonly env: Readonly<Record<string, Data>>
  readonly files: BodyFiles
}

/** The sources for building bodies with files. */
export interface BodyFiles {
  readonly random: Random
  /** Null if there is no such file. */
  readonly readFile: (fileId: string) => BodyFile | null
}

/** The variables in templates of connectors, actions and pagination configurations. */
export function actionContext({ auth, input, env }: Pick<ActionCall, 'auth' | 'input' | 'env'>): DataMap {
  const context: Record<string, Data> = Object.setPrototypeOf({ ...env }, null)
  for (const [name, value] of entriesOf(input)) context[name] = value
  context['input'] = input
  context['auth'] = authContext(auth)
  return context
}

/** A connector's own templates can't read anything from a run, because data must not decide which host is called. */
function connectorContext({ auth, env }: ActionCall): DataMap {
  return actionContext({ auth, input: dictionaryOf([]), env })
}

/**
 * The call of an action with all its templates rendered. `at` runs work on one field, so that errors can name it.
 *
 * @throws TemplateError
 */
export function buildActionRequest(call: ActionCall, at: At = (_field, work) => work()): ApiRequest {
  const { connector, action, auth } = call
  const context = actionContext(call)
  const fixed = connectorContext(call)
  const credentials = credentialsOf(connector, auth)
  const own = at('headers', () => headersOf(action.headers, context))
  const custom = at('custom_headers', () => headersOf(connector.header?.custom_headers ?? {}, fixed))
  const content = READING.has(action.method) ? undefined : at('body', () => renderBody(action.body, context))
  const type: HeaderLine[] =
    content === undefined ? [] : [['Content-Type', connector.header?.content_type ?? '']]
  const lines = withoutRepeats([
    ...own,
    ...custom,
    ...credentials.headers,
    ...type.filter(([, value]) => value !== ''),
  ])
  const { body, headers } = at('body', () => writtenBody(content, lines, call.files))
  return {
    baseUrl: auth?.api_endpoint || at('base_domain', () => renderTemplate(connector.base_domain, fixed)),
    endpoint: at('endpoint', () => renderTemplate(action.endpoint, context)),
    method: action.method,
    query: dictionaryOf([
      ...entriesOf(at('query', () => renderValues(action.query, context))),
      ...entriesOf(credentials.query),
    ]),
    headers,
    body,
  }
}

/** Builds a form with files, or a single file, if the `Content-Type` and the value call for it. */
function writtenBody(
  value: Data | undefined,
  headers: readonly HeaderLine[],
  files: BodyFiles,
): { readonly body: RequestBody; readonly headers: readonly HeaderLine[] } {
  const type = headerValue(headers, 'content-type') ?? ''
  if (value !== undefined && isDictionary(value)) {
    if (/^multipart\//i.test(type)) {
      const { content, boundary } = writeMultipart(value, {
        random: files.random,
        openFile: (id) => fileOf(id, files),
      })
      return { body: { kind: 'raw', content }, headers: headers.map((line) => withBoundary(line, boundary)) }
    }
    const id = getKey(value, 'file_id')
    if (id !== undefined && type !== '' && !/[/+]json\b|^application\/x-www-form-urlencoded\b/i.test(type))
      return { body: { kind: 'raw', content: fileOf(id, files).content }, headers }
  }
  return { body: bodyOf(value, headers), headers }
}

function fileOf(id: Data, { readFile }: BodyFiles): BodyFile {
  const file = typeof id === 'string' ? readFile(id) : null
  if (file !== null) return file
  const shown = typeof id === 'string' ? `"${id.slice(0, 60)}"` : 'of that id'
  throw new AppError(
    'not_found',
    say('There is no file {{file}}; use the "file_id" of a file that was received', { file: shown }),
  )
}

export type At = <T>(field: string, work: () => T) => T

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Renders nested values too. A string that consists of a single expression keeps the type of its value. A key whose
 * expression is undefined is left out, because null would tell an API to clear the field.
 */
function renderData(value: unknown, context: DataMap): Data | undefined {
  if (typeof value === 'string') return evaluateOptional(value, context)
  if (Array.isArray(value)) return value.map((item) => renderData(item, context) ?? null)
  const data = value as Data
  if (!isDictionary(data)) return data
  const members = entriesOf(data).map(([key, item]) => [key, renderData(item, context)] as const)
  return dictionaryOf(members.filter((member): member is [string, Data] => member[1] !== undefined))
}

function renderValues(values: Readonly<Record<string, unknown>>, context: DataMap): Dictionary {
  const rendered = renderData(values, context)
  return rendered !== undefined && isDictionary(rendered) ? rendered : dictionaryOf([])
}

/** In a string written as JSON, values are encoded for their position, so a quote in a value can't break it. */
function renderBody(body: unknown, context: DataMap): Data | undefined {
  if (body === null || body === undefined || body === '') return undefined
  if (typeof body === 'string' && isJsonTemplate(body)) return renderJsonBody(body, context)
  return renderData(body, context)
}

/** Whether the string begins with `{` or `[`, but not with the braces of a template. */
export function isJsonTemplate(source: string): boolean {
  // linear: the look-ahead reads one character
  return /^\s*(?:\{(?![{%#])|\[)/.test(source)
}

function headersOf(headers: Readonly<Record<string, string>>, context: DataMap): HeaderLine[] {
  return headerLines(renderValues(headers, context))
}

/** Converts an object to headers. Null omits a header, and a list sends its name once for each item. */
export function headerLines(headers: Dictionary): HeaderLine[] {
  return entriesOf(headers).flatMap(([name, value]) =>
    (isList(value) ? value : [value]).flatMap((item) =>
      item === null ? [] : [[name, valueText(item)] satisfies HeaderLine],
    ),
  )
}

/**
 * Keeps the first of several headers with the same name. The action's come first, then the connector's, then
 * the auth's.
 */
function withoutRepeats(lines: readonly HeaderLine[]): HeaderLine[] {
  const kept: HeaderLine[] = []
  for (const line of lines) if (headerValue(kept, line[0]) === null) kept.push(line)
  return kept
}
