import { unescape } from 'node:querystring'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { type Data, type DataMap, type Dictionary, dictionaryOf } from '@millrace/jinja/data'
import type { HeaderLine } from '../ports.ts'
import { renderTemplate } from '@millrace/jinja'
import type { OpenAuth } from './open-auth.ts'

export interface Credentials {
  readonly headers: readonly HeaderLine[]
  readonly query: Dictionary
}

/**
 * The credentials that an auth adds to a call. Their place is that of the connector's `header` or
 * `url_token_extension`, and defaults to that of the auth's type.
 */
export function credentialsOf(
  connector: Pick<Connector, 'header' | 'url_token_extension'>,
  auth: OpenAuth | null,
): Credentials {
  if (auth === null || NOT_PLACED.has(auth.auth_type)) return NO_CREDENTIALS
  return { headers: headerOf(connector, auth), query: queryOf(connector, auth) }
}

/** The credentials that an auth adds to a call to any URL, placed as the auth's own connector specifies. */
export function credentialsFor(
  auth: OpenAuth | null,
  { findConnector }: { readonly findConnector: (id: string) => Placement | null },
): Credentials {
  const connector = auth && findConnector(auth.connector_id)
  return credentialsOf(connector ?? { header: null, url_token_extension: null }, auth)
}

/** Names of the headers that carry credentials; empty if the connector's templates for them can't be rendered. */
export function credentialHeaders(
  connector: Pick<Connector, 'header' | 'url_token_extension'>,
  auth: OpenAuth | null,
): readonly string[] {
  if (connector.header === null) return []
  try {
    return [renderTemplate(connector.header.header_key, placementContext('', auth)).trim()]
  } catch {
    return []
  }
}

/** Name of the query parameter that carries credentials; empty if none does, or if its template can't be rendered. */
export function credentialParameter(
  { url_token_extension: extension }: Pick<Connector, 'url_token_extension'>,
  auth: OpenAuth | null,
): string {
  if (extension === null) return ''
  try {
    return renderTemplate(extension.key, placementContext('', auth))
  } catch {
    return ''
  }
}

/** The value of `auth` in a connector's templates. */
export function authContext(auth: OpenAuth | null): Data {
  return auth === null ? EMPTY : dictionaryOf(Object.entries(auth))
}

function headerOf({ header, url_token_extension: extension }: Placement, auth: OpenAuth): HeaderLine[] {
  const token = TOKENS[auth.auth_type](auth)
  if (token === '' || header?.token_in_header === false) return []
  if (header === null) {
    if (extension !== null) return []
    return [[auth.auth_type === 'api_key' ? 'X-Api-Key' : 'Authorization', token]]
  }
  const context = placementContext(token, auth)
  const name = renderTemplate(header.header_key, context).trim()
  return name === '' ? [] : [[name, renderTemplate(header.token_prefix, context)]]
}

/** In a URL only the bare token is sent, because a scheme in front of it belongs in headers. */
function queryOf({ url_token_extension: extension }: Placement, auth: OpenAuth): Dictionary {
  const token = auth.auth_token || auth.password
  if (extension === null || token === '') return EMPTY
  const context = placementContext(token, auth)
  const name = renderTemplate(extension.key, context)
  return name === '' ? EMPTY : dictionaryOf([[name, renderTemplate(extension.value, context)]])
}

type Placement = Pick<Connector, 'header' | 'url_token_extension'>

function placementContext(token: string, auth: OpenAuth | null): DataMap {
  return { token, auth: authContext(auth) }
}

/** The header's value by auth type; empty if there is nothing to send. */
const TOKENS: { readonly [T in OpenAuth['auth_type']]: (auth: OpenAuth) => string } = {
  basic_auth: (auth) => auth.auth_token,
  api_key: (auth) => auth.auth_token,
  bearer: (auth) => bearer(auth.auth_token),
  oauth2: (auth) => bearer(auth.auth_token),
  username_password: basic,
  client_certificate: (auth) => bearer(auth.auth_token),
  digest: () => '',
  oauth1: () => '',
  aws_sigv4: () => '',
  hmac: () => '',
  none: () => '',
}

/** Auths without a token to place. Signatures are added when the request is sent, so it never contains their secret. */
const NOT_PLACED: ReadonlySet<OpenAuth['auth_type']> = new Set([
  'digest',
  'oauth1',
  'aws_sigv4',
  'hmac',
  'none',
])

/** User name and password each take precedence over their part of the login in the URL. */
function basic({ username, password, api_endpoint: endpoint }: OpenAuth): string {
  const url = URL.parse(endpoint)
  const login = `${username || unescape(url?.username ?? '')}:${password || unescape(url?.password ?? '')}`
  return login === ':' ? '' : `Basic ${Buffer.from(login, 'utf8').toString('base64')}`
}

const bearer = (token: string) => (token === '' ? '' : `Bearer ${token}`)

const EMPTY = dictionaryOf([])
const NO_CREDENTIALS: Credentials = { headers: [], query: EMPTY }
