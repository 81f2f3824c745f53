/** A Postman collection 2.x as a connector: a request becomes an action, its variables fields of the form. */
import type { Json } from '../../../shared/contract/base/common.ts'
import type { ConnectorDraft } from '../../../shared/contract/connector-imports.ts'
import { basic, bearer, inHeader, inQuery, placementOfHeader } from './credentials.ts'
import {
  createDraft,
  inputName,
  isSecretName,
  MAX_ACTIONS,
  titleCase,
  type ImportDraft,
  type ImportPlan,
} from './draft.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'

interface Found {
  readonly label: string
  readonly name: string
  readonly tag: string
  readonly request: Plain
}

export function planFromPostman(document: Plain): ImportPlan {
  const draft = createDraft()
  const variables = variablesOf(document)
  const found = requestsIn(document, draft)
  const base = mostCommon(
    found.map(({ request }) => originOf(request, variables)).filter((origin) => origin !== null),
  )
  const info = childOf(document, 'info')
  const connector: { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] } = {
    name: textOf(info['name']).slice(0, 200) || 'Imported collection',
    long_description: textOf(info['description']).slice(0, 20_000),
    base_domain: base ?? '',
  }
  takeAuth(connector, childOf(document, 'auth'))
  for (const one of found) {
    const origin = originOf(one.request, variables)
    if (draft.actions.length >= MAX_ACTIONS) draft.leaveOut(one.label, `is beyond the first ${MAX_ACTIONS}`)
    else if (origin === null) draft.leaveOut(one.label, 'has no address that begins with http:// or https://')
    else if (origin !== base) draft.leaveOut(one.label, `goes to ${origin}; a connector has one address`)
    else addRequest(draft, connector, one, variables)
  }
  return { connector, actions: draft.actions, left_out: draft.leftOut }
}

type Variables = ReadonlyMap<string, string>

function variablesOf(document: Plain): Variables {
  const list = Array.isArray(document['variable']) ? document['variable'].filter(isRecord) : []
  return new Map(list.map((entry) => [textOf(entry['key']), textOf(entry['value'])]))
}

function requestsIn(document: Plain, draft: ImportDraft): Found[] {
  const found: Found[] = []
  const walk = (items: unknown, folders: readonly string[]): void => {
    if (!Array.isArray(items) || folders.length > 20) return
    for (const item of items.filter(isRecord)) {
      const name = textOf(item['name']) || 'request'
      const label = [...folders, name].join(' / ')
      if (Array.isArray(item['event']) && item['event'].length > 0)
        draft.leaveOut(`${label}: scripts`, 'are JavaScript of Postman; use templates, or a code step')
      if (isRecord(item['request']))
        found.push({ label, name, tag: folders[0] ?? '', request: item['request'] })
      else if (typeof item['request'] === 'string')
        found.push({ label, name, tag: folders[0] ?? '', request: { url: item['request'], method: 'GET' } })
      else walk(item['item'], [...folders, name])
    }
  }
  walk(document['item'], [])
  return found
}

/** Values that the collection gives are filled in; secret ones never are. */
function filled(text: string, variables: Variables): string {
  return text.replaceAll(/\{\{\s*([^{}\s]+)\s*\}\}/g, (whole, name: string) => {
    const value = variables.get(name)
    return value === undefined || value === '' || isSecretName(name) ? whole : value
  })
}

function rawUrl(request: Plain): string {
  const { url } = request
  return isRecord(url) ? textOf(url['raw']) : textOf(url)
}

