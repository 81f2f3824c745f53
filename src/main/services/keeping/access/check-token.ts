/** Checks a value somebody found in a file or an email: is it a token of this machine, and is it still valid? */
import { say, spoken } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { TokenCheck } from '../../../../shared/contract/tokens.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { FormerToken, KnownToken, Store } from '../../../store/index.ts'
import {
  exceededHeaders,
  rateLimitHeaders,
  type RateLimitState,
  wholeSeconds,
} from '../../kit/rate-limit-headers.ts'
import {
  hashSecret,
  isExpired,
  isWellFormedSecret,
  TOKEN_PREFIX,
  WEBHOOK_TOKEN_PREFIX,
} from './token-secret.ts'

export interface TokenChecksOptions {
  readonly store: Pick<Store, 'tokens' | 'users' | 'flows'>
  readonly clock: Pick<Clock, 'now'>
}

export interface CheckedToken {
  readonly check: TokenCheck
  /** The headers about the remaining rate limit. */
  readonly headers: Readonly<Record<string, string>>
}

/** More than anybody can paste. */
const MOST_A_MINUTE = 60
const MINUTE_MS = 60_000

/** The lookup is by hash, so its timing reveals nothing about the value, and the value isn't stored. */
export function createTokenChecks({ store, clock }: TokenChecksOptions): (value: string) => CheckedToken {
  let window = { count: 0, beganAt: 0 }

  function countCheck(): RateLimitState {
    const now = clock.now()
    if (now - window.beganAt >= MINUTE_MS || now < window.beganAt) window = { count: 0, beganAt: now }
    window.count += 1
    const limit: RateLimitState = {
      policy: 'token-check',
      requests: MOST_A_MINUTE,
      seconds: MINUTE_MS / 1000,
      remaining: Math.max(0, MOST_A_MINUTE - window.count),
      resetMs: window.beganAt + MINUTE_MS - now,
    }
    if (window.count <= MOST_A_MINUTE) return limit
    throw new AppError(
      'rate_limit',
      say('More than {{tokens}} tokens were checked within a minute; try again in {{seconds}} seconds', {
        tokens: MOST_A_MINUTE,
        seconds: wholeSeconds(limit.resetMs),
      }),
      { headers: exceededHeaders(limit) },
    )
  }

  function checkPersonal(value: string): TokenCheck {
    const hash = hashSecret(value)
    const living = store.tokens.findByHash(hash)
    if (living !== null) return { ...about(living), ...stateOf(living, clock.now()) }
    const former = store.tokens.findFormer(hash)
    if (former !== null) return { ...about(former), ...endOf(former) }
    return { ...NOTHING, kind: 'personal_access_token', state: 'unknown', ...UNKNOWN }
  }

  function about(token: KnownToken): Pick<TokenCheck, 'kind' | 'token' | 'user' | 'flow'> {
    const { id, expiration, note, last_used, scopes, flow_ids, auth_ids, created_at, last_four, created_by } =
      token
    const user = store.users.get(token.user_id)
    return {
      kind: 'personal_access_token',
      token: {
        id,
        expiration,
        note,
        last_used,
        scopes,
        flow_ids,
        auth_ids,
        created_at,
        last_four,
        created_by,
      },
      user: user && { id: user.id, name: user.name },
      flow: null,
    }
  }

  function checkWebhook(value: string): TokenCheck {
    const flow = store.flows.findByWebhookToken(hashSecret(value))
    if (flow === null) return { ...NOTHING, kind: 'webhook_token', state: 'unknown', ...UNKNOWN }
    const said = say('This is the webhook token of the flow "{{name}}"; it can only start that flow', {
      name: flow.name,
    })
    return { ...NOTHING, kind: 'webhook_token', state: 'valid', ...spoken(said), flow }
  }

  function checkValue(value: string): TokenCheck {
    if (isWellFormedSecret(TOKEN_PREFIX, value)) return checkPersonal(value)
    if (isWellFormedSecret(WEBHOOK_TOKEN_PREFIX, value)) return checkWebhook(value)
    return { ...NOTHING, ...malformed(value) }
  }

  return (pasted) => {
    const headers = rateLimitHeaders(countCheck())
    return { check: checkValue(bare(pasted)), headers }
  }
}

const NOTHING: Pick<TokenCheck, 'token' | 'user' | 'flow' | 'ended_at'> = {
  token: null,
  user: null,
  flow: null,
  ended_at: null,
}

const UNKNOWN = spoken(say('This Millrace never issued this value, or it ended more than a year ago'))

/** Accepts a value as people copy it: from a header or an `.env` line, with quotes and whitespace around it. */
function bare(pasted: string): string {
  const [found] = /\bmr_(?:pat|whk)_[0-9A-Za-z]*/.exec(pasted) ?? []
  return found ?? pasted.trim()
}

type Finding = Pick<TokenCheck, 'state' | 'message' | 'ended_at'>

function stateOf(token: KnownToken, now: number): Finding {
  const { expiration: at } = token
  if (at === null)
    return { state: 'valid', ...spoken(say("This token is valid and doesn't expire")), ended_at: null }
  return isExpired(token, now)
    ? { state: 'expired', ...spoken(say('This token expired at {{at}}', { at })), ended_at: at }
    : { state: 'valid', ...spoken(say('This token is valid until {{at}}', { at })), ended_at: null }
}

function endOf({ ended_by: state, ended_at: at }: FormerToken): Finding {
  const said =
    state === 'revoked'
      ? say('This token was revoked at {{at}}', { at })
      : say('This is an earlier value of the token; it was regenerated at {{at}}', { at })
  return { state, ...spoken(said), ended_at: at }
}

function malformed(value: string): Pick<TokenCheck, 'kind' | 'state' | 'message'> {
  const kind = value.startsWith(TOKEN_PREFIX)
    ? 'personal_access_token'
    : value.startsWith(WEBHOOK_TOKEN_PREFIX)
      ? 'webhook_token'
      : 'other'
  const said =
    kind === 'other'
      ? say("This isn't a Millrace token; those begin with mr_pat_ or mr_whk_")
      : say('This token is incomplete: a character is missing or mistyped')
  return { kind, state: 'malformed', ...spoken(said) }
}
