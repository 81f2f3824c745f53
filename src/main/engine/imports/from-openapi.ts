/** An OpenAPI 3.x description as a connector: an operation becomes an action, a security scheme the way of its credentials. */
import type { Json } from '../../../shared/contract/base/common.ts'
import type { ActionDraft, ConnectorDraft } from '../../../shared/contract/connector-imports.ts'
import { basic, bearer, inHeader, inQuery } from './credentials.ts'
import {
  createDraft,
  fromInput,
  inputName,
  literal,
  MAX_ACTIONS,
  segmentFromInput,
  titleCase,
  type ImportDraft,
  type ImportPlan,
} from './draft.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'] as const
const LEFT_METHODS = ['options', 'trace', 'query'] as const

export function planFromOpenApi(document: Plain): ImportPlan {
  const draft = createDraft()
  const resolve = createResolver(document)
  const info = childOf(document, 'info')
  const connector: ConnectorDraft = {
    name: textOf(info['title']).slice(0, 200) || 'Imported API',
    short_description: textOf(info['summary']).slice(0, 500),
    long_description: textOf(info['description']).slice(0, 20_000),
    external_docs: textOf(childOf(document, 'externalDocs')['url']).slice(0, 2_000),
    base_domain: baseOf(document, draft),
    ...credentialsOf(document, resolve, draft),
  }
  for (const [path, item] of Object.entries(childOf(document, 'paths'))) {
    const shared = resolve(item)
    for (const method of LEFT_METHODS)
      if (shared[method] !== undefined)
        draft.leaveOut(
          `${method.toUpperCase()} ${path}`,
          `has the method ${method.toUpperCase()}, which actions do not`,
        )
    for (const method of METHODS) {
      const operation = shared[method]
      if (!isRecord(operation)) continue
      const label = `${method.toUpperCase()} ${path}`
      if (draft.actions.length >= MAX_ACTIONS) draft.leaveOut(label, `is beyond the first ${MAX_ACTIONS}`)
      else addOperation(draft, { path, method, operation, shared, resolve, label })
    }
  }
  if (document['webhooks'] !== undefined)
    draft.leaveOut('webhooks', 'are calls to you: make a flow with a webhook for each')
  return { connector, actions: draft.actions, left_out: draft.leftOut }
}

type Resolve = (value: unknown) => Plain

/** Follows references inside the document; what they lead nowhere, or round in a circle, is empty. */
function createResolver(document: Plain): Resolve {
  function resolve(value: unknown, depth = 0): Plain {
    if (!isRecord(value)) return {}
    const reference = value['$ref']
    if (typeof reference !== 'string') return value
    if (!reference.startsWith('#/') || depth > 20) return {}
    const target = reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), document)
    return resolve(target, depth + 1)
  }
  return (value) => resolve(value)
}

function baseOf(document: Plain, draft: ImportDraft): string {
  const servers = Array.isArray(document['servers']) ? document['servers'].filter(isRecord) : []
  const [server, ...others] = servers
  for (const { url } of others)
    draft.leaveOut(`server ${textOf(url)}`, 'a connector has one address; an auth may give another')
  const variables = childOf(server ?? {}, 'variables')
  const url = textOf(server?.['url']).replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    textOf(childOf(variables, name)['default']),
  )
  if (/^https?:\/\//.test(url)) return literal(url.replace(/\/$/, ''))
  draft.leaveOut(`server ${url || '(none)'}`, 'is no whole address; set it in the connector')
  return ''
}

function credentialsOf(document: Plain, resolve: Resolve, draft: ImportDraft): Partial<ConnectorDraft> {
  const schemes = Object.entries(childOf(childOf(document, 'components'), 'securitySchemes'))
  let taken: Partial<ConnectorDraft> | null = null
  for (const [name, value] of schemes) {
    const scheme = resolve(value)
    const placement = placementOf(scheme)
    if (placement === null)
      draft.leaveOut(
        `security scheme ${name}`,
        `is of the kind ${textOf(scheme['type'])}, which is not known here`,
      )
    else if (taken === null) taken = placement
    else
      draft.leaveOut(
        `security scheme ${name}`,
        'a connector has one way of its credentials; the first was taken',
      )
  }
  return taken ?? {}
}

function placementOf(scheme: Plain): Partial<ConnectorDraft> | null {
  const name = textOf(scheme['name'])
  switch (scheme['type']) {
    case 'http':
      if (scheme['scheme'] === 'basic') return basic()
      return /^bearer$/i.test(textOf(scheme['scheme'])) ? bearer() : null
    case 'apiKey':
      if (scheme['in'] === 'header' && name !== '') return inHeader(name, 'api_key', name)
      return scheme['in'] === 'query' && name !== '' ? inQuery(name) : null
    case 'oauth2': {
      const flows = childOf(scheme, 'flows')
      const flow = { ...childOf(flows, 'clientCredentials'), ...childOf(flows, 'authorizationCode') }
      return {
        auth_config: {
          auth_types: ['oauth2'],
          authorization_url: textOf(flow['authorizationUrl']),
          access_url: textOf(flow['tokenUrl']),
          scopes: Object.keys(childOf(flow, 'scopes')),
        },
      }
    }
    default:
      return null
  }
}

interface OperationParts {
  readonly path: string
  readonly method: (typeof METHODS)[number]
  readonly operation: Plain
  readonly shared: Plain
  readonly resolve: Resolve
  readonly label: string
}

