/** The origins to which an auth's credentials are sent: from its connector, its own fields and env variables. */
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import { actionContext } from '../../../engine/connector/action-request.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { type Data, type DataMap, dictionaryOf } from '@millrace/jinja/data'
import { jinja, TemplateError } from '@millrace/jinja/environment'
import { parseApiEndpoint } from '../sending/api-endpoint.ts'

export interface DestinationSource {
  readonly connector: Connector
  readonly actions: () => readonly Pick<Action, 'endpoint'>[]
  readonly auth: OpenAuth
  readonly env: Readonly<Record<string, Data>>
}

/** The origin of a connector without a base URL whose actions start with a template, so that the step decides. */
export const ANYWHERE = '*'

export const OAUTH_ADDRESSES = [
  'authorization_url',
  'step1_authorize_url',
  'device_authorization_url',
  'access_url',
  'step3_access_url',
  'token_refresh_url',
] as const

/** Origins such as `https://api.example.com` and `sftp://files.example.com:22`, without duplicates. */
export function destinationsOf({ connector, actions, auth, env }: DestinationSource): readonly string[] {
  const context = actionContext({ auth, input: dictionaryOf([]), env })
  const base = baseUrlOf(connector, auth, env)
  const config = connector.auth_config as Readonly<Record<string, unknown>>
  const signIn = auth.auth_type === 'oauth2' ? OAUTH_ADDRESSES.map((key) => config[key]) : []
  const addresses = [
    base,
    ...connector.allowed_origins,
    ...allowedOriginsIn(connector.pagination_config),
    ...allowedOriginsIn(connector.search_config),
    ...signIn.map((address) => (typeof address === 'string' ? rendered(address, context) : '')),
  ]
  const inActions = base.trim() === '' ? actions().flatMap(({ endpoint }) => originOfEndpoint(endpoint)) : []
  const { user_input: input } = auth
  return [...new Set([...addresses.flatMap((address) => originsOf(address, portIn(input))), ...inActions])]
}

/** The base URL of calls, as steps send them; empty if its template fails. */
export function baseUrlOf(
  { base_domain: base }: Pick<Connector, 'base_domain'>,
  auth: OpenAuth | null,
  env: Readonly<Record<string, Data>>,
): string {
  return auth?.api_endpoint || rendered(base, actionContext({ auth, input: dictionaryOf([]), env }))
}

/** Empty if it isn't a URL. */
export function originsOf(address: string, defaultPort = ''): readonly string[] {
  const text = address.trim()
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return []
  if (scheme === 'http' || scheme === 'https') {
    const origin = URL.parse(text)?.origin
    return origin === undefined ? [] : [origin]
  }
  // Other schemes are parsed by URL in one place and by our own code in another; both results must be approved.
  const url = URL.parse(text.replace(/^[^:]*/, 'http'))
  const byHand = parseApiEndpoint(text)?.host.toLowerCase()
  const hosts = [url?.host, byHand].filter((host) => host !== undefined && host !== '')
  return hosts.map((host) => `${scheme}://${host}${defaultPort === '' ? '' : ` ${defaultPort}`}`)
}

/** The port of an SFTP server, which can be a separate field. */
export function portIn(input: DataMap): string {
  const { port } = input as Readonly<Record<string, unknown>>
  return typeof port === 'number' || typeof port === 'string' ? String(port) : ''
}

function rendered(template: string, context: DataMap): string {
  try {
    return jinja.renderString(template, context)
  } catch (error) {
    if (error instanceof TemplateError) return '' // no call can be made with it either
    throw error
  }
}

/** The origin of an action whose endpoint has no base URL in front of it. */
function originOfEndpoint(endpoint: string): readonly string[] {
  const written = /^\s*https?:[/\\]{2}[^/?#\\]*/i.exec(endpoint)?.[0]
  if (written === undefined) return /^\s*\{/.test(endpoint) ? [ANYWHERE] : []
  return written.includes('{') ? [ANYWHERE] : originsOf(written)
}

function allowedOriginsIn(config: unknown): readonly string[] {
  return [config].flat().flatMap((entry): string[] => {
    const { allowed_origins: origins } = (entry ?? {}) as Readonly<Record<string, unknown>>
    return Array.isArray(origins) ? origins.filter((origin) => typeof origin === 'string') : []
  })
}

/**
 * The origins to which a connector sends its own secrets during a sign-in, with `*` for a part that the auth fills in,
 * as in `https://*.example.com`.
 */
export function ownDestinationsOf(
  { auth_config }: Pick<Connector, 'auth_config'>,
  env: Readonly<Record<string, Data>>,
): readonly string[] {
  const config = auth_config as Readonly<Record<string, unknown>>
  const context = actionContext({ auth: null, input: dictionaryOf([]), env })
  const origins = OAUTH_ADDRESSES.flatMap((key) => {
    const template = config[key]
    if (typeof template !== 'string') return []
    const open = template.replaceAll(/\{\{[^]*?(?:\}\}|$)/g, (tag) => (/\bauth\b/.test(tag) ? '*' : tag))
    const [, scheme, host] = /^\s*(https?):\/\/([^/?#\\]+)/i.exec(rendered(open, context)) ?? []
    return scheme === undefined || host === undefined ? [] : [`${scheme}://${host}`.toLowerCase()]
  })
  return [...new Set(origins)]
}

/** An auth can only choose subdomains of a domain that the connector names. */
export function isOwnDestination({ origin }: URL, known: readonly string[]): boolean {
  return known.some((pattern) => {
    const parts = pattern.split('*')
    if (parts.length === 1) return URL.parse(pattern)?.origin === origin
    if (!/^\.[^.]+\.[^.]/.test(parts.at(-1) ?? '')) return false
    return fits(origin, parts)
  })
}

/** Whether the text consists of these parts, in order, with letters and digits of a host between any two. */
function fits(text: string, [first = '', ...parts]: readonly string[]): boolean {
  const last = parts.pop() ?? ''
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  const gap = (from: number, to: number) => to > from && /^[a-z0-9.-]+$/.test(text.slice(from, to))
  let at = first.length
  for (const part of parts) {
    // The first match is enough, because only the characters between parts matter.
    const next = text.indexOf(part, at + 1)
    if (next === -1 || !gap(at, next)) return false
    at = next + part.length
  }
  return gap(at, text.length - last.length)
}
