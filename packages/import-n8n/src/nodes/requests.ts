/** Converts the HTTP request node. v1 and v2 name their parameters differently from v3 and v4. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, ownOf, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { oneItem, type Source } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import { asStep, type NodeContext, type NodeType } from './node-context.ts'

export const httpRequestNode: NodeType = {
  runs: 'each',
  convert(context) {
    const { node, ref, note } = context
    const options = childOf(node.parameters, 'options')
    const response = childOf(childOf(options, 'response'), 'response')
    const isFull = options['fullResponse'] === true || response['fullResponse'] === true
    const format = textOf(response['responseFormat']) || textOf(node.parameters['responseFormat'])
    const pages = childOf(childOf(options, 'pagination'), 'pagination')
    if (Object.keys(pages).length > 0 && pages['paginationMode'] !== 'off')
      refuse(say`reads pages by its own rules, for which a rest step has pagination settings`)
    if (format === 'file') refuse(say`saves the response as a file`)
    if (options['proxy']) refuse(say`uses a proxy`)
    if (options['splitIntoItems'] === true && node.version < 3) refuse(say`splits its response into items`)
    const redirect = childOf(childOf(options, 'redirect'), 'redirect')
    if (redirect['followRedirects'] === false || options['followRedirect'] === false)
      refuse(say`doesn't follow redirects`)
    if (isExpression(options['timeout'])) refuse(say`uses an expression for its timeout`)
    if (childOf(options, 'batching')['batch'] !== undefined)
      note(null, say`sent its requests in batches; here, Millrace waits when an API asks for it`)
    if (options['allowUnauthorizedCerts'] === true)
      note(null, say`accepted invalid certificates; here they are rejected`)
    const config = node.version >= 3 ? newRequest(context) : oldRequest(context)
    return asStep({ ref_id: ref, type: 'rest', config }, answerOf(ref, isFull, format, node.version))
  },
}

function answerOf(ref: string, isFull: boolean, format: string, version: number): Source {
  const body = `input.${ref}.body`
  if (isFull)
    return {
      ...oneItem(ref),
      whole: `{'body': ${ref}.body, 'headers': ${ref}.headers, 'statusCode': ${ref}.status}`,
      js: `{ body: ${body}, headers: input.${ref}.headers, statusCode: input.${ref}.status }`,
      fields: { body: `${ref}.body`, headers: `${ref}.headers`, statusCode: `${ref}.status` },
    }
  if (format === 'text' || format === 'string')
    return {
      ...oneItem(ref),
      whole: `{'data': ${ref}.body}`,
      js: `{ data: typeof ${body} === 'string' ? ${body} : $fail('the response must be text') }`,
      fields: {},
    }
  if (version < 3) return { ...oneItem(ref), whole: `${ref}.body`, js: body }
  return responseItems(ref, `${ref}.body`)
}

/** Each element of a list is an item; any other value is one item. */
export function responseItems(ref: string, path: string): Source {
  const js = `input.${path}`
  return {
    whole: `(${path} if ${path} is sequence and ${path} is not string and ${path} is not mapping else [${path} if ${path} is mapping else {'data': ${path}}])`,
    js: `(Array.isArray(${js}) ? ${js} : [${js} !== null && typeof ${js} === 'object' ? ${js} : { data: ${js} }])`,
    items: 'many',
    there: [ref],
  }
}

/** The request of versions 3 and 4. */
function newRequest(context: NodeContext): Record<string, unknown> {
  const { node, text } = context
  const { parameters } = node
  const options = childOf(parameters, 'options')
  sayCredentials(context)
  return {
    method: methodOf(parameters['method']),
    url: text('config.url', parameters['url']),
    ...(parameters['sendQuery'] === true
      ? { query: pairs(context, 'query', parameters, 'specifyQuery', 'queryParameters', 'jsonQuery') }
      : {}),
    ...(parameters['sendHeaders'] === true
      ? {
          headers: pairs(context, 'headers', parameters, 'specifyHeaders', 'headerParameters', 'jsonHeaders'),
        }
      : {}),
    ...(parameters['sendBody'] === true ? newBody(context) : {}),
    ...commonOptions(options, childOf(childOf(options, 'response'), 'response')['neverError'] === true),
  }
}

