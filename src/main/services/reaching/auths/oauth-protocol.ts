/** The OAuth 2.0 protocol, using `oauth4webapi`; its requests take the same path as all other calls. */
import { SpokenError } from '../../../../shared/contract/base/errors.ts'
import { say, type Said, quoted, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type * as oauth from 'oauth4webapi'
import type { Clock, SendRequest } from '../../../engine/ports.ts'
import { RequestError } from '../../../engine/request/request-error.ts'
import type { OAuthConfig, Parameter } from './oauth-config.ts'
import { signAssertion } from './sign-assertion.ts'
import { readIssued, toStandardAnswer } from './token-answer.ts'

export interface Tokens {
  readonly accessToken: string
  /** Null if the server sent none; the previous one then stays valid. */
  readonly refreshToken: string | null
  /** Seconds; null if the server doesn't say. */
  readonly expiresIn: number | null
}

/** A code that the user enters in a browser elsewhere (RFC 8628). */
export interface DeviceCode {
  readonly deviceCode: string
  readonly userCode: string
  readonly url: string
  /** The complete URL, including the code. */
  readonly completeUrl: string | null
  readonly lifeMs: number
  readonly intervalMs: number
}

/** Thrown if there are no tokens; says why. */
export class OAuthError extends SpokenError {
  override readonly name = 'OAuthError'
  /**
   * `needs_sign_in` means that the grant is no longer valid and the user has to sign in again. `refused` means that the
   * server rejects the request, which has to be fixed in the connector or the auth. `unavailable` means that a retry
   * can succeed.
   */
  readonly kind: 'needs_sign_in' | 'refused' | 'unavailable'

  constructor(kind: OAuthError['kind'], sentence: Said, cause?: unknown) {
    super(sentence, cause)
    this.kind = kind
  }
}

export type OAuthProtocol = ReturnType<typeof createOAuthProtocol>

export interface AuthorizationRequest {
  readonly state: string
  /** PKCE's `code_verifier`. */
  readonly verifier: string
  readonly redirectUri: string
}

export interface OAuthProtocolOptions {
  readonly sendRequest: SendRequest
  readonly clock: Pick<Clock, 'now'>
  /** Time limit of one token endpoint call. */
  readonly timeoutMs: number
}

export function createOAuthProtocol({ sendRequest, clock, timeoutMs }: OAuthProtocolOptions) {
  /** @param rename the server's name for the code, if it differs */
  const transport = ({ codeKey }: OAuthConfig, lib: typeof oauth) => ({
    [lib.allowInsecureRequests]: true, // the URLs are checked for plain http when they are read
    [lib.customFetch]: async (
      url: string,
      { headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
    ) => {
      const form = [...body].map(([name, value]): [string, string] => [
        name === 'code' ? codeKey : name,
        value,
      ])
      const answer = await sendRequest(
        {
          method: 'POST',
          url,
          headers: Object.entries(headers),
          body: new URLSearchParams(form).toString(),
        },
        // A redirect would forward the secret, and standard token endpoints never redirect.
        { timeoutMs, maxRedirects: 0 },
      )
      return toStandardAnswer(answer)
    },
  })

  async function speak(
    config: OAuthConfig,
    url: URL,
    grant: (
      lib: typeof oauth,
      server: oauth.AuthorizationServer,
      client: oauth.Client,
      auth: oauth.ClientAuth,
    ) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<Tokens> {
    const lib = await import('oauth4webapi')
    try {
      const { server, client } = parties(config, url)
      const answer = await grant(lib, server, client, clientAuth(lib, config))
      const seconds = answer.expires_in
      return {
        accessToken: answer.access_token,
        refreshToken: answer.refresh_token ?? null,
        expiresIn:
          seconds === undefined || !Number.isFinite(seconds) ? null : Math.min(seconds, LONGEST_LIFE_SECONDS),
      }
    } catch (error) {
      throw toOAuthError(error, lib, url)
    }
  }

  /**
   * Some APIs exchange a signed token, sent as the bearer token, for an access token; GitHub does so for app
   * installations.
   */
  async function fetchWith(signed: string, url: URL): Promise<Tokens> {
    const lib = await import('oauth4webapi')
    try {
      const answer = await sendRequest(
        {
          method: 'POST',
          url: url.href,
          headers: [
            ['Authorization', `Bearer ${signed}`],
            ['Accept', 'application/json'],
          ],
          body: null,
        },
        { timeoutMs, maxRedirects: 0 },
      )
      const issued = readIssued(answer)
      if ('reason' in issued) {
        const kind = answer.status >= 500 || answer.status === 429 ? 'unavailable' : 'refused'
        const code = issued.reason === '' ? String(answer.status) : oneLine(issued.reason, 300)
        throw new OAuthError(
          kind,
          say('{{place}} responded with {{code}}', { place: `${url.origin}${url.pathname}`, code }),
        )
      }
      const { token, expiresAt } = issued
      const expiresIn = expiresAt === null ? null : Math.max(0, Math.floor((expiresAt - clock.now()) / 1000))
      return { accessToken: token, refreshToken: null, expiresIn }
    } catch (error) {
      throw toOAuthError(error, lib, url)
    }
  }

  const clientCredentials = (config: OAuthConfig) =>
    speak(config, config.accessUrl, async (lib, server, client, auth) => {
      const parameters = fieldsOf([...scopeOf(config.scope), ...config.extraAccess])
      const response = await lib.clientCredentialsGrantRequest(
        server,
        client,
        auth,
        parameters,
        transport(config, lib),
      )
      return lib.processClientCredentialsResponse(server, client, response)
    })

  /** Without a client secret, the parameters identify the caller. */
  const ask = (config: OAuthConfig, grantType: string, parameters: readonly Parameter[]) =>
    speak(config, config.accessUrl, async (lib, server, client, auth) => {
      const all = fieldsOf([...parameters, ...scopeOf(config.scope), ...config.extraAccess])
      const isAnonymous = config.clientSecret === ''
      const response = await lib.genericTokenEndpointRequest(
        server,
        client,
        isAnonymous ? () => undefined : auth,
        grantType,
        all,
        transport(config, lib),
      )
      return lib.processGenericTokenEndpointResponse(server, client, response)
    })

  return {
    async newSecrets(): Promise<{ readonly state: string; readonly verifier: string }> {
      const { generateRandomState, generateRandomCodeVerifier } = await import('oauth4webapi')
      return { state: generateRandomState(), verifier: generateRandomCodeVerifier() }
    },
    /** The URL to open in the user's browser. */
    async authorizationAddress(
      config: OAuthConfig,
      { state, verifier, redirectUri }: AuthorizationRequest,
    ): Promise<string> {
      const { calculatePKCECodeChallenge } = await import('oauth4webapi')
      if (config.authorizationUrl === null) throw new Error('This grant has no sign-in')
      const url = new URL(config.authorizationUrl)
      setAll(url.searchParams, scopeOf(config.scope))
      setAll(url.searchParams, config.extraAuthorization)
      setAll(url.searchParams, [
        ['response_type', 'code'],
        ['client_id', config.clientId],
        ['redirect_uri', redirectUri],
        ['state', state],
      ])
      if (config.pkce) {
        setAll(url.searchParams, [
          ['code_challenge', await calculatePKCECodeChallenge(verifier)],
          ['code_challenge_method', 'S256'],
        ])
      }
      return url.href
    },
    /**
     * @param answer query parameters of the callback
     * @throws OAuthError
     */
    exchangeCode: (
      config: OAuthConfig,
      { state, verifier, redirectUri }: AuthorizationRequest,
      answer: URLSearchParams,
    ) =>
      speak(config, config.accessUrl, async (lib, server, client, auth) => {
        const parameters = lib.validateAuthResponse(server, client, asStandard(answer, config), state)
        const code = config.pkce ? verifier : lib.nopkce
        const response = await lib.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          parameters,
          redirectUri,
          code,
          {
            ...transport(config, lib),
            additionalParameters: fieldsOf(config.extraAccess),
          },
        )
        return lib.processAuthorizationCodeResponse(server, client, response)
      }),
    /** @throws OAuthError */
    async deviceCode(config: OAuthConfig): Promise<DeviceCode> {
      const lib = await import('oauth4webapi')
      if (config.deviceUrl === null) throw new Error('This grant has no code')
      try {
        const { server, client } = parties(config, config.accessUrl)
        const response = await lib.deviceAuthorizationRequest(
          server,
          client,
          clientAuth(lib, config),
          fieldsOf([...scopeOf(config.scope), ...config.extraAuthorization]),
          transport(config, lib),
        )
        const answer = await lib.processDeviceAuthorizationResponse(server, client, response)
        return {
          deviceCode: answer.device_code,
          userCode: answer.user_code,
          url: answer.verification_uri,
          completeUrl: answer.verification_uri_complete ?? null,
          lifeMs: Math.min(answer.expires_in, LONGEST_CODE_SECONDS) * 1000,
          intervalMs: (answer.interval ?? 5) * 1000,
        }
      } catch (error) {
        throw toOAuthError(error, lib, config.deviceUrl)
      }
    },
    /**
     * Asks whether the code was entered. Null means not yet; `slower` means not yet, and that it was asked too soon.
     *
     * @throws OAuthError
     */
    async tokensFor(config: OAuthConfig, deviceCode: string): Promise<Tokens | 'slower' | null> {
      try {
        return await speak(config, config.accessUrl, async (lib, server, client, auth) => {
          const response = await lib.deviceCodeGrantRequest(server, client, auth, deviceCode, {
            ...transport(config, lib),
            additionalParameters: fieldsOf(config.extraAccess),
          })
          return lib.processDeviceCodeResponse(server, client, response)
        })
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        const code = codeIn(error.cause)
        if (code === 'authorization_pending') return null
        if (code === 'slow_down') return 'slower'
        throw error
      }
    },
    /**
     * Gets a token without a user's sign-in.
     *
     * @throws OAuthError
     * @throws AppError `conflict` if a private key can't be read
     */
    async withoutUser(config: OAuthConfig): Promise<Tokens> {
      const { assertion, subjectToken, accessUrl, scope } = config
      if (subjectToken !== null)
        return await ask(config, TOKEN_EXCHANGE, [
          ['subject_token', subjectToken.token],
          ['subject_token_type', subjectToken.type],
        ])
      if (assertion === null) return await clientCredentials(config)
      const signed = signAssertion(assertion, { scope, now: clock.now() })
      if (assertion.place === 'header') return await fetchWith(signed, accessUrl)
      return await ask(config, JWT_BEARER, [['assertion', signed]])
    },
    /** @throws OAuthError */
    refresh: (config: OAuthConfig, refreshToken: string) =>
      speak(config, config.refreshUrl, async (lib, server, client, auth) => {
        const response = await lib.refreshTokenGrantRequest(
          server,
          client,
          auth,
          refreshToken,
          transport(config, lib),
        )
        return lib.processRefreshTokenResponse(server, client, response)
      }),
  }
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** Ten years, so that the expiry is a valid date. */
const LONGEST_LIFE_SECONDS = 315_360_000

/** A day, so that the expiry is a valid date. */
const LONGEST_CODE_SECONDS = 86_400

/** The error code in a server's response. */
function codeIn(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'error' in cause ? cause.error : null
}

function parties({ clientId, authorizationUrl, deviceUrl }: OAuthConfig, tokenUrl: URL) {
  const server: oauth.AuthorizationServer = {
    issuer: (authorizationUrl ?? tokenUrl).origin,
    token_endpoint: tokenUrl.href,
    ...(deviceUrl === null ? {} : { device_authorization_endpoint: deviceUrl.href }),
  }
  return { server, client: { client_id: clientId || 'none' } }
}

function clientAuth(lib: typeof oauth, { clientSecret, credentialsInHeader }: OAuthConfig): oauth.ClientAuth {
  if (clientSecret === '') return lib.None()
  return credentialsInHeader ? basicAuth(clientSecret) : lib.ClientSecretPost(clientSecret)
}

/**
 * Encodes only what is necessary. The standard's form encoding turns `-` and `_` into `%2D` and `%5F`, which many
 * servers don't decode. Those that do read the same value.
 */
function basicAuth(clientSecret: string): oauth.ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const login = [clientId, clientSecret].map(encodeURIComponent).join(':')
    headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`)
  }
}

/**
 * Restores the code's standard name and drops the issuer: connectors don't configure one, and each has its own
 * callback.
 */
function asStandard(answer: URLSearchParams, { codeKey }: OAuthConfig): URLSearchParams {
  const parameters = new URLSearchParams(answer)
  parameters.delete('iss')
  const code = answer.get(codeKey)
  if (code !== null) parameters.set('code', code)
  return parameters
}

function setAll(parameters: URLSearchParams, entries: readonly Parameter[]): void {
  for (const [name, value] of entries) parameters.set(name, value)
}

const scopeOf = (scope: string): readonly Parameter[] => (scope === '' ? [] : [['scope', scope]])
const fieldsOf = (entries: readonly Parameter[]) => new URLSearchParams(entries as [string, string][])

/** Standard errors meaning that the grant is invalid, whatever the client does. */
const VOID_GRANT: ReadonlySet<string> = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
])
const PASSING: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

function toOAuthError(error: unknown, lib: typeof oauth, url: URL): OAuthError {
  const place = `${url.origin}${url.pathname}`
  if (error instanceof OAuthError) return error
  if (error instanceof lib.ResponseBodyError) {
    const { error: code, error_description: description, status } = error
    const kind = VOID_GRANT.has(code)
      ? 'needs_sign_in'
      : PASSING.has(code) || status >= 500
        ? 'unavailable'
        : 'refused'
    return new OAuthError(
      kind,
      say('{{place}} responded with {{code}}', { place, code: answered(code, description) }),
      error,
    )
  }
  if (error instanceof lib.AuthorizationResponseError) {
    return new OAuthError('refused', quoted(answered(error.error, error.error_description)), error)
  }
  if (error instanceof RequestError) return new OAuthError('unavailable', sentenceOf(error), error)
  const status = statusIn(error)
  if (status !== null && status !== 200) {
    const kind = status >= 500 || status === 429 ? 'unavailable' : 'refused'
    return new OAuthError(
      kind,
      say('{{place}} returned status {{status}} without a reason', { place, status }),
      error,
    )
  }
  if (error instanceof lib.OperationProcessingError || error instanceof lib.UnsupportedOperationError) {
    return new OAuthError('refused', say('{{place}} returned no tokens', { place }), error)
  }
  throw error
}

function statusIn(error: unknown): number | null {
  const cause = error instanceof Error ? error.cause : null
  if (cause instanceof Response) return cause.status
  return null
}

/** A server's own error message, shortened to one line. */
function answered(code: string, description: string | undefined): string {
  const name = oneLine(code, 100)
  return description === undefined || description === ''
    ? name
    : `${name}: ${oneLine(description, 300).replace(/\.$/, '')}`
}

const oneLine = (text: string, most: number) =>
  text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