function originOf(request: Plain, variables: Variables): string | null {
  const raw = filled(rawUrl(request), variables).trim()
  const origin = /^(https?:\/\/[^/?#{}]+)/i.exec(raw)?.[1]
  if (origin !== undefined) return origin
  // The host is a variable of an environment that is not part of the file: it becomes one of the connector's own.
  const variable = /^(?:https?:\/\/)?\{\{\s*([^{}\s]+)\s*\}\}/.exec(raw)?.[1]
  return variable === undefined ? null : `{{ auth.user_input.${inputName(variable)} }}`
}

function mostCommon(values: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

function takeAuth(connector: Partial<ConnectorDraft>, auth: Plain): void {
  const placement = placementOf(auth)
  if (placement !== null && connector.auth_config === undefined) Object.assign(connector, placement)
}

function placementOf(auth: Plain): Partial<ConnectorDraft> | null {
  const entries = Array.isArray(auth['apikey']) ? auth['apikey'].filter(isRecord) : []
  const value = (key: string) => textOf(entries.find((entry) => entry['key'] === key)?.['value'])
  switch (auth['type']) {
    case 'bearer':
      return bearer()
    case 'basic':
      return basic()
    case 'apikey':
      return value('in') === 'query'
        ? inQuery(value('key') || 'api_key')
        : inHeader(value('key') || 'X-Api-Key', 'api_key', 'Key')
    case 'oauth2':
      return { auth_config: { auth_types: ['oauth2'] } }
    default:
      return null
  }
}

function addRequest(
  draft: ImportDraft,
  connector: { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] },
  { label, name: title, tag, request }: Found,
  variables: Variables,
): void {
  const method = textOf(request['method']).toUpperCase() || 'GET'
  if (!METHODS.has(method)) {
    draft.leaveOut(label, `has the method ${method.slice(0, 20)}, which actions do not`)
    return
  }
  takeAuth(connector, childOf(request, 'auth'))
  const inputs = new Set<string>()
  const template = (text: string) => toTemplate(filled(text, variables), inputs)
  const raw = filled(rawUrl(request), variables).trim()
  const [address = '', queryText = ''] = raw.replace(/#.*$/, '').split('?')
  const path = address.replace(/^(?:https?:\/\/)?(?:\{\{[^{}]*\}\}|[^/]*)\/?/i, '')
  const query: Record<string, string> = {}
  for (const pair of queryText.split('&').filter((part) => part !== '')) {
    const [key = '', value = ''] = pair.split(/=(.*)/s)
    if (isSecretName(key)) {
      draft.leaveOut(`${label}: query parameter ${key}`, SECRET)
      if (connector.auth_config === undefined) Object.assign(connector, inQuery(key))
    } else query[decoded(key)] = template(decoded(value))
  }
  const headers: Record<string, string> = {}
  for (const header of Array.isArray(request['header']) ? request['header'].filter(isRecord) : []) {
    const key = textOf(header['key'])
    if (key === '' || header['disabled'] === true) continue
    if (isSecretName(key)) {
      draft.leaveOut(`${label}: header ${key}`, SECRET)
      const placement = placementOfHeader(key, textOf(header['value']))
      if (connector.auth_config === undefined) Object.assign(connector, placement)
    } else headers[key] = template(textOf(header['value']))
  }
  const body = bodyOf(childOf(request, 'body'), template)
  if (typeof body === 'string') {
    draft.leaveOut(label, body)
    return
  }
  const endpoint = path
    .split('/')
    .map((part) =>
      part.startsWith(':') ? toTemplate(`{{${part.slice(1)}}}`, inputs) : toTemplate(part, inputs),
    )
    .join('/')
  const name = draft.nameFor(title)
  draft.actions.push({
    name,
    title: title.slice(0, 200),
    short_description: textOf(
      isRecord(request['description']) ? request['description']['content'] : request['description'],
    ).slice(0, 500),
    method: method as 'GET',
    endpoint,
    query,
    headers: { ...headers, ...body.headers },
    body: body.content,
    ui_form_schema: [...inputs].map((input) => ({
      name: input,
      label: titleCase(input),
      type: 'text',
      required: false,
    })),
    tag: tag.slice(0, 100),
  })
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
const SECRET = 'holds a credential; it is not taken over: store it as an auth of the connector'

/** `{{orderId}}` and `{{$guid}}` become fields of the form; nothing else in the text is a template. */
function toTemplate(text: string, inputs: Set<string>): string {
  return text
    .split(/(\{\{\s*[^{}\s]+\s*\}\})/)
    .map((part) => {
      const name = /^\{\{\s*([^{}\s]+)\s*\}\}$/.exec(part)?.[1]
      if (name === undefined) return part.replaceAll(/\{(?=[%#])/g, "{{ '{' }}")
      const input = inputName(name.replace(/^\$/, ''))
      inputs.add(input)
      return `{{ input.${input} }}`
    })
    .join('')
}

interface Body {
  readonly content: Json
  readonly headers: Record<string, string>
}

/** A sentence where it cannot be sent. */
function bodyOf(body: Plain, template: (text: string) => string): Body | string {
  const { mode } = body
  const send = (content: Json, headers: Record<string, string> = {}) => ({ content, headers })
  if (mode === undefined || body['disabled'] === true) return send(null)
  if (mode === 'raw') {
    const text = template(textOf(body['raw']))
    return send(text === '' ? null : text)
  }
  if (mode === 'urlencoded') {
    const pairs = (Array.isArray(body['urlencoded']) ? body['urlencoded'] : []).filter(isRecord)
    const fields = pairs.filter((pair) => pair['disabled'] !== true)
    return send(
      Object.fromEntries(fields.map((pair) => [textOf(pair['key']), template(textOf(pair['value']))])),
      { 'Content-Type': 'application/x-www-form-urlencoded' },
    )
  }
  if (mode === 'graphql') {
    const graphql = childOf(body, 'graphql')
    return send({
      query: template(textOf(graphql['query'])),
      variables: template(textOf(graphql['variables']) || '{}'),
    })
  }
  return `sends its body as ${textOf(mode).slice(0, 30)}, which an action cannot`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
