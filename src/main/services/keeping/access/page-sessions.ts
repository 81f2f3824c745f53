/**
 * Sessions of browsers that signed in from elsewhere. A session acts with its token's user and scopes, and never as the
 * local session; it ends when that token is revoked or gets a new value.
 */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { PageSession } from '../../../../shared/contract/page-sessions.ts'
import { SIGN_IN_LINK_FRAGMENT } from '../../../../shared/contract/page-sessions.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store, StoredPageSession } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { createLimitedLog } from '../../kit/limited-log.ts'
import type { Log, SecureRandom } from '../../kit/ports.ts'
import { reachOf } from './authorization.ts'
import { createSignInAttempts } from './sign-in-attempts.ts'
import { createSecret, hashSecret, isExpired, isWellFormedSecret, TOKEN_PREFIX } from './token-secret.ts'

export interface PageSessionsService {
  /**
   * @param secret the cookie's value; null if there is none
   * @throws AppError `unauthorized` if there is no such session, or the session or its token has ended
   */
  authenticate(secret: string | null): Caller
  /** @throws AppError `unauthorized` for a wrong token or link, `rate_limit` after too many of them */
  signIn(given: GivenSignIn, from: Browser): Promise<SignedIn>
  /** @throws AppError `conflict` if the settings name no proxy */
  createLink(): { readonly url: string; readonly expires_at: string }
  /** Null if the caller isn't a browser that signed in from elsewhere. */
  current(caller: Caller): PageSession | null
  /** Sessions of the caller's user; the local session sees everyone's. */
  list(caller: Caller): readonly PageSession[]
  /** @throws AppError `not_found` */
  end(caller: Caller, id: string): Promise<void>
}

interface GivenSignIn {
  readonly token?: string | undefined
  readonly link?: string | undefined
}

export interface Browser {
  readonly client: string
  readonly userAgent: string
}

export interface SignedIn {
  /** The cookie's value, which isn't stored anywhere else. */
  readonly secret: string
  readonly maxAgeSeconds: number
  readonly session: PageSession
}

export interface PageSessionsOptions {
  readonly store: Pick<Store, 'pageSessions' | 'tokens' | 'users' | 'write'>
  readonly clock: Clock
  readonly random: SecureRandom
  readonly events: Pick<EventsService, 'emit'>
  readonly pageUrl: () => string | null
  readonly log: Log
}

const SESSION_MS = 30 * 86_400_000
const LINK_MS = 15 * 60_000
const TOUCH_EVERY_MS = 60_000
const LONGEST_USER_AGENT = 300

/** A link gives all permissions that a token can have. */
const LINK_SCOPES = ['automation', 'company', 'connector_auth', 'connectors']