function newBody(context: NodeContext): Record<string, unknown> {
  const { node, text } = context
  const { parameters } = node
  const type = textOf(parameters['contentType']) || 'json'
  const specify = textOf(parameters['specifyBody']) || 'keypair'
  const named = (kind: string) =>
    scalars(context, 'body', namedOf(childOf(parameters, 'bodyParameters')['parameters'], 'body'), kind)
  switch (type) {
    case 'form-urlencoded':
      return specify === 'string'
        ? { body_type: 'text', body: text('config.body', parameters['body']), ...contentType(context, FORM) }
        : { body_type: 'form', body: named('form') }
    case 'multipart-form-data':
      return { body_type: 'multipart', body: named('form') }
    case 'raw':
      return {
        body_type: 'text',
        body: text('config.body', parameters['body']),
        ...contentType(context, textOf(parameters['rawContentType']) || 'text/html'),
      }
    case 'binaryData':
      return refuse(say`sends a file`)
    default:
      if (specify === 'keypair')
        return {
          body: context.value(
            'config.body',
            namedOf(childOf(parameters, 'bodyParameters')['parameters'], 'body'),
          ),
        }
      return { body: jsonBody(context, parameters['jsonBody']) }
  }
}

const FORM = 'application/x-www-form-urlencoded'

function contentType({ node }: NodeContext, type: string): { headers?: Record<string, string> } {
  if (isExpression(type)) return refuse(say`uses an expression for the body type`)
  return node.parameters['sendHeaders'] === true ? {} : { headers: { 'Content-Type': type } }
}

/** The request of versions 1 and 2. */
function oldRequest(context: NodeContext): Record<string, unknown> {
  const { node, text } = context
  const { parameters } = node
  const options = childOf(parameters, 'options')
  const isJson = parameters['jsonParameters'] === true
  if (parameters['sendBinaryData'] === true) refuse(say`sends a file`)
  sayCredentials(context)
  const list = (key: string, field: string) => namedOf(childOf(parameters, key)['parameter'], field)
  const bodyType =
    ownOf(OLD_BODIES, textOf(options['bodyContentType']) || 'json') ??
    refuse(say`sends a body of an unknown type`)
  const given = (field: string, json: string, ui: string) =>
    isJson ? parsedOr(parameters[json], {}) : list(ui, field)
  const json = parameters['bodyParametersJson']
  const fields = list('bodyParametersUi', 'body')
  const hasBody = isJson ? json !== undefined && json !== '' : Object.keys(fields).length > 0
  const body = !hasBody
    ? {}
    : bodyType === 'json'
      ? { body: isJson ? jsonBody(context, json) : context.value('config.body', fields) }
      : {
          body_type: bodyType,
          body: isJson
            ? bodyType === 'text'
              ? text('config.body', json)
              : scalars(context, 'body', parsedOr(json, {}), 'form')
            : scalars(context, 'body', fields, 'form'),
        }
  return {
    method: methodOf(parameters['requestMethod'] ?? parameters['method']),
    url: text('config.url', parameters['url']),
    query: scalars(context, 'query', given('query', 'queryParametersJson', 'queryParametersUi'), 'text'),
    headers: scalars(
      context,
      'headers',
      withoutSecrets(context, given('headers', 'headerParametersJson', 'headerParametersUi')),
      'text',
    ),
    ...body,
    ...commonOptions(options, options['ignoreResponseCode'] === true),
  }
}

