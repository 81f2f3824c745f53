/** Authentication and authorization: personal access tokens, the page's session, webhook tokens. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { hash, timingSafeEqual } from 'node:crypto'
import { ACT_AS_HEADER } from '../../../../shared/contract/base/conventions.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Access } from '../../../../shared/contract/base/route.ts'
import { isCovered, managesTokens, narrowestScope } from '../../../../shared/contract/base/scopes.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { KnownToken, Store } from '../../../store/index.ts'
import { type Caller, may, reachesFlow } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log } from '../../kit/ports.ts'
import { closedToChosen } from './chosen-records.ts'
import {
  hashSecret,
  isExpired,
  isWellFormedSecret,
  TOKEN_PREFIX,
  WEBHOOK_TOKEN_PREFIX,
} from './token-secret.ts'

export type Authorization = ReturnType<typeof createAuthorization>

export interface AuthorizationOptions {
  readonly store: Pick<Store, 'write'> & {
    readonly tokens: Pick<Store['tokens'], 'findByHash' | 'touch'>
    readonly users: Pick<Store['users'], 'get'>
  }
  /** The bearer tokens of the page and of the lock file, which are valid until the program ends. */
  readonly sessionBearers: readonly string[]
  /** The user a session acts as by default. */
  readonly sessionUserId: string
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Log
}

const TOUCH_EVERY_MS = 60_000

export function createAuthorization(options: AuthorizationOptions) {
  const { store, sessionUserId, clock, events, log } = options
  const sessionHashes = options.sessionBearers.map(digest)
  const sessionBy = (by: 'app' | 'command'): Caller =>
    Object.freeze({ kind: 'session', userId: sessionUserId, scopes: [], tokenId: null, by })
  const [ofApp, ofCommand] = [sessionBy('app'), sessionBy('command')]
  /** Times of the last uses that aren't stored yet. Keyed by the token's hash, so that a regenerated token has none. */
  const touchedAt = new Map<string, number>()

  function callerOf(secret: string): Caller {
    if (isWellFormedSecret(TOKEN_PREFIX, secret)) return tokenCaller(secret)
    const sent = digest(secret)
    const found = sessionHashes.findIndex((expected) => timingSafeEqual(expected, sent))
    if (found !== -1) return found === 0 ? ofApp : ofCommand
    throw unauthorized(say("Invalid token: this isn't a Millrace token"))
  }

  function tokenCaller(secret: string): Caller {
    const secretHash = hashSecret(secret)
    const token = store.tokens.findByHash(secretHash)
    if (token === null) throw unauthorized(say('Unknown token; it may have been revoked or regenerated'))
    const now = clock.now()
    if (isExpired(token, now)) {
      throw unauthorized(
        say('The token expired at {{at}}; regenerate it or create another one', {
          at: String(token.expiration),
        }),
      )
    }
    noteUse(token, secretHash, now)
    return {
      kind: 'token',
      userId: token.user_id,
      scopes: token.scopes,
      tokenId: token.id,
      ...reachOf(token),
      ...(token.expiration !== null && { endsAt: Date.parse(token.expiration) }),
    }
  }

  function noteUse(
    { id, user_id: userId, last_used: lastUsed }: KnownToken,
    secretHash: string,
    now: number,
  ): void {
    const last = Math.max(touchedAt.get(secretHash) ?? 0, lastUsed === null ? 0 : Date.parse(lastUsed))
    if (now - last < TOUCH_EVERY_MS && now >= last) return
    touchedAt.set(secretHash, now)
    const at = new Date(now).toISOString()
    void storeUse(id, userId, secretHash, at)
  }

  async function storeUse(id: string, userId: string, secretHash: string, at: string): Promise<void> {
    try {
      await store.write(() => store.tokens.touch(id, at))
    } catch (error) {
      // The recorded time stays, so that a full disk causes one retry per minute, not one per request.
      log.warn({ err: error, tokenId: id }, "The last use of a token couldn't be stored")
      return
    }
    touchedAt.delete(secretHash)
    events.emit({ type: 'updated', noun: 'token', id, last_used: at }, [userId])
  }

  function actingAs(caller: Caller, userId: string): Caller {
    if (caller.kind === 'token') {
      throw new AppError(
        'forbidden',
        say("{{header}} can't be used with a token, which acts as its own user; remove the header", {
          header: ACT_AS_HEADER,
        }),
      )
    }
    if (store.users.get(userId) === null) {
      throw new AppError(
        'validation',
        say('There is no user "{{id}}" to act as', { id: userId.slice(0, 60) }),
        {
          data: { [ACT_AS_HEADER]: ['must name a user'] },
        },
      )
    }
    return { ...caller, userId }
  }

  return {
    /**
     * @param header the `Authorization` header as sent
     * @param actAs id of the user a session acts as; defaults to the user of this machine
     * @throws AppError `unauthorized` if the header is missing or malformed, or the token unknown or expired; `forbidden`
     *   if a token tries to act as a user, `validation` if that user doesn't exist
     */
    authenticate(header: string | undefined, actAs?: string): Caller {
      const caller = callerOf(bearerOf(header))
      return actAs === undefined ? caller : actingAs(caller, actAs)
    },
    /** @throws AppError `forbidden`, naming the missing scope */
    authorize(access: Access, caller: Caller): void {
      if (!isPermitted(access, caller)) throw forbidden(access, caller)
    },
    /**
     * Accepts the flow's own webhook token, or a token that can start webhooks, which it returns.
     *
     * @param flow with `hashSecret` of its token
     * @throws AppError `unauthorized`, `forbidden`
     */
    authorizeWebhook(
      header: string | undefined,
      { id, tokenHash }: { readonly id: string; readonly tokenHash: string | null },
    ): Caller | null {
      const secret = bearerOf(header)
      if (secret.startsWith(WEBHOOK_TOKEN_PREFIX) && tokenHash !== null) {
        if (isSameHash(hashSecret(secret), tokenHash)) return null
      }
      if (isWellFormedSecret(WEBHOOK_TOKEN_PREFIX, secret)) {
        throw unauthorized(
          say("The webhook token belongs to another flow; copy the one in this flow's settings"),
        )
      }
      const caller = callerOf(secret)
      if (!may(caller, 'webhooks', 'create')) {
        throw new AppError(
          'forbidden',
          say(
            'Missing permission to start webhooks: the token needs the scope automation, automation:manage or automation:webhook_run; it has {{scopes}}',
            { scopes: caller.scopes.join(', ') },
          ),
        )
      }
      if (reachesFlow(caller, id)) return caller
      throw new AppError(
        'forbidden',
        say("The token is for chosen flows only, and this isn't one of them; use another token"),
      )
    },
  }
}

