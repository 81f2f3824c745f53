/** Reads a Postman collection 2.x as a connector: requests become actions, variables form fields. */
import { englishOf, Message, say, type Said } from '../../../shared/contract/base/message.ts'
import { ACTION_METHODS } from '../../../shared/contract/base/http-methods.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { ConnectorDraft } from '../../../shared/contract/connector-imports.ts'
import { connectorOf, type Credential, readExtra } from './connector-credentials.ts'
import {
  createDraft,
  inputName,
  isSecretName,
  MAX_ACTIONS,
  notImported,
  titleCase,
  type ImportDraft,
  type ImportPlan,
} from './draft.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'
import { authOf, type FoundAuth } from './postman-auth.ts'
import { bodyOf } from './postman-bodies.ts'
import { changesRequest, scriptsOf, variablesSetBy } from './postman-scripts.ts'
import { filled, toTemplate, type Variables, variablesOf } from './postman-variables.ts'

interface Found {
  readonly label: string
  readonly name: string
  readonly tag: string
  readonly item: Plain
  readonly request: Plain
  /** Auths from the collection down to the request. */
  readonly auths: readonly unknown[]
  /** Why the imported request differs from the original; null if it doesn't. */
  readonly change: string | null
}

export function planFromPostman(document: Plain): ImportPlan {
  const draft = createDraft()
  const changed = new Set<string>()
  const requests = requestsIn(document, draft, changed)
  const variables = variablesOf(document, changed)
  const found = requests.map((one) => ({
    ...one,
    address: addressOf(one.request, variables),
    auth: authOf(one.auths, variables),
  }))
  const base = mostCommon(found.map(({ address }) => address?.origin ?? null))
  const credentials = new Map<Credential['type'], Credential>()
  const written = found.flatMap((one) =>
    one.address?.origin === base ? [one.auth ?? writtenCredential(one.request)] : [],
  )
  for (const auth of byCount(written)) if (!credentials.has(auth.type)) credentials.set(auth.type, auth)
  for (const { scheme, remark } of credentials.values())
    if (remark !== undefined) draft.note(`auth ${scheme}`, remark)
  const info = childOf(document, 'info')
  const description = info['description']
  const fields: Record<string, Json>[] = []
  const origins = new Set<string>()
  const plan = { draft, variables, base, credentials, fields, origins }
  for (const one of found) {
    if (draft.actions.length >= MAX_ACTIONS)
      draft.leaveOut(one.label, say('is beyond the first {{limit}}', { limit: MAX_ACTIONS }))
    else if (one.address === null) draft.leaveOut(one.label, say('has no URL'))
    else addRequest(one, one.address, plan)
  }
  const connector: { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] } = {
    name: textOf(info['name']).slice(0, 200) || 'Imported collection',
    long_description: textOf(isRecord(description) ? description['content'] : description).slice(0, 20_000),
    base_domain: base ?? '',
    ...connectorOf([...credentials.values()], [], []),
  }
  const asked = [...(base ?? '').matchAll(/auth\.user_input\.(\w+)/g)].map(([, name = '']) => name)
  for (const name of asked) fields.unshift({ name, label: titleCase(name), type: 'text', required: true })
  if (fields.length > 0) {
    const { auth_types = ['none'], auth_form = [], ...rest } = connector.auth_config ?? {}
    const free = fields.filter(({ name }, at) => fields.findIndex((one) => one['name'] === name) === at)
    connector.auth_config = { ...rest, auth_types, auth_form: [...auth_form, ...free] }
  }
  if (origins.size > 0) connector.allowed_origins = [...origins]
  return { connector, actions: draft.actions, left_out: draft.leftOut, notes: draft.notes }
}

