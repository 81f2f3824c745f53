import type { ConnectorDraft } from '../../../shared/contract/connector-imports.ts'
import { parseCurl, type CurlRequest } from '../../../shared/parse-curl.ts'
import { inQuery, placementOfHeader } from './credentials.ts'
import {
  createDraft,
  isSecretName,
  literal,
  literals,
  MAX_ACTIONS,
  titleCase,
  type ImportDraft,
  type ImportPlan,
} from './draft.ts'

/** One or several `curl` commands; each becomes an action. Null where the text is none. */
export function planFromCurl(text: string): ImportPlan | null {
  const commands = splitCommands(text)
  const requests = commands.map((command) => [command, parseCurl(command)] as const)
  const first = requests.find(([, request]) => request !== null)?.[1]
  const base = first && originOf(first.url)
  if (!base) return null
  const draft = createDraft()
  const connector: { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] } = {
    name: new URL(base).hostname.replace(/^(?:api|www)\./, ''),
    base_domain: base,
  }
  for (const [command, request] of requests.slice(0, MAX_ACTIONS)) {
    const item = command.replaceAll(/\s+/g, ' ').slice(0, 80)
    if (request === null) draft.leaveOut(item, 'is no curl command that names an address')
    else if (originOf(request.url) !== base) draft.leaveOut(item, `goes to another host than ${base}`)
    else if (request.bodyType === 'multipart')
      draft.leaveOut(item, 'sends a multipart form, which an action cannot')
    else addAction(draft, connector, request)
  }
  return { connector, actions: draft.actions, left_out: draft.leftOut }
}

/** A command begins with `curl` at the start of a line that does not go on the one before. */
function splitCommands(text: string): string[] {
  return text
    .replaceAll('\r\n', '\n')
    .split(/(?<![\\^])\n(?=\s*(?:\$ )?curl(?:\.exe)?\s)/)
    .map((command) => command.trim().replace(/^\$ /, ''))
    .filter((command) => command !== '')
}

function originOf(url: string): string | null {
  const parsed = URL.parse(url)
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null
}

function addAction(
  draft: ImportDraft,
  connector: { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] },
  request: CurlRequest,
): void {
  const url = new URL(request.url)
  const path = url.pathname.slice(1)
  const name = draft.nameFor(`${request.method} ${path}`)
  const query: Record<string, string> = {}
  const headers: Record<string, string> = {}
  if (url.username !== '') draft.leaveOut(`${name}: the user in the address`, SECRET)
  for (const [key, value] of url.searchParams) {
    if (isSecretName(key)) {
      draft.leaveOut(`${name}: query parameter ${key}`, SECRET)
      Object.assign(connector, connector.auth_config ? {} : inQuery(key))
    } else query[key] = literal(value)
  }
  for (const [key, value] of Object.entries(request.headers)) {
    if (isSecretName(key)) {
      draft.leaveOut(`${name}: header ${key}`, SECRET)
      Object.assign(connector, connector.auth_config ? {} : (placementOfHeader(key, value) ?? {}))
    } else if (BROWSERS_OWN.test(key))
      draft.leaveOut(`${name}: header ${key}`, 'belongs to the browser that sent it')
    else headers[key] = literal(value)
  }
  if (request.bodyType === 'form') headers['Content-Type'] ??= 'application/x-www-form-urlencoded'
  if (!METHODS.has(request.method)) {
    draft.leaveOut(name, `has the method ${request.method}, which actions do not`)
    return
  }
  draft.actions.push({
    name,
    title: titleCase(name),
    method: request.method as 'GET',
    endpoint: literal(decodePath(path)),
    query,
    headers,
    body: request.body === null ? null : literals(request.body),
    ui_form_schema: [],
    tag: path.split('/')[0]?.slice(0, 100) ?? '',
  })
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
const BROWSERS_OWN =
  /^(?:host|content-length|connection|accept-encoding|origin|referer|user-agent|sec-.*|priority|dnt|te|pragma|cache-control|upgrade-insecure-requests|accept-language)$/i
const SECRET = 'holds a credential; it is not taken over: store it as an auth of the connector'

function decodePath(path: string): string {
  return path.replaceAll('%7B', '{').replaceAll('%7D', '}')
}
