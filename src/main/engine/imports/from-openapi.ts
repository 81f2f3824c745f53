/** Reads an OpenAPI 3.x description as a connector: operations become actions, security schemes its credentials. */
import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { ActionDraft, ConnectorDraft } from '../../../shared/contract/connector-imports.ts'
import { inHeader } from './credentials.ts'
import {
  createDraft,
  type ImportDraft,
  type ImportPlan,
  MAX_ACTIONS,
  notImported,
  titleCase,
} from './draft.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'
import { withLookups } from './lookups.ts'
import { bodyOf } from './openapi-bodies.ts'
import { createInputs, MOST_FIELDS } from './openapi-inputs.ts'
import { configFor, type PagedAction, pagingOf } from './openapi-paging.ts'
import { addressOf } from './openapi-parameters.ts'
import { createReferences } from './openapi-references.ts'
import { createSchemas, listOf, type Schemas } from './openapi-schemas.ts'
import { type Security, securityOf } from './openapi-security.ts'
import { chosenVariables, originOf, type Server, serverOf } from './openapi-servers.ts'

export { fromSwagger } from './openapi-swagger.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head'] as const
const LEFT_METHODS = ['options', 'trace', 'query'] as const

interface Operation {
  readonly path: string
  readonly method: (typeof METHODS)[number]
  readonly operation: Plain
  readonly item: Plain
  readonly server: Server | null
  readonly label: string
}

export function planFromOpenApi(document: Plain): ImportPlan {
  const draft = createDraft()
  const references = createReferences(document, (reference) => {
    if (!reference.startsWith('#'))
      draft.leaveOut(
        `reference ${reference}`,
        say("is in another file, which isn't read; import a document that contains everything"),
      )
  })
  const schemas = createSchemas(references, () =>
    draft.leaveOut(
      'schemas',
      say('stand for more properties than are read; the fields of later ones are missing'),
    ),
  )
  const operations = operationsOf(document, references, draft)
  const base = baseOf(document, operations, draft)
  const security = securityOf({
    document,
    operations: operations.map(({ operation }) => operation),
    references,
    base: base?.address ?? '',
    leave: draft.leaveOut,
    note: draft.note,
  })
  const info = childOf(document, 'info')
  const connector: { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] } = {
    name: textOf(info['title']).slice(0, 200) || 'Imported API',
    short_description: textOf(info['summary']).slice(0, 500),
    long_description: textOf(info['description']).slice(0, 20_000),
    external_docs: textOf(childOf(document, 'externalDocs')['url']).slice(0, 2_000),
    base_domain: base?.address ?? '',
    ...security.connector,
  }
  addServerFields(connector, base)
  const paged: PagedAction[] = []
  const origins = new Set<string>()
  for (const one of operations) {
    if (draft.actions.length >= MAX_ACTIONS)
      draft.leaveOut(one.label, say('is beyond the first {{limit}}', { limit: MAX_ACTIONS }))
    else addOperation(one, { draft, schemas, security, connector, base, paged, origins })
  }
  if (origins.size > 0) connector.allowed_origins = [...origins]
  if (document['webhooks'] !== undefined)
    draft.leaveOut(
      'webhooks',
      say('are calls that the API makes to you: make a flow with a webhook for each'),
    )
  const { actions, ...plan } = withPaging(connector, draft, paged)
  return { ...plan, actions: withLookups(actions), left_out: draft.leftOut, notes: draft.notes }
}

function operationsOf(
  document: Plain,
  { resolve, unknown }: Schemas['references'],
  draft: ImportDraft,
): Operation[] {
  return Object.entries(childOf(document, 'paths')).flatMap(([path, value]) => {
    const missing = unknown(value)
    if (missing !== null) draft.leaveOut(path, say('{{missing}} is not in this document', { missing }))
    const item = resolve(value)
    for (const method of [...LEFT_METHODS, ...Object.keys(childOf(item, 'additionalOperations'))])
      if (item[method] !== undefined || !LEFT_METHODS.includes(method as 'query'))
        draft.leaveOut(
          `${method.toUpperCase()} ${path}`,
          say("has the method {{method}}, which actions don't support", {
            method: method.toUpperCase().slice(0, 20),
          }),
        )
    return METHODS.flatMap((method): Operation[] => {
      if (!isRecord(item[method])) return []
      const elsewhere = unknown(item[method])
      if (elsewhere !== null) {
        draft.leaveOut(
          `${method.toUpperCase()} ${path}`,
          say(
            '{{elsewhere}} is not in this document; import one that holds all (a bundled or dereferenced file)',
            { elsewhere },
          ),
        )
        return []
      }
      const operation = resolve(item[method])
      const server = serverOf(operation['servers']) ?? serverOf(item['servers'])
      return [{ path, method, operation, item, server, label: `${method.toUpperCase()} ${path}` }]
    })
  })
}

