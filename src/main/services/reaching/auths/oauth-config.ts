/** A connector's sign-in configuration, read from its `auth_config` and the auth's own input. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { Connector } from '../../../../shared/contract/connectors.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { actionContext } from '../../../engine/connector/action-request.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { type Data, type DataMap, dictionaryOf } from '@millrace/jinja/data'
import { classifyAddress } from '../../../engine/request/addresses.ts'
import { jinja, TemplateError } from '@millrace/jinja/environment'
import { joinFields } from '../../keeping/secrets/secret-fields.ts'

export type OAuthGrant = 'authorization_code' | 'client_credentials'

export interface OAuthConfig {
  readonly grant: OAuthGrant
  readonly clientId: string
  /** Empty for a public client, which relies on PKCE. */
  readonly clientSecret: string
  /** Where the user signs in; null if no user is involved. */
  readonly authorizationUrl: URL | null
  readonly accessUrl: URL
  readonly refreshUrl: URL
  readonly scope: string
  readonly pkce: boolean
  /** Sends client id and secret as `Authorization: Basic` instead of in the body. */
  readonly credentialsInHeader: boolean
  /** The name of the code in requests and responses, if it isn't `code`. */
  readonly codeKey: string
  readonly extraAuthorization: readonly Parameter[]
  readonly extraAccess: readonly Parameter[]
}

export type Parameter = readonly [name: string, value: string]

export interface OAuthConfigSource {
  readonly connector: Pick<Connector, 'name' | 'auth_config'>
  /** The connector's secrets, by their place in `auth_config`. */
  readonly connectorSecrets: Readonly<Record<string, string>>
  readonly auth: OpenAuth
  readonly env: Readonly<Record<string, Data>>
}

/**
 * The keys are in `auth_config` itself. `step1_authorize_url` and `step3_access_url` are accepted for
 * `authorization_url` and `access_url`. URLs and extra parameters are templates over `auth`; client id, secret and
 * scope can come from the auth's `user_input` instead, for users with their own client.
 *
 * @throws AppError `conflict` naming the key that is missing or wrong
 */
export function readOAuthConfig(source: OAuthConfigSource): OAuthConfig {
  const { connector, connectorSecrets, auth, env } = source
  const config = joinFields(connector.auth_config, connectorSecrets)
  const input = auth.user_input as Readonly<Record<string, unknown>>
  const context = actionContext({ auth, input: dictionaryOf([]), env })

  const wrong = (key: string, reason: Said) =>
    new AppError(
      'conflict',
      say('The connector "{{name}}", auth_config.{{key}}: {{reason}}', { name: connector.name, key, reason }),
    )
  const render = (key: string, template: string) =>
    rendered(template, context, (reason) => wrong(key, reason))
  const textOf = (...keys: readonly string[]) => {
    const key = keys.find((name) => typeof config[name] === 'string' && config[name] !== '')
    return key === undefined ? '' : render(key, config[key] as string).trim()
  }
  const fromInput = (key: string) => (typeof input[key] === 'string' ? input[key] : '')
  const urlOf = (...keys: readonly [string, ...string[]]) => {
    const text = textOf(...keys)
    if (text === '') return null
    const problem = addressProblem(text)
    if (problem !== null) throw wrong(keys[0], problem)
    return new URL(text)
  }
  const parametersOf = (key: string) =>
    readParameters(
      config[key],
      (template) => render(key, template),
      () => wrong(key, say('must be an object, or a string like "access_type=offline&prompt=consent"')),
    )

  const grant = grantOf(connector)
  const clientId = fromInput('client_id') || textOf('client_id')
  const accessUrl = urlOf('access_url', 'step3_access_url')
  const authorizationUrl = urlOf('authorization_url', 'step1_authorize_url')
  if (accessUrl === null) throw wrong('access_url', say('is missing: the URL that issues access tokens'))
  if (grant === 'authorization_code' && authorizationUrl === null)
    throw wrong('authorization_url', say('is missing: the URL for signing in'))
  if (clientId === '') {
    throw new AppError(
      'conflict',
      say('The connector auth "{{id}}" has no client ID; enter the one of your app at "{{connector}}"', {
        id: auth.id,
        connector: connector.name,
      }),
    )
  }
  return {
    grant,
    clientId,
    clientSecret: fromInput('client_secret') || textOf('client_secret'),
    authorizationUrl,
    accessUrl,
    refreshUrl: urlOf('token_refresh_url') ?? accessUrl,
    scope: fromInput('scope') || scopeOf(config['scope'] ?? config['scopes']),
    pkce: config['pkce'] !== false,
    credentialsInHeader: config['client_id_and_secret_in_headers'] === true,
    codeKey: textOf('alternative_code_key') || 'code',
    extraAuthorization: parametersOf('extra_authorization_url'),
    extraAccess: parametersOf('extra_access_url'),
  }
}

export function grantOf({ auth_config: config }: Pick<Connector, 'auth_config'>): OAuthGrant {
  return config['grant_type'] === 'client_credentials' ? 'client_credentials' : 'authorization_code'
}

/** Whether tokens can be fetched at all; otherwise the auth only has those that were entered. */
export function hasTokenEndpoint({ auth_config: config }: Pick<Connector, 'auth_config'>): boolean {
  return [config['access_url'], config['step3_access_url']].some(
    (url) => typeof url === 'string' && url !== '',
  )
}

function scopeOf(scope: unknown): string {
  if (Array.isArray(scope)) return scope.filter((one) => typeof one === 'string').join(' ')
  return typeof scope === 'string' ? scope : ''
}

function rendered(template: string, context: DataMap, wrong: (reason: Said) => AppError): string {
  try {
    return jinja.renderString(template, context)
  } catch (error) {
    if (error instanceof TemplateError) throw wrong(error.said)
    throw error
  }
}

function readParameters(
  value: unknown,
  render: (template: string) => string,
  wrong: () => AppError,
): readonly Parameter[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') {
    return [...new URLSearchParams(render(value).replace(/^[?&]/, ''))]
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong()
  return Object.entries(value).map(([name, one]) => [
    name,
    typeof one === 'string' ? render(one) : String(one),
  ])
}

/** Secrets are sent encrypted, or stay on this machine or network. */
function addressProblem(text: string): Said | null {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return say('must be a URL that begins with https://')
  if (url.protocol === 'https:' || isNear(url.hostname)) return null
  return say('"{{origin}}" would receive secrets unencrypted; use https://', { origin: url.origin })
}

const NEAR_NAME = /(?:^|\.)(?:localhost|local|lan|internal|home\.arpa)$/i

function isNear(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (/^[\d.]+$/.test(address) || address.includes(':'))
    return ['loopback', 'private'].includes(classifyAddress(address))
  return NEAR_NAME.test(address)
}
