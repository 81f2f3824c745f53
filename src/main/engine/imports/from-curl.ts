import { say } from '../../../shared/contract/base/message.ts'
import type { ConnectorDraft } from '../../../shared/contract/connector-imports.ts'
import { actionOf, type CurlRequest, readCurl, withoutOpenParts } from '@millrace/curl'
import { basic, inQuery, placementOfHeader } from './credentials.ts'
import {
  createDraft,
  isSecretName,
  MAX_ACTIONS,
  titleCase,
  type ImportDraft,
  type ImportPlan,
} from './draft.ts'

/** Reads `curl` commands; each becomes an action. Null if none of them contains a URL. */
export function planFromCurl(text: string): ImportPlan | null {
  const reading = readCurl(text)
  const first = reading?.requests.find(({ url }) => originOf(url) !== null)
  const base = first && originOf(first.url)
  if (!reading || !base) return null
  const draft = createDraft()
  const connector: Connector = {
    name: new URL(base).hostname.replace(/^(?:api|www)\./, ''),
    base_domain: base,
  }
  for (const request of reading.requests) {
    if (draft.actions.length >= MAX_ACTIONS)
      draft.leaveOut(request.command, say('is beyond the first {{limit}}', { limit: MAX_ACTIONS }))
    else if (originOf(request.url) !== base)
      draft.leaveOut(request.command, say('goes to a different host than {{base}}', { base }))
    else addAction(draft, connector, request)
  }
  for (const { item, reason } of reading.leftOut) draft.leaveOut(item, reason)
  return { connector, actions: draft.actions, left_out: draft.leftOut }
}

type Connector = { -readonly [K in keyof ConnectorDraft]: ConnectorDraft[K] }

function addAction(draft: ImportDraft, connector: Connector, request: CurlRequest): void {
  const secrets: [place: string, name: string, value: string][] = []
  const { inputs, notes, ...action } = actionOf(request, {
    isSecret: isSecretName,
    onSecret: (...secret) => secrets.push(secret),
  })
  const { pathname, username } = new URL(originPath(request.url))
  const path = decodedPath(pathname.slice(1))
  const name = draft.nameFor(`${action.method} ${path}`)
  if (username !== '') {
    draft.leaveOut(`${name}: the user in the address`, SECRET)
    place(connector, basic())
  }
  for (const [where, key, value] of secrets) {
    draft.leaveOut(`${name}: ${where} ${key}`, SECRET)
    place(connector, where === 'header' ? placementOfHeader(key, value) : inQuery(key))
  }
  for (const note of notes) draft.leaveOut(name, note)
  draft.actions.push({
    ...action,
    name,
    title: titleCase(name),
    method: action.method as 'GET',
    query: action.query as Record<string, string>,
    body: action.body as string,
    ui_form_schema: inputs.map((input) => ({
      name: input,
      label: titleCase(input),
      type: 'text',
      required: true,
    })),
    tag: path.split('/')[0]?.slice(0, 100) ?? '',
  })
}

/** The first credentials found decide how the connector sends its own. */
function place(connector: Connector, placement: Partial<ConnectorDraft> | null): void {
  if (connector.auth_config === undefined) Object.assign(connector, placement)
}

const SECRET = say('contains a credential and was left out: store it in a connector auth')

/** Null if the host contains a shell variable. */
function originOf(url: string): string | null {
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? ''
  return withoutOpenParts(origin, '') === origin ? (URL.parse(origin)?.origin ?? null) : null
}

/** Without the query, and with open parts replaced by characters that are valid in a URL. */
const originPath = (url: string) => withoutOpenParts(url.replace(/\?[\s\S]*$/, ''), 'value')

function decodedPath(path: string): string {
  return path.replaceAll('%7B', '{').replaceAll('%7D', '}')
}
