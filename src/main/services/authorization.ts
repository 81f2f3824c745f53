/** Who is calling, and may they: personal access tokens, the page's session, webhook tokens. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { Access } from '../../shared/contract/route.ts'
import { isCovered, managesTokens, type Entity, type Operation } from '../../shared/contract/scopes.ts'
import type { Clock } from '../engine/ports.ts'
import type { Log } from './ports.ts'
import { hashSecret, isWellFormedSecret, TOKEN_PREFIX, WEBHOOK_TOKEN_PREFIX } from './token-secret.ts'

/** On whose behalf a request acts. The session is the page's and the owner's command line: it may do everything. */
export interface Caller {
  readonly kind: 'session' | 'token'
  readonly userId: string
  readonly scopes: readonly string[]
  readonly tokenId: string | null
}

export interface Authorization {
  /**
   * @param header `Authorization` as it was sent
   * @throws AppError `unauthorized` where it is missing or malformed, or the token unknown or expired
   */
  authenticate(header: string | undefined): Caller
  /** @throws AppError `forbidden`, naming the scope that is missing */
  authorize(access: Access, caller: Caller): void
  /**
   * A flow's own webhook token, or whoever may start webhooks.
   *
   * @param tokenHash `hashSecret` of the flow's token
   * @throws AppError `unauthorized`, `forbidden`
   */
  authorizeWebhook(header: string | undefined, tokenHash: string | null): void
}

/** What is known of a living or expired token. */
export interface KnownToken {
  readonly id: string
  readonly user_id: string
  readonly scopes: readonly string[]
  readonly expiration: string | null
  readonly last_used: string | null
}

export interface AuthorizationOptions {
  readonly tokens: {
    findByHash(hash: string): KnownToken | null
    /** Notes that the token was used; may be written a little later. */
    touch(id: string, lastUsed: string): Promise<void>
  }
  /** Bearers of this start: the page's and the lock file's. */
  readonly sessionBearers: readonly string[]
  /** The user for whom a session acts. */
  readonly sessionUserId: string
  readonly clock: Clock
  readonly log: Log
}

const TOUCH_EVERY_MS = 60_000

export function createAuthorization(options: AuthorizationOptions): Authorization {
  const { tokens, sessionUserId, clock, log } = options
  const sessionHashes = options.sessionBearers.map(digest)
  const session: Caller = Object.freeze({ kind: 'session', userId: sessionUserId, scopes: [], tokenId: null })
  const touchedAt = new Map<string, number>()

  function callerOf(secret: string): Caller {
    if (isWellFormedSecret(TOKEN_PREFIX, secret)) return tokenCaller(secret)
    const hash = digest(secret)
    if (sessionHashes.some((expected) => timingSafeEqual(expected, hash))) return session
    throw unauthorized('The bearer is no token of Millrace')
  }

  function tokenCaller(secret: string): Caller {
    const token = tokens.findByHash(hashSecret(secret))
    if (!token)
      throw unauthorized(
        'The token is unknown; it was regenerated or revoked, or belongs to another Millrace',
      )
    const now = clock.now()
    if (token.expiration !== null && Date.parse(token.expiration) <= now) {
      throw unauthorized(`The token expired at ${token.expiration}; regenerate it or create another one`)
    }
    noteUse(token, now)
    return { kind: 'token', userId: token.user_id, scopes: token.scopes, tokenId: token.id }
  }

  function noteUse(token: KnownToken, now: number): void {
    const last = Math.max(
      touchedAt.get(token.id) ?? 0,
      token.last_used === null ? 0 : Date.parse(token.last_used),
    )
    if (now - last < TOUCH_EVERY_MS && now >= last) return
    touchedAt.set(token.id, now)
    tokens.touch(token.id, new Date(now).toISOString()).catch((error: unknown) => {
      log.warn({ err: error, tokenId: token.id }, 'The last use of a token could not be noted')
    })
  }

  return {
    authenticate: (header) => callerOf(bearerOf(header)),
    authorize(access, caller) {
      if (!isPermitted(access, caller)) throw forbidden(access, caller)
    },
    authorizeWebhook(header, tokenHash) {
      const secret = bearerOf(header)
      if (isWellFormedSecret(WEBHOOK_TOKEN_PREFIX, secret)) {
        if (tokenHash !== null && isSameHash(hashSecret(secret), tokenHash)) return
        throw unauthorized("The webhook token is not this flow's; copy the one its settings show")
      }
      const caller = callerOf(secret)
      if (!may(caller, 'webhooks', 'create')) {
        throw new AppError(
          'forbidden',
          `Starting webhooks needs the scope automation, automation:manage or automation:webhook_run; the token has ${caller.scopes.join(', ')}`,
        )
      }
    },
  }
}

/** May the caller do this to that kind of record? A session may do everything. */
export function may(caller: Caller, entity: Entity, operation: Operation): boolean {
  return caller.kind === 'session' || isCovered(caller.scopes, entity, operation)
}

/** `Bearer <secret>`: the word in any case, one space, nothing behind. */
function bearerOf(header: string | undefined): string {
  if (header === undefined) {
    throw unauthorized('The header Authorization is missing; send "Authorization: Bearer <token>"')
  }
  const [, secret] = /^bearer ([\x21-\x7e]{1,1000})$/i.exec(header) ?? []
  if (secret === undefined) throw unauthorized('The header Authorization must read "Bearer <token>"')
  return secret
}

function isPermitted(access: Access, caller: Caller): boolean {
  if (caller.kind === 'session') return true
  switch (access) {
    case 'open':
    case 'any-token':
    case 'list-tokens':
      return true
    case 'manage-tokens':
      return managesTokens(caller.scopes)
    default:
      return isCovered(caller.scopes, access.entity, access.operation)
  }
}

function forbidden(access: Access, { scopes }: Caller): AppError {
  const wanted =
    typeof access === 'string'
      ? 'Managing tokens needs a scope beyond :view and webhook_run'
      : `No scope of the token lets it ${access.operation} ${access.entity.replace('_', ' ')}`
  return new AppError('forbidden', `${wanted}; the token has ${scopes.join(', ')}`)
}

function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
