import { z } from 'zod'
import { changedItem, collectionOf, isCreating, isItem } from '../../../shared/contract/base/conventions.ts'
import { operationName } from '../../../shared/contract/base/operation-name.ts'
import type { Access, Route, StreamRoute } from '../../../shared/contract/base/route.ts'
import { isCovered, managesTokens, SCOPES } from '../../../shared/contract/base/scopes.ts'
import { headers, HEADERS, refusal, type HeaderName, type RefusalStatus } from './components.ts'

/** One endpoint of the contract as an OpenAPI operation. */
export function toOperation(route: Route | StreamRoute): Record<string, unknown> {
  const { access, summary } = route
  const body = requestBodyOf(route)
  return {
    operationId: operationName(route),
    summary,
    description: describe(access),
    tags: [tagOf(route.path)],
    ...(access === 'open' ? { security: [] } : {}),
    requestParams: {
      ...(route.params ? { path: route.params } : {}),
      ...(route.query ? { query: route.query } : {}),
    },
    parameters: headerParameters(route),
    ...(body ? { requestBody: body } : {}),
    responses: { ...successOf(route), ...refusalsOf(route) },
  }
}

function describe(access: Access): string {
  switch (access) {
    case 'open':
      return 'No authentication.'
    case 'any-token':
      return 'Any valid token.'
    case 'list-tokens':
      return 'Any valid token; only for tokens of its own user.'
    case 'session':
      return 'Only the app and the millrace command; no token.'
    case 'manage-tokens':
      return `A token with one of: ${SCOPES.filter((scope) => managesTokens([scope])).join(', ')}.`
    default: {
      const { entity, operation } = access
      return `A token with one of: ${SCOPES.filter((scope) => isCovered([scope], entity, operation)).join(', ')}.`
    }
  }
}

/** `/v1/connector-auths/…` belongs to `Connector auths`. */
export function tagOf(path: string): string {
  const [, , noun = ''] = path.split('/')
  const words = noun.replace(/\.json$/, '').replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function headerParameters(route: Route | StreamRoute): { $ref: string }[] {
  const names = [
    ...(isCreating(route) && route.access !== 'open' ? ['IdempotencyKey'] : []),
    ...(isItem(route) && route.method === 'GET' ? ['IfNoneMatch'] : []),
    ...(changedItem(route) === null ? [] : ['IfMatch']),
    ...(route.access === 'open' ? [] : ['ActAs']),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function requestBodyOf(route: Route | StreamRoute): object | null {
  if (route.upload) {
    const description = 'The bytes of the file.'
    const file = { type: 'string', contentMediaType: 'application/octet-stream', description }
    const form = { type: 'object', properties: { file }, required: ['file'] }
    return {
      required: true,
      content: {
        'multipart/form-data': { schema: form, example: { file: 'id,total\n4711,19.8\n' } },
        'application/octet-stream': { schema: file },
      },
    }
  }
  if (!route.body) return null
  return {
    required: route.bodyOptional !== true,
    content: { 'application/json': { schema: withReadOnly(route.body, route.readOnly) } },
  }
}

/** Keys of the record that are accepted and ignored, so that a record can be read, edited and sent back. */
function withReadOnly(body: z.ZodType, readOnly: readonly string[] = []): z.ZodType {
  if (!(body instanceof z.ZodObject) || readOnly.length === 0) return body
  const ignored = z.unknown().optional().meta({ readOnly: true, description: 'Accepted and ignored' })
  return body.extend(Object.fromEntries(readOnly.map((key) => [key, ignored])))
}

function successOf(route: Route | StreamRoute): Record<string, object> {
  if ('event' in route) {
    const description =
      'One JSON value per line, each sent as it happens; closing the connection stops the work'
    return {
      200: { description, headers: headers(), content: { 'application/x-ndjson': { schema: route.event } } },
    }
  }
  if (route.download) {
    const content = { '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } }
    return { 200: { description: 'The bytes of the file', headers: headers('ETag'), content } }
  }
  const names: HeaderName[] = [
    ...(collectionOf(route) === null ? [] : ['Location' as const]),
    ...(isItem(route) && route.result ? ['ETag' as const] : []),
    ...(isCreating(route) && route.access !== 'open' ? (['Idempotent-Replayed'] as const) : []),
    ...(route.rateLimited ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
    ...(route.result instanceof z.ZodArray ? ['X-Total-Count' as const, 'Link' as const] : []),
  ]
  const content = route.result && { [route.text ?? 'application/json']: { schema: route.result } }
  const success = {
    description: DONE[route.status],
    headers: { ...headers(...names), ...(route.inPieces ? { ETag: ETAG_IF_WHOLE } : {}) },
    ...(content ? { content } : {}),
  }
  return {
    [route.status]: success,
    ...(route.alternative && {
      [route.alternative.status]: {
        description: DONE[route.alternative.status],
        headers: headers(),
        content: { 'application/json': { schema: route.alternative.result } },
      },
    }),
    ...(isItem(route) && route.method === 'GET'
      ? { 304: { description: "The record hasn't changed (If-None-Match)", headers: headers('ETag') } }
      : {}),
  }
}

const ETAG_IF_WHOLE = {
  ...HEADERS.ETag,
  description: `${HEADERS.ETag.description}. Responses of more than 4 MB have none`,
  required: false,
}

const DONE = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted; the run continues',
  204: 'Done; the response is empty',
}

function refusalsOf(route: Route | StreamRoute): Record<string, object> {
  const takesBody = route.body !== undefined || route.upload === true
  const statuses: RefusalStatus[] = [
    400,
    ...(route.access === 'open' ? [] : ([401] as const)),
    403,
    // A body can also refer to records that don't exist.
    ...(route.params || takesBody ? ([404] as const) : []),
    ...(route.method === 'GET' ? [] : ([409] as const)),
    ...(route.refusals ?? []),
    ...(changedItem(route) === null ? [] : ([412] as const)),
    ...(takesBody ? ([413, 415] as const) : []),
    ...(route.rateLimited ? ([429] as const) : []),
    500,
    503,
  ]
  return Object.fromEntries(statuses.map((status) => [status, refusal(status)]))
}
