/** The HTTP request node: v1 and v2 name their parameters otherwise than v3 and v4. */
import { childOf, isRecord, ownOf, type Plain, textOf } from '../../plain.ts'
import { asStep, type NodeContext, type NodeType } from './node-context.ts'
import type { Source } from '../source/values.ts'
import { listOf } from '../source/workflow.ts'

export const httpRequestNode: NodeType = {
  runs: 'each',
  convert(context) {
    const { node, ref, note } = context
    const config = node.version >= 3 ? newRequest(context) : oldRequest(context)
    const options = childOf(node.parameters, 'options')
    const response = childOf(childOf(options, 'response'), 'response')
    const isFull = options['fullResponse'] === true || response['fullResponse'] === true
    const format = textOf(response['responseFormat']) || textOf(node.parameters['responseFormat'])
    if (childOf(options, 'pagination')['pagination'] !== undefined)
      note(
        'config.pagination',
        'followed pages; set the pagination of this step, which finds out most of it by itself',
      )
    if (format === 'file') note(null, 'kept the answer as a file; here its text is in "body"')
    if (childOf(options, 'batching')['batch'] !== undefined)
      note(null, 'sent its requests in portions; waits that a service asks for are kept here by themselves')
    if (options['proxy']) note(null, 'went through a proxy, which is not taken over')
    if (options['allowUnauthorizedCerts'] === true)
      note(null, 'took certificates that nobody vouches for; they are refused here')
    return asStep({ ref_id: ref, type: 'rest', config }, answerOf(ref, isFull, format))
  },
}

function answerOf(ref: string, isFull: boolean, format: string): Source {
  if (isFull) {
    const whole = `{'body': ${ref}.body, 'headers': ${ref}.headers, 'statusCode': ${ref}.status}`
    const fields = {
      body: `${ref}.body`,
      headers: `${ref}.headers`,
      statusCode: `${ref}.status`,
      statusMessage: null,
    }
    return { whole, items: 'one', fields }
  }
  if (format === 'text' || format === 'string')
    return { whole: `{'data': ${ref}.body}`, items: 'one', fields: { data: `${ref}.body` } }
  return { whole: `${ref}.body`, items: 'maybe' }
}

/** v3 and v4. */
function newRequest(context: NodeContext): Record<string, unknown> {
  const { node, text } = context
  const { parameters } = node
  const options = childOf(parameters, 'options')
  sayCredentials(context)
  return {
    method: methodOf(context, parameters['method']),
    url: text('config.url', parameters['url']),
    ...(parameters['sendQuery'] === true
      ? { query: pairs(context, 'query', parameters, 'specifyQuery', 'queryParameters', 'jsonQuery') }
      : {}),
    ...(parameters['sendHeaders'] === true
      ? {
          headers: withoutSecrets(
            context,
            pairs(context, 'headers', parameters, 'specifyHeaders', 'headerParameters', 'jsonHeaders'),
          ),
        }
      : {}),
    ...(parameters['sendBody'] === true ? newBody(context) : {}),
    ...commonOptions(options, childOf(childOf(options, 'response'), 'response')['neverError'] === true),
  }
}

function newBody(context: NodeContext): Record<string, unknown> {
  const { node, text, value, note } = context
  const { parameters } = node
  const type = textOf(parameters['contentType']) || 'json'
  const specify = textOf(parameters['specifyBody']) || 'keypair'
  switch (type) {
    case 'form-urlencoded':
      return specify === 'string'
        ? { body_type: 'text', body: text('config.body', parameters['body']), ...contentType(context, FORM) }
        : {
            body_type: 'form',
            body: namedValues(context, 'body', childOf(parameters, 'bodyParameters')['parameters']),
          }
    case 'multipart-form-data':
      return {
        body_type: 'multipart',
        body: namedValues(context, 'body', childOf(parameters, 'bodyParameters')['parameters']),
      }
    case 'raw':
      return {
        body_type: 'text',
        body: text('config.body', parameters['body']),
        ...contentType(context, textOf(parameters['rawContentType']) || 'text/html'),
      }
    case 'binaryData':
      note('config.body', 'sent a file; name its file_id here')
      return { body_type: 'binary', body: '' }
    default:
      if (specify === 'keypair')
        return { body: namedValues(context, 'body', childOf(parameters, 'bodyParameters')['parameters']) }
      return { body: value('config.body', jsonOf(parameters['jsonBody'])) }
  }
}

const FORM = 'application/x-www-form-urlencoded'

function contentType({ node }: NodeContext, type: string): { headers?: Record<string, string> } {
  return node.parameters['sendHeaders'] === true || type.startsWith('=')
    ? {}
    : { headers: { 'Content-Type': type } }
}