function requestsIn(document: Plain, draft: ImportDraft, changed: Set<string>): Found[] {
  const found: Found[] = []
  const look = (item: Plain, label: string): string | null => {
    const { before, after } = scriptsOf(item)
    const sets = [...variablesSetBy(before), ...variablesSetBy(after)]
    for (const name of sets) changed.add(name)
    const isChange = changesRequest(before)
    if (before !== '' || after !== '')
      draft.leaveOut(
        `${label}: scripts`,
        isChange
          ? say(
              'are Postman scripts in JavaScript that change the request before it is sent: the actions have a placeholder for them',
            )
          : sets.length > 0
            ? say(
                'are Postman scripts in JavaScript; the form has fields for the values they set: {{names}}',
                {
                  names: [...new Set(sets)].join(', ').slice(0, 300),
                },
              )
            : say('are Postman scripts in JavaScript; use templates or a code step'),
      )
    return isChange ? `the script of ${label}, which changes the request` : null
  }
  const walk = (
    items: unknown,
    folders: readonly string[],
    auths: readonly unknown[],
    change: string | null,
  ): void => {
    if (!Array.isArray(items) || folders.length > 20) return
    for (const item of items.filter(isRecord)) {
      const name = textOf(item['name']) || 'request'
      const label = [...folders, name].join(' / ')
      const own = look(item, label) ?? change
      const request =
        typeof item['request'] === 'string' ? { url: item['request'], method: 'GET' } : item['request']
      if (isRecord(request))
        found.push({
          label,
          name,
          tag: folders[0] ?? '',
          item,
          request,
          auths: [...auths, request['auth']],
          change: own,
        })
      else walk(item['item'], [...folders, name], [...auths, item['auth']], own)
    }
  }
  walk(document['item'], [], [document['auth']], look(document, 'the collection'))
  return found
}

interface Address {
  /** A template. If the auth contains the host, this is a template of the connector. */
  readonly origin: string
  /** The part after the origin, as written. */
  readonly rest: string
}