/** The document's own server; if it has none, the server of most operations. */
function baseOf(document: Plain, operations: readonly Operation[], draft: ImportDraft): Server | null {
  const servers = listOf(document, 'servers').filter(isRecord)
  for (const { url } of servers.slice(1))
    draft.leaveOut(`server ${textOf(url)}`, say('a connector has one base URL; an auth can have another'))
  for (const variable of chosenVariables(servers))
    draft.note(
      `server ${textOf(servers[0]?.['url'])}`,
      say("is used with {{variable}}; to use another value, change the connector's base URL", { variable }),
    )
  const own = serverOf(servers)
  const counts = new Map<string, { server: Server; count: number }>()
  for (const { server } of own === null ? operations : []) {
    if (server === null) continue
    const found = counts.get(server.address)
    if (found === undefined) counts.set(server.address, { server, count: 1 })
    else found.count += 1
  }
  const [most] = [...counts.values()].toSorted((a, b) => b.count - a.count)
  const base = own ?? most?.server ?? null
  if (base !== null && originOf(base.address) !== null) return base
  // Only a path: whoever creates the auth knows the host.
  const path = /^\/(?!\/)/.test(base?.address ?? '') ? base?.address : ''
  draft.leaveOut(
    `server ${base?.address || '(none)'}`,
    say("isn't a complete URL: each auth has a field for it, and a call without an auth fails"),
  )
  return {
    address: `{{ auth.user_input.server }}${path}`,
    fields: [
      {
        name: 'server',
        label: 'Server',
        type: 'text',
        required: true,
        placeholder: 'https://api.example.com',
      },
    ],
  }
}

function addServerFields(
  connector: { auth_config?: ConnectorDraft['auth_config'] },
  base: Server | null,
): void {
  if (base === null || base.fields.length === 0) return
  const { auth_types = ['none'], auth_form = [], ...rest } = connector.auth_config ?? {}
  connector.auth_config = { ...rest, auth_types, auth_form: [...auth_form, ...base.fields] }
}

interface Context {
  readonly draft: ImportDraft
  readonly schemas: Schemas
  readonly security: Security
  readonly connector: { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] }
  readonly base: Server | null
  readonly paged: PagedAction[]
  readonly origins: Set<string>
}

function addOperation(one: Operation, context: Context): void {
  const { path, method, operation, item, label } = one
  const { draft, schemas, security, connector, paged } = context
  const inputs = createInputs(schemas)
  const leave = (thing: string, reason: Said) => draft.leaveOut(`${label}: ${thing}`, reason)
  const address = addressOf({
    path,
    lists: [item['parameters'], operation['parameters']],
    schemas,
    inputs,
    leave,
    isCredential(name) {
      if (!security.hasCredentials && connector.header === undefined)
        Object.assign(connector, credentialIn(name))
      const key = connector.header?.header_key ?? 'Authorization'
      return key.includes(name) || /^authorization$/i.test(name)
    },
  })
  const isReading = method === 'get' || method === 'head'
  const content = isReading ? NO_BODY : bodyOf({ operation, schemas, inputs, leave })
  const blocks: string[] = []
  if (isReading && operation['requestBody'] !== undefined) {
    leave(
      'the body',
      say("belongs to a {{method}} request, and actions can't send a body with {{method}}", {
        method: method.toUpperCase(),
      }),
    )
    if (schemas.references.resolve(operation['requestBody'])['required'] === true)
      blocks.push(notImported(`the body, which an action cannot send with ${method.toUpperCase()}`))
  }
  const lack = security.lackOf(operation)
  if (lack !== null) {
    leave('security', say('requires {{lack}}, which no auth of the connector provides', { lack }))
    blocks.push(notImported(`the credentials ${lack}`))
  }
  const endpoint = `${blocks.join('')}${serverPart(one, context)}${address.endpoint}`
  const name = draft.nameFor(textOf(operation['operationId']) || `${method} ${path}`)
  if (inputs.form.length >= MOST_FIELDS)
    leave('the form', say('shows the first {{limit}} fields', { limit: MOST_FIELDS }))
  const isLong = endpoint.length > MOST_ENDPOINT
  if (isLong) leave('the address', say('becomes a template that is too long for an endpoint'))
  const headers = { ...acceptOf(operation, schemas), ...address.headers, ...content.headers }
  const broad = Object.keys(headers).filter((key) => (headers[key]?.length ?? 0) > 8_000)
  for (const key of broad) {
    leave(`header ${key}`, say('becomes a template that is too long for a header'))
    headers[key] = notImported(`the header ${key}, which is too long`)
  }
  draft.actions.push({
    name,
    title: (textOf(operation['summary']) || titleCase(name)).slice(0, 200),
    short_description: textOf(operation['description']).slice(0, 500),
    method: method.toUpperCase() as ActionDraft['method'],
    endpoint: isLong ? notImported(`the address of ${path.slice(0, 500)}, which is too long`) : endpoint,
    query: { ...security.queryOf(operation), ...address.query },
    headers,
    body: content.body,
    ui_form_schema: inputs.form,
    tag: textOf(listOf(operation, 'tags')[0]).slice(0, 100),
    ...(operation['deprecated'] === true ? { status: 'draft' as const } : {}),
  })
  if (method !== 'get') return
  const parameters = [...listOf(item, 'parameters'), ...listOf(operation, 'parameters')]
  const paging = pagingOf({
    operation,
    path,
    schemas,
    parameters: parameters.map(schemas.references.resolve),
    unclear: (parameter, meaning) =>
      draft.note(
        `GET ${path}`,
        say(
          'isn\'t read page by page with the parameter "{{parameter}}", which is described as {{meaning}}. Configure the pagination yourself',
          { parameter, meaning },
        ),
      ),
  })
  if (paging !== null) paged.push({ name, path, paging })
}