const OLD_BODIES: Readonly<Record<string, string>> = {
  json: 'json',
  'form-urlencoded': 'form',
  'multipart-form-data': 'multipart',
  raw: 'text',
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function methodOf(method: unknown): string {
  const name = textOf(method) || 'GET'
  if (!METHODS.includes(name)) refuse(say`has the method "${name.slice(0, 60)}"`)
  return name
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
    names === ''
      ? say`signed in with ${authentication}; choose a connector auth`
      : say`signed in with n8n's credentials ${names}; choose a connector auth`,
  )
}

function pairs(
  context: NodeContext,
  field: 'query' | 'headers',
  parameters: Plain,
  how: string,
  list: string,
  json: string,
): unknown {
  const given =
    parameters[how] === 'json'
      ? parsedOr(parameters[json], {})
      : namedOf(childOf(parameters, list)['parameters'], field)
  return field === 'headers'
    ? scalars(context, field, withoutSecrets(context, given), 'text')
    : scalars(context, field, given, 'text')
}

/** Reads lists such as `[{name, value}]`. */
function namedOf(list: unknown, field: string): Record<string, unknown> {
  const found = new Map<string, unknown>()
  for (const one of listOf(list).filter(isRecord).slice(0, 500)) {
    const name = textOf(one['name'])
    if (name === '' || name === '__proto__') continue
    if (isExpression(name))
      refuse(
        field === 'headers'
          ? say`uses an expression for the name of a header`
          : say`uses an expression for the name of a parameter`,
      )
    if (one['parameterType'] === 'formBinaryData') refuse(say`sends a file`)
    if (found.has(name)) refuse(say`sets "${name.slice(0, 60)}" several times`)
    found.set(name, one['value'] ?? '')
  }
  return Object.fromEntries(found)
}

/** Query and header values are strings. Undefined ones are omitted, as in n8n, and lists and objects fail. */
function scalars(context: NodeContext, field: string, given: unknown, kind: string): unknown {
  const { js, calculated, text } = context
  const check = `((given) => { const all = typeof given === 'string' ? JSON.parse(given) : given; for (const [name, value] of Object.entries(all ?? {})) { if (value === null || value === undefined) delete all[name]; else if (typeof value === 'object') $fail('"' + name + '" is a list or an object, where a text is meant'); else all[name] = String(value) } return all ?? {} })`
  if (!isRecord(given)) return calculated(`${check}(${js(given)})`, field)
  const isSimple = Object.values(given).every(
    (value) =>
      // linear: anchored, and braces end the one part that repeats
      typeof value !== 'object' && (!isExpression(value) || !/^=\s*\{\{(?:(?!\}\}).)*\}\}\s*$/s.test(value)),
  )
  if (!isSimple) return calculated(`${check}(${js(given)})`, kind === 'form' ? 'body' : field)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, text(`config.${field}.${name}`, value)]),
  )
}

/** Literal JSON is used as it is. If it contains expressions, JavaScript builds and parses it. */
function jsonBody({ js, value, calculated }: NodeContext, given: unknown): unknown {
  if (!isExpression(given)) return value('config.body', parsedOr(given, null))
  const read = `((given) => { if (typeof given !== 'string') return given; try { return JSON.parse(given) } catch { return $fail('the body must be valid JSON') } })`
  return calculated(`${read}(${js(given)})`, 'body')
}

function parsedOr(text: unknown, usual: unknown): unknown {
  if (text === undefined || text === '') return usual
  if (typeof text !== 'string' || isExpression(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return refuse(say`has invalid JSON`)
  }
}

const SECRET = /^(?:proxy-)?authorization$|^cookie$|api[-_]?key|token|secret|password/i

/** Credentials that were typed into the workflow aren't imported either. */
function withoutSecrets({ note }: NodeContext, headers: unknown): unknown {
  if (!isRecord(headers)) return headers
  return Object.fromEntries(
    Object.entries(headers).filter(([name, held]) => {
      const isSecret = SECRET.test(name) && typeof held === 'string' && !isExpression(held)
      if (isSecret)
        note(
          `config.headers.${name}`,
          say`contained a credential, which isn't imported; choose a connector auth`,
        )
      return !isSecret
    }),
  )
}