function rawUrl({ url }: Plain): string {
  if (!isRecord(url)) return textOf(url)
  const raw = textOf(url['raw'])
  if (raw !== '') return raw
  const host = Array.isArray(url['host']) ? url['host'].map(textOf).join('.') : textOf(url['host'])
  const path = Array.isArray(url['path']) ? url['path'].map(textOf).join('/') : textOf(url['path'])
  const query = (Array.isArray(url['query']) ? url['query'] : [])
    .filter(isRecord)
    .filter((one) => one['disabled'] !== true)
    .map((one) =>
      one['value'] === null ? textOf(one['key']) : `${textOf(one['key'])}=${textOf(one['value'])}`,
    )
  const protocol = textOf(url['protocol'])
  const port = textOf(url['port'])
  if (host === '') return ''
  return `${protocol === '' ? '' : `${protocol}://`}${host}${port === '' ? '' : `:${port}`}/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** Null if there is no host. A host without a scheme is called over http, as in Postman. */
function addressOf(request: Plain, variables: Variables): Address | null {
  const raw = filled(rawUrl(request), variables).trim()
  const [, scheme = '', host = '', rest = ''] =
    /^(https?:\/\/)?((?:\{\{[^{}]+\}\}|[^/?#{}])+)([\s\S]*)$/i.exec(raw) ?? []
  if (host === '') return null
  const template = host.replaceAll(
    /\{\{([^{}]+)\}\}/g,
    (_whole, name: string) => `{{ auth.user_input.${inputName(name.trim())} }}`,
  )
  const isWhole = scheme !== '' || host.startsWith('{{')
  return { origin: `${isWhole ? scheme : 'http://'}${template}`, rest }
}

function mostCommon(values: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

/** Sorted by the number of requests they are sent with, most first. */
function byCount(auths: readonly FoundAuth[]): Credential[] {
  const counts = new Map<string, { auth: Credential; count: number }>()
  for (const auth of auths) {
    if (auth === null || auth instanceof Message) continue
    const key = keyOf(auth)
    const found = counts.get(key)
    if (found === undefined) counts.set(key, { auth, count: 1 })
    else found.count += 1
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count).map(({ auth }) => auth)
}

const keyOf = ({ type, place, name, config }: Credential): string =>
  `${type} ${place} ${name.toLowerCase()} ${type === 'hmac' ? JSON.stringify(config) : ''}`

/** Credentials that a request carries without an auth: a header or parameter with such a name. */
function writtenCredential(request: Plain): FoundAuth {
  for (const { name, value } of headersIn(request))
    if (isSecretName(name)) return credentialOfHeader(name, value)
  return null
}

function credentialOfHeader(name: string, value: string): Credential | null {
  if (/^(?:cookie|proxy-authorization)$/i.test(name)) return null
  if (!/^authorization$/i.test(name)) return { scheme: name, type: 'api_key', place: 'header', name }
  const type = /^bearer\b/i.test(value)
    ? 'bearer'
    : /^basic\b/i.test(value)
      ? 'username_password'
      : 'basic_auth'
  return { scheme: name, type, place: 'header', name: 'Authorization' }
}

function headersIn(request: Plain): { name: string; value: string }[] {
  const { header } = request
  if (typeof header === 'string')
    return header.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line.trim()) ?? []
      return name === '' ? [] : [{ name: name.trim(), value: value.trim() }]
    })
  return (Array.isArray(header) ? header : [])
    .filter(isRecord)
    .filter((one) => one['disabled'] !== true && textOf(one['key']).trim() !== '')
    .map((one) => ({ name: textOf(one['key']).trim(), value: textOf(one['value']) }))
}

interface Plan {
  readonly draft: ImportDraft
  readonly variables: Variables
  readonly base: string | null
  readonly credentials: ReadonlyMap<Credential['type'], Credential>
  /** Fields of the auth in addition to its own. */
  readonly fields: Record<string, Json>[]
  readonly origins: Set<string>
}

type Sent = Found & { readonly auth: FoundAuth }

function addRequest(one: Sent, { origin, rest }: Address, plan: Plan): void {
  const { label, name: title, tag, item, request, auth, change } = one
  const { draft, variables, base, credentials, fields, origins } = plan
  const method = (textOf(request['method']) || 'GET').toUpperCase()
  if (!METHODS.has(method)) {
    draft.leaveOut(
      label,
      say("has the method {{method}}, which actions don't support", { method: method.slice(0, 20) }),
    )
    return
  }
  const inputs = new Set<string>()
  const fill = (text: string) => filled(text, variables)
  const template = (text: string) => toTemplate(fill(text), inputs)
  const blocks: string[] = []
  const block = (item: string, reason: Said, what: string) => {
    draft.leaveOut(`${label}${item === '' ? '' : `: ${item}`}`, reason)
    blocks.push(notImported(what))
  }
  if (change !== null) blocks.push(notImported(change))
  const query: Record<string, Json> = {}
  const headers: Record<string, string> = {}
  const isMain = (credential: Credential) => {
    const main = credentials.get(credential.type)
    return main !== undefined && keyOf(main) === keyOf(credential)
  }
  /** A credential other than the auth's main one becomes a field of the auth. */
  const addExtra = (credential: Credential) => {
    const name = inputName(credential.scheme)
    fields.push({ name, label: titleCase(name), type: 'password', required: false })
    if (credential.place === 'query') query[credential.name] = `{{ ${readExtra(credential)} }}`
    else headers[credential.name] = `{{ ${readExtra(credential)} }}`
  }
  if (auth instanceof Message) block('auth', auth, `the auth, which ${englishOf(auth)}`)
  else if (auth !== null && !isMain(auth)) {
    if (auth.type === 'api_key') addExtra(auth)
    else
      block('auth', say("differs from the connector's, which is in the same header"), 'the auth of its own')
  }
  let prefix = ''
  if (origin !== base) {
    if (origin.includes('{{')) {
      block(
        '',
        say("goes to {{origin}}, which is not the connector's host", { origin }),
        `the host of its own: add it to the allowed origins of the connector, and take this away`,
      )
      prefix = `${origin}/`
      for (const [, name = ''] of origin.matchAll(/auth\.user_input\.(\w+)/g))
        fields.push({ name, label: titleCase(name), type: 'text', required: false })
    } else if (auth === null && credentials.size > 0)
      block(
        '',
        say('goes to {{origin}} without credentials, but actions send them with every call', { origin }),
        `the host ${origin}, which gets no credentials`,
      )
    else {
      origins.add(URL.parse(origin)?.origin ?? origin)
      draft.note(label, say("goes to {{origin}}, where the connector's credentials are sent too", { origin }))
      prefix = `${origin}/`
    }
  }
  const [path = '', search = ''] = rest.replace(/#.*$/s, '').split(/\?(.*)/s)
  const bare: string[] = []
  for (const pair of search.split('&').filter((part) => part !== '')) {
    const [key = '', value] = pair.split(/=(.*)/s)
    const name = decoded(key)
    if (isSecretName(name)) {
      draft.leaveOut(`${label}: query parameter ${name}`, SECRET)
      const credential: Credential = { scheme: name, type: 'api_key', place: 'query', name }
      if (!isMain(credential)) addExtra(credential)
    } else if (value === undefined || name.includes('{{')) bare.push(template(pair))
    else {
      const next = template(decoded(value))
      const before = query[name]
      query[name] = before === undefined ? next : [...(Array.isArray(before) ? before : [before]), next]
    }
  }
  for (const { name, value } of headersIn(request)) {
    if (isSecretName(name)) {
      draft.leaveOut(`${label}: header ${name}`, SECRET)
      const credential = credentialOfHeader(name, fill(value))
      if (credential === null) headers[name] = notImported(`the header ${name}, which holds a credential`)
      else if (!isMain(credential)) {
        if (credential.type === 'api_key') addExtra(credential)
        else block(`header ${name}`, say("differs from the connector's"), `the header ${name} of its own`)
      }
      continue
    }
    const known = Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase())
    headers[known ?? name] = known === undefined ? template(value) : `${headers[known]}, ${template(value)}`
  }
  const isReading = method === 'GET' || method === 'HEAD'
  const leave = (what: string, reason: Said) => draft.leaveOut(`${label}: ${what}`, reason)
  const sent = isReading ? null : bodyOf(childOf(request, 'body'), inputs, fill, leave)
  if (
    isReading &&
    childOf(item, 'protocolProfileBehavior')['disableBodyPruning'] === true &&
    childOf(request, 'body')['mode'] !== undefined
  )
    block(
      'the body',
      say("is sent with {{method}}, which actions don't support", { method }),
      `the body, which is sent with ${method}`,
    )
  if (
    sent !== null &&
    sent.contentType !== '' &&
    !Object.keys(headers).some((key) => key.toLowerCase() === 'content-type')
  )
    headers['Content-Type'] = sent.contentType
  const defaults = pathDefaults(request)
  const endpoint = path
    .replace(/^\//, '')
    .split('/')
    .map((part) => {
      const name = /^:([^:{}]+)$/.exec(part)?.[1]
      if (name === undefined) return template(part)
      const input = inputName(name)
      inputs.add(input)
      return `{{ input.${input} | urlencode | replace('/', '%2F') }}`
    })
    .join('/')
  const whole = `${blocks.join('')}${prefix}${endpoint}${bare.length > 0 ? `?${bare.join('&')}` : ''}`
  const name = draft.nameFor(title)
  const description = request['description']
  draft.actions.push({
    name,
    title: title.slice(0, 200),
    short_description: textOf(isRecord(description) ? description['content'] : description).slice(0, 500),
    method: method as 'GET',
    endpoint: whole.length > 4_000 ? notImported('the address, which is too long') : whole,
    query,
    headers,
    body: sent?.body ?? null,
    ui_form_schema: [...inputs].slice(0, 500).map((input) => ({
      name: input,
      label: titleCase(input),
      type: 'text',
      required: false,
      ...(sent?.files.includes(input) === true
        ? { placeholder: 'A file: {{ web1.file }}, or its file_id' }
        : {}),
      ...(defaults.has(input) ? { default: defaults.get(input) ?? '' } : {}),
    })),
    tag: tag.slice(0, 100),
  })
}

const METHODS: ReadonlySet<string> = new Set(ACTION_METHODS)
const SECRET = say('contains a credential and was left out: store it in a connector auth')

/** The collection's values for `:id`, used as defaults. */
function pathDefaults({ url }: Plain): ReadonlyMap<string, string> {
  const list = isRecord(url) && Array.isArray(url['variable']) ? url['variable'].filter(isRecord) : []
  return new Map(
    list.flatMap((entry): [string, string][] => {
      const [name, value] = [textOf(entry['key']), textOf(entry['value'])]
      return name === '' || value === '' || value.includes('{{') || isSecretName(name)
        ? []
        : [[inputName(name), value]]
    }),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