function addOperation(draft: ImportDraft, parts: OperationParts): void {
  const { path, method, operation, shared, resolve, label } = parts
  const parameters = new Map<string, Plain>()
  for (const list of [shared['parameters'], operation['parameters']]) {
    for (const entry of Array.isArray(list) ? list : []) {
      const parameter = resolve(entry)
      parameters.set(`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter)
    }
  }
  const query: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const form: FormField[] = []
  for (const parameter of parameters.values()) {
    const name = textOf(parameter['name'])
    const place = parameter['in']
    if (name === '') draft.leaveOut(`${label}: a parameter`, 'its reference leads nowhere in this document')
    else if (place === 'cookie') draft.leaveOut(`${label}: cookie ${name}`, 'actions send no cookies')
    else {
      if (place === 'query') query[name] = fromInput(name)
      if (place === 'header') headers[name] = fromInput(name)
      form.push(formField(name, resolve(parameter['schema']), parameter))
    }
  }
  const body = bodyOf(parts, draft)
  if (body === null) return
  const name = draft.nameFor(textOf(operation['operationId']) || `${method} ${path}`)
  draft.actions.push({
    name,
    title: (textOf(operation['summary']) || titleCase(name)).slice(0, 200),
    short_description: textOf(operation['description']).slice(0, 500),
    method: method.toUpperCase() as ActionDraft['method'],
    endpoint: endpointOf(path),
    query,
    headers: { ...headers, ...body.headers },
    body: body.template,
    ui_form_schema: [...form, ...body.form],
    tag: textOf((operation['tags'] as unknown[] | undefined)?.[0]).slice(0, 100),
    ...(operation['deprecated'] === true ? { status: 'draft' as const } : {}),
  })
}

function endpointOf(path: string): string {
  return path
    .slice(1)
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? segmentFromInput(part.slice(1, -1)) : literal(part)))
    .join('')
}

type FormField = Record<string, Json>

interface Body {
  readonly template: ActionDraft['body']
  readonly headers: Record<string, string>
  readonly form: readonly FormField[]
}

/** Null where the operation cannot be called without a body that an action cannot send. */
function bodyOf({ operation, resolve, label }: OperationParts, draft: ImportDraft): Body | null {
  const request = resolve(operation['requestBody'])
  const content = childOf(request, 'content')
  const types = Object.keys(content)
  if (types.length === 0) return { template: null, headers: {}, form: [] }
  const json = types.find((type) => /^application\/(?:[\w.+-]*\+)?json\b/i.test(type))
  const urlencoded = types.find((type) => /^application\/x-www-form-urlencoded/i.test(type))
  const type = json ?? urlencoded
  if (type === undefined) {
    draft.leaveOut(label, `takes ${types.join(', ').slice(0, 100)}, which an action cannot send`)
    return null
  }
  const schema = resolve(resolve(content[type])['schema'])
  const properties = Object.entries(propertiesOf(schema, resolve))
  const headers: Record<string, string> = json && /\+json/.test(type) ? { 'Content-Type': type } : {}
  if (!json) headers['Content-Type'] = 'application/x-www-form-urlencoded'
  if (properties.length === 0) {
    const field = {
      name: 'body',
      label: 'Body',
      type: 'nested_object',
      required: request['required'] === true,
    }
    return { template: '{{ input.body }}', headers, form: [field] }
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const names = properties.map(([name]) => name)
  // Only what was given is sent: an absent key and null are two things to most APIs.
  const given = names.every((name) => inputName(name) === name)
  const template = given
    ? `{{ dict(input.items() | selectattr(0, 'in', [${names.map((name) => `'${name}'`).join(', ')}])) }}`
    : Object.fromEntries(names.map((name) => [name, fromInput(name)]))
  return {
    template,
    headers,
    form: properties.map(([name, property]) =>
      formField(name, resolve(property), { required: required.includes(name) }),
    ),
  }
}

function propertiesOf(schema: Plain, resolve: Resolve, depth = 0): Plain {
  const parts = Array.isArray(schema['allOf']) && depth < 10 ? schema['allOf'] : []
  const inherited = parts.map((part) => propertiesOf(resolve(part), resolve, depth + 1))
  return Object.assign({}, ...inherited, childOf(schema, 'properties')) as Plain
}

function formField(name: string, schema: Plain, { required, description }: Plain): FormField {
  const help = textOf(description || schema['description']).slice(0, 300)
  return {
    name: inputName(name),
    label: titleCase(name.replaceAll('-', ' ')),
    ...controlOf(schema),
    required: required === true,
    ...(help === '' ? {} : { help }),
    ...(schema['default'] === undefined ? {} : { default: schema['default'] as Json }),
  }
}

function controlOf(schema: Plain): FormField {
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type']
  if (Array.isArray(schema['enum'])) {
    return { type: 'select', options: schema['enum'].map((value) => ({ value, label: String(value) })) }
  }
  if (type === 'boolean') return { type: 'switch' }
  if (type === 'integer' || type === 'number') return { type: 'number' }
  if (type === 'array' && childOf(schema, 'items')['type'] === 'string')
    return { type: 'select', multiple: true, allowCreate: true, options: [] }
  if (type === 'object' || type === 'array') return { type: 'nested_object' }
  return { type: FORMATS[textOf(schema['format'])] ?? 'text' }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'datetime',
  email: 'email',
  password: 'password',
}