/** v1 and v2. */
function oldRequest(context: NodeContext): Record<string, unknown> {
  const { node, text, value } = context
  const { parameters } = node
  const options = childOf(parameters, 'options')
  const isJson = parameters['jsonParameters'] === true
  sayCredentials(context)
  const list = (key: string) => childOf(parameters, key)['parameter']
  const query = isJson
    ? value('config.query', jsonOf(parameters['queryParametersJson']) ?? {})
    : namedValues(context, 'query', list('queryParametersUi'))
  const headers = isJson
    ? value('config.headers', jsonOf(parameters['headerParametersJson']) ?? {})
    : namedValues(context, 'headers', list('headerParametersUi'))
  const body = isJson
    ? value('config.body', jsonOf(parameters['bodyParametersJson']) ?? null)
    : namedValues(context, 'body', list('bodyParametersUi'))
  const bodyType = ownOf(OLD_BODIES, textOf(options['bodyContentType']) || 'json') ?? 'json'
  return {
    method: methodOf(context, parameters['requestMethod'] ?? parameters['method']),
    url: text('config.url', parameters['url']),
    query,
    headers: withoutSecrets(context, headers),
    ...(isRecord(body) && Object.keys(body).length === 0 ? {} : { body, body_type: bodyType }),
    ...commonOptions(options, options['ignoreResponseCode'] === true),
  }
}

const OLD_BODIES: Readonly<Record<string, string>> = {
  json: 'json',
  'form-urlencoded': 'form',
  'multipart-form-data': 'multipart',
  raw: 'text',
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function methodOf({ note }: NodeContext, method: unknown): string {
  const name = textOf(method) || 'GET'
  if (METHODS.includes(name)) return name
  note('config.method', `its method "${name.slice(0, 60)}" is calculated; GET stands in its place`)
  return 'GET'
}

function commonOptions(options: Plain, ignoresStatus: boolean): Record<string, unknown> {
  const timeout = Number(options['timeout'])
  return {
    ...(ignoresStatus ? { fail_on_error: false } : {}),
    ...(timeout >= 1 && timeout <= 3_600_000 ? { timeout_seconds: timeout / 1000 } : {}),
  }
}

function sayCredentials({ node, note }: NodeContext): void {
  const authentication = textOf(node.parameters['authentication']) || 'none'
  const names = node.credentials.map((name) => `"${name}"`).join(', ')
  if (authentication === 'none' && names === '') return
  note(
    'config.auth_id',
    `signed in with ${names === '' ? authentication : `n8n's credentials ${names}`}; choose a connector auth`,
  )
}

function pairs(
  context: NodeContext,
  field: string,
  parameters: Plain,
  how: string,
  list: string,
  json: string,
): unknown {
  if (parameters[how] === 'json') return context.value(`config.${field}`, jsonOf(parameters[json]) ?? {})
  return namedValues(context, field, childOf(parameters, list)['parameters'])
}

/** `[{name, value}]`; a name that comes again makes a list. */
function namedValues({ value, note }: NodeContext, field: string, list: unknown): Record<string, unknown> {
  const found = new Map<string, unknown>()
  for (const one of listOf(list).filter(isRecord).slice(0, 500)) {
    const name = textOf(one['name'])
    if (name === '' || name === '__proto__') continue
    if (name.startsWith('=')) {
      note(`config.${field}`, `the name "${name.slice(0, 60)}" is calculated and was left out`)
      continue
    }
    if (one['parameterType'] === 'formBinaryData') {
      note(`config.${field}.${name}`, 'sent a file; give a dictionary with its file_id')
      found.set(name, '')
      continue
    }
    const read = value(`config.${field}.${name}`, one['value'] ?? '')
    const before = found.get(name)
    found.set(
      name,
      before === undefined ? read : Array.isArray(before) ? [...(before as unknown[]), read] : [before, read],
    )
  }
  return Object.fromEntries(found)
}

const SECRET = /^(?:proxy-)?authorization$|^cookie$|api[-_]?key|token|secret|password/i

/** What was written into the workflow is a credential all the same. */
function withoutSecrets({ note }: NodeContext, headers: unknown): unknown {
  if (!isRecord(headers)) return headers
  return Object.fromEntries(
    Object.entries(headers).filter(([name, held]) => {
      const isSecret = SECRET.test(name) && typeof held === 'string' && !held.includes('{{')
      if (isSecret)
        note(`config.headers.${name}`, 'held a credential, which is not taken over; choose a connector auth')
      return !isSecret
    }),
  )
}

/** JSON that was typed is kept as what it is; a text with expressions stays a text. */
function jsonOf(text: unknown): unknown {
  if (typeof text !== 'string' || text.startsWith('=') || text.trim() === '') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
