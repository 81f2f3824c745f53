import { say } from '../../../../../shared/contract/base/message.ts'
import { isUtf8 } from 'node:buffer'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { cleanFileName, decoded, fileNameIn } from '../../../../../shared/file-name.ts'
import { headerLines } from '../../../connector/action-request.ts'
import { authContext, credentialsFor } from '../../../connector/credentials.ts'
import type { OpenAuth } from '../../../connector/open-auth.ts'
import { type Data, type Dictionary, dictionaryOf, entriesOf, isDictionary } from '@millrace/jinja/data'
import { addressRules, firstRequest, readAnyBody } from '../../../pagination/index.ts'
import type { HeaderLine, OutgoingResponse } from '../../../ports.ts'
import type { ApiRequest } from '../../../request/api-request.ts'
import { writeBody } from '../../../request/body.ts'
import { headerRecord, headerValue } from '../../../request/headers.ts'
import { withBoundary } from '../../../request/multipart.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { shortText } from '../support/read-input.ts'
import { fetchAll, sendOnce, withIdempotencyKey } from '../support/outgoing-call.ts'
import { restBody } from '../support/rest-body.ts'
import { findAuth } from '../support/step-auth.ts'

/** Sends one HTTP request defined in the step, or follows its pages. */
export const rest: StepRunner<'rest'> = {
  outside: true,
  // Paging only reads, whatever the method.
  commits: ({ pagination }) => (pagination === null ? 'around' : 'soon'),
  async run({ config, ref }, scope) {
    const auth = await findAuth(config, null, scope)
    const request = buildRequest(config, auth, scope)
    const call = {
      auth,
      timeoutMs: config.timeout_seconds === undefined ? undefined : config.timeout_seconds * 1000,
    }
    if (config.pagination !== null) {
      const variables = { ...scope.context, auth: authContext(auth) }
      return fetchAll(scope, {
        ...call,
        request: { ...request, baseUrl: folderOf(request.endpoint) },
        config: config.pagination as Data,
        variables,
        allowedOrigins: [],
        maxPages: undefined,
        whenInDoubt: config.when_in_doubt,
      })
    }
    const action = withIdempotencyKey(request, scope, ref)
    const wire = firstRequest({ action, rules: addressRules('', action.endpoint, []) })
    const { response, refusal } = await sendOnce(scope, { ...wire, body: writeBody(wire.body) }, call)
    if (refusal && config.fail_on_error) throw refusal
    return outputOf(response, (await keepResponseFile(response, scope)) ?? readAnyBody(response))
  },
}

/** The URL without its last segment, to which a relative `endpoint` of the configuration is appended. */
export function folderOf(address: string): string {
  const url = new URL(address)
  url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1)
  url.search = ''
  url.hash = ''
  return url.href
}

type RequestConfig = Pick<StepConfig<'rest'>, 'method' | 'url' | 'headers' | 'query' | 'body' | 'body_type'>

/** A GET request to a URL from the config, with headers and the credentials. */
export function restRequest(
  { url, headers }: Pick<StepConfig<'rest'>, 'url' | 'headers'>,
  auth: OpenAuth | null,
  scope: StepScope,
): ApiRequest {
  const rest = {
    method: 'GET',
    query: {},
    body: null,
    body_type: 'none',
    fail_on_error: true,
    pagination: null,
  } as const
  return buildRequest({ ...rest, url, headers }, auth, scope)
}

/** The request of the config, with the credentials. */
export function buildRequest(config: RequestConfig, auth: OpenAuth | null, scope: StepScope): ApiRequest {
  const url = scope.renderText('config.url', config.url).trim()
  if (!/^https?:\/\/[^/]/i.test(url) || URL.parse(url) === null) {
    throw scope.fail(
      'validation',
      say('"url" must be a URL that begins with http:// or https://, got {{value}}', {
        value: shortText(url),
      }),
      {
        field: 'config.url',
      },
    )
  }
  const headers = dictionary('headers', config.headers, scope)
  const query = dictionary('query', config.query, scope)
  const content = restBody(config, scope)
  scope.showInput(
    dictionaryOf([
      ['method', config.method],
      ['url', url],
      ['headers', headers],
      ['query', query],
      ['body', content.shown],
    ]),
  )
  const credentials = credentialsFor(auth, scope.ports)
  const given = headerLines(headers)
  const { boundary } = content
  const own = boundary === undefined ? given : given.map((line) => withBoundary(line, boundary))
  return {
    baseUrl: '',
    endpoint: url,
    method: config.method,
    query: dictionaryOf([...entriesOf(query), ...entriesOf(credentials.query)]),
    headers: withDefaults(own, [
      ...credentials.headers,
      ...content.headers.filter(([name]) => !isRefused(headers, name)),
    ]),
    body: content.body,
  }
}

function dictionary(name: 'headers' | 'query', value: unknown, scope: StepScope): Dictionary {
  const field = `config.${name}`
  const rendered = scope.evaluate(field, value)
  if (isDictionary(rendered)) return rendered
  if (rendered === null || rendered === '') return dictionaryOf([])
  throw scope.fail(
    'validation',
    say('"{{name}}" must be an object, got {{value}}', { name, value: shortText(rendered) }),
    { field },
  )
}

/** Whether the author set the header to null, so that it isn't sent. */
function isRefused(headers: Dictionary, name: string): boolean {
  return entriesOf(headers).some(([key, value]) => value === null && key.toLowerCase() === name.toLowerCase())
}

/** Headers set by the author win; names are case-insensitive. */
function withDefaults(own: readonly HeaderLine[], defaults: readonly HeaderLine[]): HeaderLine[] {
  return [...own, ...defaults.filter(([name]) => headerValue(own, name) === null)]
}

export function outputOf(response: OutgoingResponse, body: Data): Data {
  return dictionaryOf([
    ['status', response.status],
    ['headers', dictionaryOf(Object.entries(headerRecord(response.headers)))],
    ['body', body],
  ])
}

/**
 * Stores a file and returns `{filename, content_type, size, file_id}`, as for received files; null if the
 * response is text.
 */
async function keepResponseFile(response: OutgoingResponse, scope: StepScope): Promise<Data | null> {
  const type = headerValue(response.headers, 'content-type') ?? ''
  if (!isFile(type, response.body)) return null
  const filename = nameOf(response)
  const contentType = type.split(';')[0]?.trim() || 'application/octet-stream'
  const file = { filename, contentType, content: response.body }
  return dictionaryOf([
    ['filename', filename],
    ['content_type', contentType],
    ['size', response.body.length],
    ['file_id', await scope.ports.keepFile(file, scope.runId)],
  ])
}

/**
 * Whether the response is a file, judging by its content type or, for unknown types, by bytes that never
 * occur in text.
 */
function isFile(type: string, body: Uint8Array): boolean {
  if (body.length === 0) return false
  if (/^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip)\b)/i.test(type)) return true
  const saysText = /^text\/|[/+](?:json|xml)\b|charset=/i.test(type)
  const hasMark = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)
  return type !== '' && !saysText && !hasMark && !isUtf8(body)
}

/** The filename from the response or, without one, the end of the URL. */
function nameOf({ headers, url }: OutgoingResponse): string {
  const said = fileNameIn(headerValue(headers, 'content-disposition') ?? '')
  const name = said ?? decoded(URL.parse(url)?.pathname ?? '')
  return cleanFileName(name.split(/[/\\]/).at(-1) ?? '') || 'file'
}
