/**
 * Keeps access tokens valid: refreshes them before they expire, once for all callers that need them at the same time.
 */
import { say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import { AppError, type ErrorCode } from '../../../../shared/contract/base/errors.ts'
import { type Connector, hasUser } from '../../../../shared/contract/connectors.ts'
import { adviceFor } from '../../../../shared/sign-in/index.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { Data } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { AuthSecrets } from './auth-secrets.ts'
import { isOwnDestination } from './destinations.ts'
import { hasTokenEndpoint, readOAuthConfig, type OAuthConfig } from './oauth-config.ts'
import { OAuthError, type OAuthProtocol, type Tokens } from './oauth-protocol.ts'

export type LiveTokens = ReturnType<typeof createLiveTokens>

export interface LiveTokensOptions {
  readonly store: Pick<Store, 'connectorAuths' | 'connectors' | 'write'>
  readonly protocol: OAuthProtocol
  readonly clock: Pick<Clock, 'now'>
  readonly env: () => Readonly<Record<string, Data>>
  /** Called when an auth's state or tokens changed. */
  readonly announce: (authId: string) => void
  /** Binds its first secrets to its current origins. */
  readonly bind: (authId: string) => void
  /** @throws AppError `conflict` if the auth's origins have changed since it was opened */
  readonly requireBound: (auth: OpenAuth) => void
  /** @throws AppError `conflict` if the auth's secrets aren't bound to the origin of exactly this URL */
  readonly requireOrigin: (auth: OpenAuth, address: string) => void
}

export function createLiveTokens(options: LiveTokensOptions) {
  const { store, protocol, clock, env, announce, bind, requireBound, requireOrigin } = options
  const renewals = new Map<string, Promise<string>>()
  /** Tokens that couldn't be saved. The stored ones may already be invalid, so these must not be lost. */
  const unsaved = new Map<string, Tokens>()

  function connectorOf(auth: OpenAuth) {
    const connector = store.connectors.get(auth.connector_id)
    if (connector === null) throw new Error(`The connector of the auth ${auth.id} was deleted`)
    return connector
  }

  /** The sign-in configuration of an auth. */
  function configOf(auth: OpenAuth): OAuthConfig {
    requireBound(auth)
    const connectorSecrets = secretsOrNone(() => store.connectors.secretsOf(auth.connector_id))
    const connector = connectorOf(auth)
    const config = readOAuthConfig({ connector, connectorSecrets, auth, env: env() })
    for (const url of [config.authorizationUrl, config.deviceUrl, config.accessUrl, config.refreshUrl])
      if (url !== null) requireOrigin(auth, url.href)
    const input = auth.user_input as Readonly<Record<string, unknown>>
    const isOwn = config.clientSecret !== '' && !input['client_secret']
    const known = store.connectors.originsOf(connector.id) ?? []
    const stray = [config.accessUrl, config.refreshUrl, config.deviceUrl].find(
      (url) => url !== null && !isOwnDestination(url, known),
    )
    if (isOwn && stray)
      throw new AppError(
        'conflict',
        say(
          'The client_secret of the connector "{{name}}" isn\'t sent to the new origin {{origin}}; enter it again in its auth_config',
          { name: connector.name, origin: stray.origin },
        ),
      )
    return config
  }

  /** Stores the tokens of a sign-in. */
  async function save(authId: string, tokens: Tokens): Promise<void> {
    const now = clock.now()
    unsaved.set(authId, tokens)
    await store.write(() => {
      const before = store.connectorAuths.secretsOf(authId)
      const secrets: AuthSecrets = {
        ...before,
        auth_token: tokens.accessToken,
        ...(tokens.refreshToken === null ? {} : { refresh_token: tokens.refreshToken }),
      }
      const expiresAt = tokens.expiresIn === null ? null : now + tokens.expiresIn * 1000
      store.connectorAuths.saveTokens(authId, { secrets, issuedAt: now, expiresAt })
      if (Object.keys(before).length === 0) bind(authId)
    })
    unsaved.delete(authId)
    announce(authId)
  }

  /** Callers that need a new token while one is being fetched get the same token. */
  function renew(auth: OpenAuth, stale: string): Promise<string> {
    const known = renewals.get(auth.id)
    if (known) return known
    const renewal = renewNow(auth, stale).finally(() => renewals.delete(auth.id))
    renewals.set(auth.id, renewal)
    return renewal
  }

  async function renewNow(auth: OpenAuth, stale: string): Promise<string> {
    const rescued = unsaved.get(auth.id)
    if (rescued) await save(auth.id, rescued)
    const { auth_token: stored = '', refresh_token: refreshToken = '' } = store.connectorAuths.secretsOf(
      auth.id,
    )
    if (stored !== stale && stored !== '') return stored
    try {
      const tokens = await fetchTokens(auth, refreshToken)
      // Committed before use: with rotation the old refresh token is now invalid, so the stored one must be replaced.
      await save(auth.id, tokens)
      return tokens.accessToken
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      // Somebody signed in again in the meantime.
      const { auth_token: newer = '' } = store.connectorAuths.secretsOf(auth.id)
      if (newer !== stored && newer !== '') return newer
      if (error.kind === 'needs_sign_in') await mark(auth.id, 'needs_authorization')
      throw oauthToAppError(error, nameOf(auth.id), connectorOf(auth))
    }
  }

  async function fetchTokens(auth: OpenAuth, refreshToken: string): Promise<Tokens> {
    const connector = connectorOf(auth)
    if (!hasUser(connector)) return protocol.withoutUser(configOf(auth))
    if (refreshToken !== '' && hasTokenEndpoint(connector))
      return protocol.refresh(configOf(auth), refreshToken)
    await mark(auth.id, 'expired')
    throw new AppError(
      'conflict',
      say(
        'The access of the connector auth "{{name}}" has expired and can\'t be renewed, because there is no refresh token; sign in again',
        { name: nameOf(auth.id) },
      ),
    )
  }

  async function mark(authId: string, state: ConnectorAuth['state']): Promise<void> {
    await store.write(() => store.connectorAuths.setState(authId, state))
    announce(authId)
  }

  const nameOf = (authId: string) => store.connectorAuths.get(authId)?.name ?? authId

  /** Whether a new token can be fetched without the user. */
  function isRenewable(auth: OpenAuth): boolean {
    const connector = connectorOf(auth)
    if (!hasTokenEndpoint(connector)) return false
    if (!hasUser(connector)) return true
    return (store.connectorAuths.secretsOf(auth.id)['refresh_token'] ?? '') !== ''
  }

  return {
    configOf,
    /**
     * Returns a token that is currently valid.
     *
     * @throws AppError `conflict` if the user has to sign in again, `unavailable`
     */
    async current(auth: OpenAuth): Promise<string> {
      const token = store.connectorAuths.secretsOf(auth.id)['auth_token'] ?? ''
      if (token === '' || unsaved.has(auth.id)) return renew(auth, token)
      const lifetime = store.connectorAuths.lifetimeOf(auth.id)
      const now = clock.now()
      if (lifetime === null || now < renewalMoment(lifetime)) return token
      const hasEnded = now >= lifetime.expiresAt
      if (!hasEnded && !isRenewable(auth)) return token
      try {
        return await renew(auth, token)
      } catch (error) {
        if (hasEnded || !(error instanceof AppError)) throw error
        return token // it is valid for a few more moments, and the next call tries again
      }
    },
    /** Replaces a token that an API rejected; null if there is no other token. */
    async afterRefusal(auth: OpenAuth, refused: string): Promise<string | null> {
      return isRenewable(auth) ? renew(auth, refused) : null
    },
    save,
  }
}

/** A minute before the token expires, or less if it is only valid for minutes. */
function renewalMoment({
  issuedAt,
  expiresAt,
}: {
  readonly issuedAt: number
  readonly expiresAt: number
}): number {
  return expiresAt - Math.min(60_000, (expiresAt - issuedAt) / 10)
}

function secretsOrNone(read: () => AuthSecrets): AuthSecrets {
  try {
    return read()
  } catch {
    return {} // can't be decrypted here; the error then names what is missing
  }
}

const REFUSALS: Readonly<
  Record<OAuthError['kind'], readonly [code: ErrorCode, (values: { name: string; reason: Said }) => Said]>
> = {
  needs_sign_in: [
    'conflict',
    (values) => say('The connector auth "{{name}}" needs sign-in again: {{reason}}', values),
  ],
  refused: [
    'conflict',
    (values) => say('The connector auth "{{name}}" can\'t get an access token: {{reason}}', values),
  ],
  unavailable: [
    'unavailable',
    (values) => say('The connector auth "{{name}}" can\'t get an access token now: {{reason}}', values),
  ],
}

export function oauthToAppError(
  error: OAuthError,
  name: string,
  connector: Pick<Connector, 'auth_config'>,
): AppError {
  const [code, sentence] = REFUSALS[error.kind]
  const advice = adviceFor(connector, error.message)
  const first = sentenceOf(error)
  const reason =
    advice === null ? first : say('{{first}}. {{second}}', { first, second: { key: advice, params: {} } })
  return new AppError(code, sentence({ name, reason }), {
    cause: error.cause,
    headers: code === 'unavailable' ? { 'Retry-After': '10' } : {},
  })
}