/** The flows and connector auths that a token is limited to. */
export function reachOf({
  flow_ids: flowIds,
  auth_ids: authIds,
}: Pick<KnownToken, 'flow_ids' | 'auth_ids'>): Pick<Caller, 'flowIds' | 'authIds'> {
  return {
    ...(flowIds !== null && { flowIds: new Set(flowIds) }),
    ...(authIds !== null && { authIds: new Set(authIds) }),
  }
}

/** Reads `Bearer <secret>`, with the scheme in any case, one space, and nothing after the secret. */
function bearerOf(header: string | undefined): string {
  if (header === undefined) {
    throw unauthorized(say('Missing Authorization header; send "Authorization: Bearer <token>"'))
  }
  const [, secret] = /^bearer ([\x21-\x7e]{1,1000})$/i.exec(header) ?? []
  if (secret === undefined) throw unauthorized(say('The Authorization header must be "Bearer <token>"'))
  return secret
}

function isPermitted(access: Access, caller: Caller): boolean {
  if (caller.kind === 'session') return true
  switch (access) {
    case 'open':
    case 'any-token':
    case 'list-tokens':
      return true
    case 'session':
      return false
    case 'manage-tokens':
      return managesTokens(caller.scopes)
    default:
      return may(caller, access.entity, access.operation)
  }
}

function forbidden(access: Access, { scopes, flowIds }: Caller): AppError {
  if (access === 'session') {
    return new AppError('forbidden', say('Not allowed with a token; use the app or the millrace command'))
  }
  if (
    flowIds !== undefined &&
    typeof access !== 'string' &&
    isCovered(scopes, access.entity, access.operation)
  )
    return closedToChosen()
  const wanted =
    typeof access === 'string'
      ? say('Managing tokens requires a scope beyond :view and webhook_run')
      : say('Missing permission to {{operation}} {{entity}}, which needs the scope {{scope}}', {
          operation: access.operation,
          entity: access.entity.replace('_', ' '),
          scope: narrowestScope(access.entity, access.operation),
        })
  return new AppError(
    'forbidden',
    say('{{wanted}}; the token has {{scopes}}', { wanted, scopes: scopes.join(', ') }),
  )
}

function unauthorized(message: Said): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
