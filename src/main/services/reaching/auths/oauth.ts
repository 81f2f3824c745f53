/** OAuth 2.0 for connector auths: signing in, and calls with access tokens that are always valid. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { signInByCodeRoute } from '../../../../shared/contract/connector-auths.ts'
import type { Connector } from '../../../../shared/contract/connectors.ts'
import type { StreamEvent } from '../../../../shared/contract/base/route.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { adviceFor, callbackOf, redirectUrlOf } from '../../../../shared/sign-in/index.ts'
import { FROM_VAULT, type OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { Data } from '@millrace/jinja/data'
import type { Clock, SendRequest, Sleep, OutgoingRequest } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { ConnectorAuthsService } from './connector-auths.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { AuthOrigins } from './auth-origins.ts'
import { createIdentities } from './identities.ts'
import { createLiveTokens, oauthToAppError, type LiveTokens } from './live-tokens.ts'
import { withoutSecrets } from './without-secrets.ts'
import { createPendingSignIns } from './pending-sign-ins.ts'
import type { OAuthConfig } from './oauth-config.ts'
import { createOAuthProtocol, type DeviceCode, OAuthError, type Tokens } from './oauth-protocol.ts'

export type OAuthService = ReturnType<typeof createOAuthService>

export interface SignInOutcome {
  readonly ok: boolean
  readonly title: string
  readonly message: string
}

export interface OAuthOptions {
  readonly store: Pick<Store, 'connectorAuths' | 'connectors' | 'users' | 'write'>
  readonly connectorAuths: Pick<ConnectorAuthsService, 'open' | 'read' | 'forgetStrayTokens'>
  readonly origins: Pick<AuthOrigins, 'bind' | 'bound' | 'requireBound' | 'requireOrigin'>
  readonly events: Pick<EventsService, 'emit' | 'listen'>
  readonly sendRequest: SendRequest
  /** Records whether APIs accept the credentials. */
  readonly watched: (auth: OpenAuth | null, send: SendRequest) => SendRequest
  readonly clock: Clock
  readonly sleep: Sleep
  readonly env: () => Readonly<Record<string, Data>>
  /** Base URL of this program, without a trailing slash; known once the server listens. */
  readonly baseUrl: () => string
  /** URL of the app for browsers elsewhere, if there is one. */
  readonly pageUrl: () => string | null
  /** Time limit of one token endpoint call. Defaults to 20 s, because a browser or a run is waiting. */
  readonly timeoutMs?: number
}

