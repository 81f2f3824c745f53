/** Personal access tokens; callers manage their own user's. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { coversAll } from '../../../../shared/contract/base/scopes.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { IssuedToken, Token } from '../../../../shared/contract/tokens.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import { toPage, type RecordPage } from '../../kit/pages.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { createTokenChecks } from './check-token.ts'
import { createSecret, hashSecret, TOKEN_PREFIX } from './token-secret.ts'

export interface NewToken {
  /** Days from now; null if it never expires. */
  readonly expiration: number | null
  readonly scopes: string[]
  readonly note: string
  /** Defaults to those of the token that creates it; null means all. */
  readonly flow_ids?: string[] | null | undefined
  readonly auth_ids?: string[] | null | undefined
}

export interface TokensOptions {
  readonly store: Pick<Store, 'tokens' | 'users' | 'flows' | 'connectorAuths' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: SecureRandom
  readonly events: Pick<EventsService, 'emit'>
}

export function createTokensService({ store, clock, random, events }: TokensOptions) {
  function ownToken(caller: Caller, id: string): Token {
    const token = store.tokens.get(caller.userId, id)
    if (token === null) throw noToken(id)
    if (!isWithinReach(caller, token)) throw noToken(id)
    requireCovered(caller, token.scopes)
    return token
  }

  /**
   * @param creatorId the token that limits it; null if none does
   * @throws AppError `forbidden` if it would last longer than that token
   */
  function boundedEnd(days: number | null, now: number, creatorId: string | null): string | null {
    const end = endOf(days, now)
    const latest = creatorId === null ? null : (store.tokens.find(creatorId)?.expiration ?? null)
    if (latest === null || (end !== null && Date.parse(end) <= Date.parse(latest))) return end
    const daysLeft = Math.floor((Date.parse(latest) - now) / DAY_MS)
    const advice =
      daysLeft < 1
        ? say('it has less than a day left, so use a token that lasts longer')
        : daysLeft === 1
          ? say('request at most 1 day')
          : say('request at most {{days}} days', { days: daysLeft })
    throw new AppError(
      'forbidden',
      say("A token can't outlast the token that creates it, which expires at {{end}}: {{advice}}", {
        end: latest,
        advice,
      }),
    )
  }

  /** @throws AppError `forbidden`, `validation` */
  function requireReach(caller: Caller, reach: TokenReach): TokenReach {
    if (!isWithinReach(caller, reach))
      throw new AppError(
        'forbidden',
        say("The token reaches chosen flows or auths only, so it can't create one that reaches others"),
      )
    const flow = reach.flow_ids?.find((id) => store.flows.get(id) === null)
    if (flow !== undefined) throw fieldErrors({ flow_ids: [say('there is no flow "{{id}}"', { id: flow })] })
    const auth = reach.auth_ids?.find((id) => store.connectorAuths.get(id, caller.userId) === null)
    if (auth !== undefined)
      throw fieldErrors({ auth_ids: [say('there is no connector auth "{{id}}"', { id: auth })] })
    return reach
  }

  return {
    list(caller: Caller, query: ListQuery): RecordPage<Token> {
      const request = parseListQuery(query, { whole: true })
      const { records, total } = store.tokens.list(caller.userId, request)
      // Other tokens would reveal flows and auths that the caller can't reach.
      const shown = records.filter((token) => isWithinReach(caller, token))
      return toPage({ records: shown, total: total - records.length + shown.length }, request)
    },
    /**
     * Creates a token; its value is only shown this once.
     *
     * @throws AppError `forbidden` if the token would have more scopes, reach more or last longer than the one that
     *   creates it, `validation` if there is no such flow or auth, `conflict` if the user has very many
     */
    async create(caller: Caller, { expiration, scopes, note, ...chosen }: NewToken): Promise<IssuedToken> {
      requireCovered(caller, scopes)
      const reach = requireReach(caller, {
        flow_ids: chosen.flow_ids === undefined ? idsIn(caller.flowIds) : distinct(chosen.flow_ids),
        auth_ids: chosen.auth_ids === undefined ? idsIn(caller.authIds) : distinct(chosen.auth_ids),
      })
      const secret = createSecret(TOKEN_PREFIX, random)
      const now = clock.now()
      const end = boundedEnd(expiration, now, caller.tokenId)
      const token = await store.write(() => {
        if (store.tokens.countValid(caller.userId, now) >= LIMITS.tokensOfUser) throw tooManyTokens()
        return store.tokens.insert({
          id: random.uuid(),
          user_id: caller.userId,
          expiration: end,
          note,
          scopes,
          ...reach,
          created_at: new Date(now).toISOString(),
          created_by: caller.tokenId,
          ...fingerprintOf(secret),
        })
      })
      events.emit({ type: 'created', noun: 'token', id: token.id }, [caller.userId])
      return issued(token, secret)
    },
    /** Gives a token a new value and expiry; the old value is rejected from the moment this resolves. */
    async regenerate(
      caller: Caller,
      id: string,
      { expiration }: Pick<NewToken, 'expiration'>,
    ): Promise<IssuedToken> {
      const { created_by: creator } = ownToken(caller, id)
      const secret = createSecret(TOKEN_PREFIX, random)
      const now = clock.now()
      const at = new Date(now).toISOString()
      const change = { expiration: boundedEnd(expiration, now, creator), at, ...fingerprintOf(secret) }
      const token = await store.write(() => store.tokens.regenerate(caller.userId, id, change))
      if (token === null) throw noToken(id)
      events.emit({ type: 'updated', noun: 'token', id }, [caller.userId])
      return issued(token, secret)
    },
    /** Revokes a token and every token created with it. */
    async revoke(caller: Caller, id: string): Promise<void> {
      ownToken(caller, id)
      const at = new Date(clock.now()).toISOString()
      const ended = await store.write(() => store.tokens.delete(caller.userId, id, at))
      if (ended.length === 0) throw noToken(id)
      for (const token of ended)
        events.emit({ type: 'deleted', noun: 'token', id: token.id }, [token.user_id])
    },
    /** Identifies a value that a user found: an access token or a flow's webhook token. Neither stores nor logs it. */
    check: createTokenChecks({ store, clock }),
  }
}

