/** Personal access tokens: whoever calls manages those of their own user. */
import type { ListQuery } from '../../../shared/contract/base/common.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { coversAll } from '../../../shared/contract/base/scopes.ts'
import type { IssuedToken, Token, TokenCheck } from '../../../shared/contract/tokens.ts'
import type { Clock } from '../../engine/ports.ts'
import type { Store } from '../../store/index.ts'
import type { Caller } from '../kit/caller.ts'
import type { EventsService } from '../kit/live-events.ts'
import { parseListQuery } from '../kit/list-query.ts'
import { toPage, type RecordPage } from '../kit/pages.ts'
import type { SecureRandom } from '../kit/ports.ts'
import { createTokenChecks } from './check-token.ts'
import { createSecret, hashSecret, TOKEN_PREFIX } from './token-secret.ts'

export interface TokensService {
  list(caller: Caller, query: ListQuery): RecordPage<Token>
  /** The one time the value is told. */
  create(caller: Caller, body: NewToken): Promise<IssuedToken>
  /** Gives a token another value and another end; the value before fails from the moment this resolves. */
  regenerate(caller: Caller, id: string, body: Pick<NewToken, 'expiration'>): Promise<IssuedToken>
  revoke(caller: Caller, id: string): Promise<void>
  /** What a value is that somebody found: one of a token, or of a flow's webhook. Stores and logs nothing of it. */
  check(value: string): TokenCheck
}

export interface NewToken {
  /** Days from now; null: it does not expire. */
  readonly expiration: number | null
  readonly scopes: string[]
  readonly note: string
}

export interface TokensOptions {
  readonly store: Pick<Store, 'tokens' | 'users' | 'flows' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: SecureRandom
  readonly events: Pick<EventsService, 'emit'>
}

export function createTokensService({ store, clock, random, events }: TokensOptions): TokensService {
  function ownToken(caller: Caller, id: string): Token {
    const token = store.tokens.get(caller.userId, id)
    if (token === null) throw noToken(id)
    requireCovered(caller, token.scopes)
    return token
  }

  return {
    list(caller, query) {
      const request = parseListQuery(query, { whole: true })
      return toPage(store.tokens.list(caller.userId, request), request)
    },
    async create(caller, { expiration, scopes, note }) {
      requireCovered(caller, scopes)
      const secret = createSecret(TOKEN_PREFIX, random)
      const now = clock.now()
      const token = await store.write(() =>
        store.tokens.insert({
          id: random.uuid(),
          user_id: caller.userId,
          expiration: endOf(expiration, now),
          note,
          scopes,
          created_at: new Date(now).toISOString(),
          ...fingerprintOf(secret),
        }),
      )
      events.emit({ type: 'created', noun: 'token', id: token.id }, [caller.userId])
      return issued(token, secret)
    },
    async regenerate(caller, id, { expiration }) {
      ownToken(caller, id)
      const secret = createSecret(TOKEN_PREFIX, random)
      const now = clock.now()
      const at = new Date(now).toISOString()
      const change = { expiration: endOf(expiration, now), at, ...fingerprintOf(secret) }
      const token = await store.write(() => store.tokens.regenerate(caller.userId, id, change))
      if (token === null) throw noToken(id)
      events.emit({ type: 'updated', noun: 'token', id }, [caller.userId])
      return issued(token, secret)
    },
    async revoke(caller, id) {
      ownToken(caller, id)
      const at = new Date(clock.now()).toISOString()
      if (!(await store.write(() => store.tokens.delete(caller.userId, id, at)))) throw noToken(id)
      events.emit({ type: 'deleted', noun: 'token', id }, [caller.userId])
    },
    check: createTokenChecks({ store, clock }),
  }
}

/** A token must not be a way to more than it may do itself. */
function requireCovered(caller: Caller, scopes: readonly string[]): void {
  if (caller.kind === 'session' || coversAll(caller.scopes, scopes)) return
  throw new AppError(
    'forbidden',
    `The token has ${caller.scopes.join(', ')}, which does not cover ${scopes.join(', ')}; use one that covers it`,
  )
}

const DAY_MS = 86_400_000

function endOf(days: number | null, now: number): string | null {
  return days === null ? null : new Date(now + days * DAY_MS).toISOString()
}

function fingerprintOf(secret: string): { hash: string; last_four: string } {
  return { hash: hashSecret(secret), last_four: secret.slice(-4) }
}

function issued({ id, expiration, note, scopes }: Token, token: string): IssuedToken {
  return { id, token, expiration, note, last_used: null, scopes }
}

function noToken(id: string): AppError {
  return new AppError('not_found', `You have no token "${id.slice(0, 60)}"`)
}