export function createOAuthService(options: OAuthOptions) {
  const {
    store,
    connectorAuths,
    origins,
    events,
    sendRequest,
    watched,
    clock,
    sleep,
    env,
    baseUrl,
    pageUrl,
    timeoutMs = 20_000,
  } = options
  const protocol = createOAuthProtocol({ sendRequest, clock, timeoutMs })
  const tokens = createLiveTokens({
    store,
    protocol,
    clock,
    env,
    announce,
    bind: (id) => origins.bind(id),
    requireBound: (auth) => origins.requireBound(auth),
    requireOrigin: (auth, address) => origins.requireOrigin(auth, address),
  })
  const pending = createPendingSignIns(clock)
  /** Codes waiting to be entered, with the token that requested each. */
  const codes = new Map<AbortController, string | null>()
  const identities = createIdentities({ clock, connectorOf })

  events.listen(({ noun, type, id, last_used: lastUsed }) => {
    // An event with `last_used` means that the token was used, not changed.
    if (noun !== 'token' || type === 'created' || lastUsed !== undefined || id === null) return
    pending.dropOfToken(id)
    for (const [abort, tokenId] of codes) if (tokenId === id) abort.abort()
  })

  function announce(id: string, more: object = {}): void {
    const users = store.users.list().records.map((user) => user.id)
    const viewers = users.filter((userId) => store.connectorAuths.get(id, userId) !== null)
    events.emit({ type: 'updated', noun: 'connector_auth', id, ...more }, viewers)
  }

  function connectorOf(id: string): Pick<Connector, 'name' | 'auth_config'> {
    return store.connectors.get(id) ?? { name: id, auth_config: {} }
  }

  function senderOf(auth: OpenAuth | null): SendRequest {
    if (auth === null) return sendRequest
    return auth.auth_type === 'oauth2'
      ? withLiveToken(sendRequest, auth, tokens)
      : withoutSecrets(identities.senderFor(auth, sendRequest), auth[FROM_VAULT] ?? [])
  }

  /** The auth of a sign-in, and its connector's sign-in configuration. */
  async function opened(caller: Caller, authId: string) {
    const { auth_type: type, name } = connectorAuths.read(caller, authId)
    if (type !== 'oauth2')
      throw new AppError(
        'conflict',
        say('The connector auth "{{name}}" is of type {{type}}; only oauth2 has a sign-in', { name, type }),
      )
    await connectorAuths.forgetStrayTokens(caller, authId)
    const auth = await connectorAuths.open(caller.userId, authId)
    return { name, config: tokens.configOf(auth), connector: connectorOf(auth.connector_id) }
  }

  /** Resolves to tokens once the code was entered, or to null if it expired first. */
  async function whenEntered(
    config: OAuthConfig,
    code: DeviceCode,
    signal: AbortSignal,
  ): Promise<Tokens | null> {
    const endsAt = clock.monotonic() + code.lifeMs
    let interval = Math.max(SHORTEST_POLL_MS, code.intervalMs)
    while (clock.monotonic() + interval < endsAt) {
      await sleep(interval, signal)
      try {
        const answer = await protocol.tokensFor(config, code.deviceCode)
        if (answer === 'slower') interval += SLOWER_MS
        else if (answer !== null) return answer
      } catch (error) {
        if (!(error instanceof OAuthError) || error.kind !== 'unavailable') throw error
        interval *= 2
      }
    }
    return null
  }

  /** @param known the provider's message, and what to do about it */
  function failed(
    authId: string,
    message: string,
    known: { readonly said?: string; readonly advice?: string } = {},
  ): SignInOutcome {
    announce(authId, { sign_in: 'failed', message, ...known })
    return { ok: false, title: 'Not signed in', message }
  }

  function refused(
    authId: string,
    name: string,
    connector: Pick<Connector, 'name' | 'auth_config'>,
    error: OAuthError,
  ): SignInOutcome {
    const advice = adviceFor(connector, error.message)
    const what = `The sign-in of "${name}" at "${connector.name}" failed: ${error.message.replace(/\.$/, '')}.`
    return advice === null
      ? failed(authId, `${what} Start it again in Millrace.`)
      : failed(authId, `${what} ${advice}`, { said: error.message, advice })
  }

  return {
    /**
     * Starts a sign-in: the browser has to open the returned URL. Null if no user is involved (client credentials); the
     * auth then already has its token.
     *
     * @param origin of the page that asks; the browser returns there if it is the origin of the setting `page_url`
     * @throws AppError `not_found`, `conflict` if the connector isn't configured for it
     */
    async authorize(
      caller: Caller,
      authId: string,
      origin?: string,
    ): Promise<{ readonly url: string | null }> {
      const { name, config, connector } = await opened(caller, authId)
      if (config.grant === 'device_code')
        throw new AppError(
          'conflict',
          say('"{{connector}}" signs in with a code: call POST /v1/connector-auths/{{id}}/device-sign-in', {
            connector: connector.name,
            id: authId,
          }),
        )
      if (config.grant !== 'authorization_code') {
        try {
          await tokens.save(authId, await protocol.withoutUser(config))
        } catch (error) {
          throw error instanceof OAuthError ? oauthToAppError(error, name, connector) : error
        }
        return { url: null }
      }
      const callback = callbackOf(connector)
      const page = pageUrl()
      const isElsewhere = page !== null && origin !== undefined && URL.parse(page)?.origin === origin
      const redirectUri = redirectUrlOf(connector, isElsewhere ? page : baseUrl())
      const request = { ...(await protocol.newSecrets()), redirectUri }
      const { userId, tokenId } = caller
      pending.add({ authId, userId, tokenId, callback, request })
      return { url: await protocol.authorizationAddress(config, request) }
    },

    /**
     * Signs in with a code that the user enters in a browser, maybe on another device. Aborting the signal cancels it.
     *
     * @throws AppError before the first event: `not_found`, `conflict` if the connector isn't configured for it
     */
    async *signInByCode(
      caller: Caller,
      authId: string,
      signal: AbortSignal,
    ): AsyncGenerator<StreamEvent<typeof signInByCodeRoute>> {
      const { name, config, connector } = await opened(caller, authId)
      if (config.grant !== 'device_code')
        throw new AppError(
          'conflict',
          say(
            '"{{connector}}" doesn\'t sign in with a code; its auth_config.grant_type isn\'t "device_code"',
            {
              connector: connector.name,
            },
          ),
        )
      const abort = new AbortController()
      codes.set(abort, caller.tokenId)
      try {
        const code = await protocol.deviceCode(config)
        yield {
          type: 'code',
          user_code: code.userCode,
          url: code.url,
          complete_url: code.completeUrl,
          expires_at: new Date(clock.now() + code.lifeMs).toISOString(),
        }
        const issued = await whenEntered(config, code, AbortSignal.any([signal, abort.signal]))
        const isGone = store.connectorAuths.get(authId, caller.userId) === null
        if (issued === null || isGone) {
          const message = isGone
            ? GONE.message
            : `The code for "${name}" has expired. Start the sign-in again.`
          yield { type: 'failed', message: failed(authId, message).message }
          return
        }
        await tokens.save(authId, issued)
        announce(authId, { sign_in: 'done' })
        yield { type: 'done' }
      } catch (error) {
        if (signal.aborted || abort.signal.aborted) return
        if (!(error instanceof OAuthError)) throw error
        yield { type: 'failed', message: refused(authId, name, connector, error).message }
      } finally {
        codes.delete(abort)
      }
    },

    /** Handles the browser's callback. A failure is a normal result too. */
    async finish(callback: string, answer: URLSearchParams): Promise<SignInOutcome> {
      const signIn = pending.take(answer.get('state') ?? '', callback)
      if (signIn === null) return NOT_KNOWN
      const { authId, userId, request } = signIn
      const record = store.connectorAuths.get(authId, userId)
      if (record === null) return GONE
      const { name, connector_id: connectorId } = record
      const connector = connectorOf(connectorId)
      try {
        const config = tokens.configOf(await connectorAuths.open(userId, authId))
        await tokens.save(authId, await protocol.exchangeCode(config, request, answer))
      } catch (error) {
        if (error instanceof OAuthError) return refused(authId, name, connector, error)
        if (error instanceof AppError) return failed(authId, error.message)
        throw error
      }
      announce(authId, { sign_in: 'done' })
      return { ok: true, title: 'Signed in', message: `Flows can now use "${name}" at "${connector.name}".` }
    },

    /**
     * Like `ConnectorAuthsService.open`, but for calls: an auth of type `oauth2` comes with a valid token.
     *
     * @throws AppError `not_found`, `conflict` if the user has to sign in or enter secrets, `unavailable`
     */
    async open(userId: string, authId: string): Promise<OpenAuth> {
      const auth = await connectorAuths.open(userId, authId)
      if (auth.auth_type !== 'oauth2') return auth
      const { state, name } = connectorAuths.read({ userId }, authId)
      if (state === 'needs_authorization' || state === 'expired')
        throw notSignedIn(name, state, auth.auth_token)
      return { ...auth, auth_token: await tokens.current(auth) }
    },

    /** A sender for calls with that auth: replaces tokens that expire or are rejected in the meantime, and signs. */
    senderFor: (auth: OpenAuth | null) => origins.bound(auth, watched(auth, senderOf(auth))),

    /** The same for an auth with unsaved changes; the caller checks its origins. */
    senderOf,
  }
}