const NO_BODY = { body: null, headers: {} }
const MOST_ENDPOINT = 4_000

/** For an operation with its own server: the complete URL, to whose origin the credentials can be sent. */
function serverPart({ server, label, operation }: Operation, context: Context): string {
  const { base, origins, draft, security } = context
  if (server === null || server.address === base?.address) return ''
  const origin = originOf(server.address)
  if (origin === null || server.fields.length > 0) {
    draft.leaveOut(`${label}: server ${server.address}`, say("isn't a complete URL"))
    return notImported(`the server ${server.address.replaceAll(/[{}]/g, '')} of this operation`)
  }
  if (base === null || origin !== originOf(base.address)) {
    if (security.hasCredentials && listOf(operation, 'security').length === 0 && 'security' in operation) {
      draft.leaveOut(
        `${label}: server ${server.address}`,
        say('is a different host that takes no credentials, but actions send them with every call'),
      )
      return notImported(`the server ${server.address} of this operation, which gets no credentials`)
    }
    origins.add(new URL(origin).origin)
    draft.note(
      `${label}: server ${server.address}`,
      say("is a different host than the connector's: its credentials are sent there too"),
    )
  }
  return `${server.address}/`
}

function credentialIn(name: string): Partial<ConnectorDraft> {
  return /^authorization$/i.test(name)
    ? inHeader('Authorization', 'basic_auth', 'Authorization, scheme included')
    : inHeader(name, 'api_key', name)
}

/** If an API offers several response formats, it is asked for JSON. */
function acceptOf(operation: Plain, { references }: Schemas): Record<string, string> {
  const types = Object.entries(childOf(operation, 'responses'))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.keys(childOf(references.resolve(response), 'content')))
  const json =
    types.find((type) => /^application\/json\b/i.test(type)) ?? types.find((type) => /[/+]json\b/i.test(type))
  return json !== undefined && types.some((type) => type !== json) ? { Accept: json } : {}
}

function withPaging(
  connector: ConnectorDraft,
  draft: ImportDraft,
  paged: readonly PagedAction[],
): Pick<ImportPlan, 'connector' | 'actions'> {
  const { config, names } = configFor(paged)
  if (config === null) return { connector, actions: draft.actions }
  for (const { name, path, paging } of paged) {
    if (names.has(name))
      draft.note(
        `GET ${path}`,
        say('is read page by page: {{style}}', { style: STYLES[paging.style] ?? paging.style }),
      )
    else draft.note(`GET ${path}`, say("uses custom pagination, which a connector can't describe"))
  }
  return {
    connector: { ...connector, pagination_config: config },
    actions: draft.actions.map((action) =>
      names.has(action.name) ? { ...action, supports_automatic_pagination: true } : action,
    ),
  }
}

const STYLES: Readonly<Record<string, Said>> = {
  cursor: say('by a cursor in the response'),
  last_record: say('after the last record'),
  link_header: say('by the Link header'),
  next_address: say('by a URL in the response'),
  offset: say('by the number of earlier records'),
  page_number: say('by page number'),
}