export function createPageSessionsService(options: PageSessionsOptions): PageSessionsService {
  const { store, clock, random, events, pageUrl, log } = options
  const attempts = createSignInAttempts(clock)
  const failures = createLimitedLog(log, clock)
  /** The expiry of each link, by the hash of its code. */
  const links = new Map<string, number>()
  const touchedAt = new Map<string, number>()

  function find(secret: string | null): StoredPageSession {
    const session = secret === null ? null : store.pageSessions.findByHash(hashSecret(secret))
    if (session === null || hasEnded(session)) {
      throw unauthorized(say('Sign in to use Millrace from here: the session has ended, or there is none'))
    }
    return session
  }

  function hasEnded({ expires_at: expiresAt, token_id: tokenId }: StoredPageSession): boolean {
    const now = clock.now()
    const token = store.tokens.find(tokenId)
    return Date.parse(expiresAt) <= now || token === null || isExpired(token, now)
  }

  function noteUse({ id, user_id: userId, last_seen: lastSeen }: StoredPageSession): void {
    const now = clock.now()
    const last = Math.max(touchedAt.get(id) ?? 0, Date.parse(lastSeen))
    if (now - last < TOUCH_EVERY_MS && now >= last) return
    touchedAt.set(id, now)
    const at = new Date(now).toISOString()
    void storeUse(id, userId, at)
  }

  async function storeUse(id: string, userId: string, at: string): Promise<void> {
    try {
      await store.write(() => store.pageSessions.touch(id, at))
    } catch (error) {
      // The recorded time stays, so that a full disk causes one retry per minute, not one per request.
      log.warn({ err: error, id }, "The last use of a page session couldn't be stored")
      return
    }
    touchedAt.delete(id)
    events.emit({ type: 'updated', noun: 'page_session', id }, [userId])
  }

  /** The hash of the token that the browser acts with; null if the sent credentials are invalid. */
  function tokenHashOf({ token = '' }: GivenSignIn): string | null {
    const secret = token.trim()
    if (!isWellFormedSecret(TOKEN_PREFIX, secret)) return null
    const hash = hashSecret(secret)
    const found = store.tokens.findByHash(hash)
    return found === null || isExpired(found, clock.now()) ? null : hash
  }

  function takeLink(code: string): boolean {
    const now = clock.monotonic()
    for (const [hash, end] of links) if (end <= now) links.delete(hash)
    return links.delete(hashSecret(code))
  }

  /** A separate token whose value nobody knows. It can be revoked like any other, and limits tokens created with it. */
  function makeLinkToken(now: number): string {
    const hash = hashSecret(createSecret(TOKEN_PREFIX, random))
    const id = random.uuid()
    store.tokens.insert({
      id,
      user_id: store.users.local().id,
      hash,
      last_four: '····',
      note: 'Signed in with a link',
      scopes: LINK_SCOPES,
      flow_ids: null,
      auth_ids: null,
      expiration: new Date(now + SESSION_MS).toISOString(),
      created_at: new Date(now).toISOString(),
      created_by: null,
    })
    return hash
  }

  const visible = (caller: Caller) =>
    store.pageSessions
      .list()
      .filter(
        (session) => (caller.kind === 'session' || session.user_id === caller.userId) && !hasEnded(session),
      )
      .map((session) => shown(session, caller))

  return {
    authenticate(secret) {
      const session = find(secret)
      noteUse(session)
      const { id, user_id: userId, scopes, token_id: tokenId } = session
      // A session never outlasts its token.
      const endsAt = Date.parse(session.expires_at)
      const token = store.tokens.find(tokenId)
      return {
        kind: 'token',
        userId,
        scopes,
        tokenId,
        ...(token !== null && reachOf(token)),
        endsAt,
        pageSessionId: id,
      }
    },
    async signIn(given, { client, userAgent }) {
      const isLink = given.link !== undefined
      if (isLink === (given.token !== undefined)) {
        throw new AppError('validation', say('Send either a token or the code of a link'), {
          data: { token: ['is required, unless there is a link'] },
        })
      }
      attempts.requireFew(client, isLink)
      const ownHash = isLink ? null : tokenHashOf(given)
      if (isLink ? !takeLink(given.link) : ownHash === null) {
        attempts.noteFailure(client, isLink)
        failures.warn({ client, with: isLink ? 'link' : 'token' }, 'A sign-in from another computer failed')
        throw unauthorized(
          isLink
            ? say(
                'The sign-in link has been used or is older than 15 minutes; run "millrace sign-in-link" for a new one',
              )
            : say("The access token isn't valid: it is mistyped, expired or revoked"),
        )
      }
      const now = clock.now()
      const secret = Buffer.from(random.bytes(32)).toString('base64url')
      const hash = hashSecret(secret)
      const at = new Date(now).toISOString()
      const session = await store.write(() => {
        store.pageSessions.forgetEnded(at)
        const tokenHash = ownHash ?? makeLinkToken(now)
        const end = store.tokens.findByHash(tokenHash)?.expiration ?? null
        store.pageSessions.insert({
          id: random.uuid(),
          hash,
          token_hash: tokenHash,
          client,
          user_agent: userAgent.slice(0, LONGEST_USER_AGENT),
          created_at: at,
          last_seen: at,
          expires_at: new Date(
            Math.min(now + SESSION_MS, end === null ? Infinity : Date.parse(end)),
          ).toISOString(),
        })
        return store.pageSessions.findByHash(hash)
      })
      // The token was revoked while the session was written.
      if (session === null) throw unauthorized(say("The access token isn't valid: it was revoked just now"))
      if (isLink) events.emit({ type: 'created', noun: 'token', id: session.token_id }, [session.user_id])
      events.emit({ type: 'created', noun: 'page_session', id: session.id }, [session.user_id])
      log.warn(
        { client, user: session.user_id, session: session.id },
        'A browser on another computer signed in',
      )
      return {
        secret,
        maxAgeSeconds: Math.floor((Date.parse(session.expires_at) - now) / 1000),
        session: { ...session, current: true },
      }
    },
    createLink() {
      const base = pageUrl()
      if (base === null) {
        throw new AppError(
          'conflict',
          say(
            'There is no URL for the link: enter the URL of your proxy in Settings (page_url) or in MILLRACE_PAGE_URL',
          ),
        )
      }
      const code = Buffer.from(random.bytes(32)).toString('base64url')
      links.set(hashSecret(code), clock.monotonic() + LINK_MS)
      return {
        url: `${base.replace(/\/$/, '')}/${SIGN_IN_LINK_FRAGMENT}${code}`,
        expires_at: new Date(clock.now() + LINK_MS).toISOString(),
      }
    },
    current: (caller) => visible(caller).find(({ current }) => current) ?? null,
    list: visible,
    async end(caller, id) {
      const session = visible(caller).find((one) => one.id === id)
      if (session === undefined)
        throw new AppError('not_found', say('There is no session "{{id}}"', { id: id.slice(0, 60) }))
      await store.write(() => store.pageSessions.delete(id))
      touchedAt.delete(id)
      events.emit({ type: 'deleted', noun: 'page_session', id }, [session.user_id])
    },
  }
}

function shown(session: StoredPageSession, caller: Caller): PageSession {
  return { ...session, current: session.id === caller.pageSessionId }
}

function unauthorized(message: Said): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