type TokenReach = Pick<Token, 'flow_ids' | 'auth_ids'>

const idsIn = (ids: ReadonlySet<string> | undefined) => (ids === undefined ? null : [...ids])
const distinct = (ids: readonly string[] | null) => ids && [...new Set(ids.map((id) => id.toLowerCase()))]

/** Whether a token reaches nothing that the caller doesn't. */
function isWithinReach({ flowIds, authIds }: Caller, reach: TokenReach): boolean {
  const isWithin = (own: ReadonlySet<string> | undefined, ids: readonly string[] | null) =>
    own === undefined || (ids !== null && ids.every((id) => own.has(id)))
  return isWithin(flowIds, reach.flow_ids) && isWithin(authIds, reach.auth_ids)
}

/** A token must not be able to create one with more rights than its own. */
function requireCovered(caller: Caller, scopes: readonly string[]): void {
  if (caller.kind === 'session' || coversAll(caller.scopes, scopes)) return
  throw new AppError(
    'forbidden',
    say("The token has {{scopes}}, which doesn't cover {{wanted}}; use a token that does", {
      scopes: caller.scopes.join(', '),
      wanted: scopes.join(', '),
    }),
  )
}

function tooManyTokens(): AppError {
  return new AppError(
    'conflict',
    say(
      "You have {{most}} access tokens that haven't expired, the most a user can have; revoke those you don't need",
      { most: LIMITS.tokensOfUser },
    ),
  )
}

const DAY_MS = 86_400_000

function endOf(days: number | null, now: number): string | null {
  return days === null ? null : new Date(now + days * DAY_MS).toISOString()
}

function fingerprintOf(secret: string): { hash: string; last_four: string } {
  return { hash: hashSecret(secret), last_four: secret.slice(-4) }
}

function issued({ id, expiration, note, scopes, flow_ids, auth_ids }: Token, token: string): IssuedToken {
  return { id, token, expiration, note, last_used: null, scopes, flow_ids, auth_ids }
}

function noToken(id: string): AppError {
  return new AppError('not_found', say('You have no token "{{id}}"', { id: id.slice(0, 60) }))
}
