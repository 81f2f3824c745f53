/** A connector's sign-in configuration, read from its `auth_config` and the auth's own input. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { mustBe } from '../../../../shared/contract/base/validate.ts'
import { type Connector, grantOf, type OAuthGrant } from '../../../../shared/contract/connectors.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { actionContext } from '../../../engine/connector/action-request.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { type Data, type DataMap, dictionaryOf } from '@millrace/jinja/data'
import { classifyAddress } from '../../../engine/request/addresses.ts'
import { jinja, TemplateError } from '@millrace/jinja/environment'
import { asPem } from '../../../engine/connector/signing/parts.ts'
import { joinFields } from '../../keeping/secrets/secret-fields.ts'

export interface OAuthConfig {
  readonly grant: OAuthGrant
  readonly clientId: string
  /** Empty for a public client, which relies on PKCE. */
  readonly clientSecret: string
  /** The URL at which the user signs in; null if no user is involved. */
  readonly authorizationUrl: URL | null
  /** The endpoint that issues the code for `device_code`; null for every other grant. */
  readonly deviceUrl: URL | null
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
  /** Used by `jwt_bearer`. */
  readonly assertion: Assertion | null
  /** The token of another issuer, used by `token_exchange`. */
  readonly subjectToken: { readonly token: string; readonly type: string } | null
}

/** A service account's claims about itself, and the key that signs them. */
export interface Assertion {
  readonly issuer: string
  /** Empty if it acts for itself. */
  readonly subject: string
  readonly audience: string
  readonly keyId: string
  /** PEM. */
  readonly privateKey: string
  readonly algorithm: string
  /** Sent in a form (RFC 7523), or as the bearer token of the call that fetches another token. */
  readonly place: 'body' | 'header'
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
  const account = grant === 'jwt_bearer' ? readServiceAccount(fromInput('service_account'), wrong) : {}
  const clientId = fromInput('client_id') || textOf('client_id') || (account['client_email'] ?? '')
  const accessUrl = urlOf('access_url', 'step3_access_url')
  const authorizationUrl = urlOf('authorization_url', 'step1_authorize_url')
  const deviceUrl = grant === 'device_code' ? urlOf('device_authorization_url') : null
  if (accessUrl === null) throw wrong('access_url', say('is missing: the URL that issues access tokens'))
  if (grant === 'authorization_code' && authorizationUrl === null)
    throw wrong('authorization_url', say('is missing: the URL for signing in'))
  if (grant === 'device_code' && deviceUrl === null)
    throw wrong('device_authorization_url', say('is missing: the URL that issues codes for signing in'))
  const subjectToken = grant === 'token_exchange' ? fromInput('subject_token') : ''
  if (grant === 'token_exchange' && subjectToken === '')
    throw wrong('subject_token', say("is missing: enter it in the connector auth's user_input"))
  const assertion =
    grant === 'jwt_bearer'
      ? readAssertion({
          account,
          clientId,
          input: (key) => fromInput(key).trim() || textOf(key),
          audience: accessUrl.href,
          wrong,
        })
      : null
  if (clientId === '' && grant !== 'jwt_bearer' && grant !== 'token_exchange') {
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
    deviceUrl,
    accessUrl,
    refreshUrl: urlOf('token_refresh_url') ?? accessUrl,
    scope: fromInput('scope') || scopeOf(config['scope'] ?? config['scopes']),
    pkce: config['pkce'] !== false,
    credentialsInHeader: config['client_id_and_secret_in_headers'] === true,
    codeKey: textOf('alternative_code_key') || 'code',
    extraAuthorization: parametersOf('extra_authorization_url'),
    extraAccess: parametersOf('extra_access_url'),
    assertion,
    subjectToken:
      subjectToken === ''
        ? null
        : { token: subjectToken, type: textOf('subject_token_type') || JWT_TOKEN_TYPE },
  }
}

const JWT_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:jwt'
const ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA']

type Wrong = (key: string, reason: Said) => AppError

/** The file that Google issues for a service account. */
function readServiceAccount(text: string, wrong: Wrong): Readonly<Record<string, string>> {
  if (text.trim() === '') return {}
  try {
    const file: unknown = JSON.parse(text)
    if (typeof file === 'object' && file !== null)
      return Object.fromEntries(
        Object.entries(file).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
  } catch {
    // reported below
  }
  throw wrong('service_account', say("isn't a JSON object; paste the whole file"))
}

function readAssertion({
  account,
  clientId,
  input,
  audience,
  wrong,
}: {
  readonly account: Readonly<Record<string, string>>
  readonly clientId: string
  readonly input: (key: string) => string
  readonly audience: string
  readonly wrong: Wrong
}): Assertion {
  const issuer = input('issuer') || clientId
  const privateKey = input('private_key') || (account['private_key'] ?? '')
  const algorithm = input('algorithm') || 'RS256'
  if (issuer === '') throw wrong('issuer', say("is missing: enter it in the connector auth's user_input"))
  if (privateKey === '')
    throw wrong('private_key', say("is missing: enter it in the connector auth's user_input"))
  if (!ALGORITHMS.includes(algorithm)) throw wrong('algorithm', mustBe(ALGORITHMS, algorithm))
  return {
    issuer,
    subject: input('subject'),
    audience: input('audience') || audience,
    keyId: input('key_id') || (account['private_key_id'] ?? ''),
    privateKey: asPem(privateKey),
    algorithm,
    place: input('assertion_in') === 'header' ? 'header' : 'body',
  }
}

/** Whether tokens can be fetched at all; otherwise the auth only has tokens that were entered. */
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

/** Requires that secrets are sent encrypted, or stay on this machine or network. */
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