/** Used for servers that name an interval of 0. */
const SHORTEST_POLL_MS = 1_000
/** Time that `slow_down` adds to the interval (RFC 8628). */
const SLOWER_MS = 5_000

const NOT_KNOWN: SignInOutcome = {
  ok: false,
  title: 'Unknown sign-in',
  message:
    'It was already finished, was started more than ten minutes ago, or Millrace was restarted in the meantime. Start it again in Millrace.',
}

const GONE: SignInOutcome = {
  ok: false,
  title: 'Not signed in',
  message: 'The connector auth was deleted while you signed in, or you can no longer see it.',
}

function notSignedIn(name: string, state: 'needs_authorization' | 'expired', token: string): AppError {
  const why =
    state === 'expired'
      ? say("its access has expired and can't be renewed")
      : token === ''
        ? say('nobody has signed in yet')
        : say('its access was revoked')
  return new AppError(
    'conflict',
    token === ''
      ? say(
          'The connector auth "{{name}}" needs sign-in: {{why}}; open it in Millrace and choose "Sign in"',
          { name, why },
        )
      : say(
          'The connector auth "{{name}}" needs sign-in again: {{why}}; open it in Millrace and choose "Sign in"',
          { name, why },
        ),
  )
}

/**
 * Sends with the currently valid token instead of the one in the request, because reading a long list can outlive its
 * token. If a token is rejected (401), it is refreshed and the call is repeated once.
 */
function withLiveToken(sendRequest: SendRequest, auth: OpenAuth, tokens: LiveTokens): SendRequest {
  const made = auth.auth_token
  return async (request, options) => {
    if (made === '' || !carries(request, made)) return sendRequest(request, options)
    const token = await tokens.current(auth)
    const response = await sendRequest(replaceToken(request, made, token), options)
    if (response.status !== 401) return response
    const other = await tokens.afterRefusal(auth, token)
    if (other === null || other === token) return response
    return sendRequest(replaceToken(request, made, other), options)
  }
}

function carries({ url, headers, body }: OutgoingRequest, token: string): boolean {
  return (
    headers.some(([, value]) => value.includes(token)) ||
    url.includes(encodeURIComponent(token)) ||
    (typeof body === 'string' && body.includes(token))
  )
}

function replaceToken(request: OutgoingRequest, from: string, to: string): OutgoingRequest {
  if (from === to) return request
  const { url, headers, body } = request
  return {
    ...request,
    url: url.replaceAll(encodeURIComponent(from), () => encodeURIComponent(to)),
    headers: headers.map(([name, value]) => [name, value.replaceAll(from, () => to)] as const),
    body: typeof body === 'string' ? body.replaceAll(from, () => to) : body,
  }
}
