/** Admits requests to webhooks: makes the checks that only need the head of a request, in the contract's order. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import { STEP_CONFIGS, type StepConfig } from '../../../../shared/contract/step-types/index.ts'
import type { Clock } from '../../../engine/ports.ts'
import { isHandshakeByUrl } from '../../../engine/webhook/handshake.ts'
import type { Store } from '../../../store/index.ts'
import type { Authorization } from '../../keeping/access/authorization.ts'
import type { ChosenRecords } from '../../keeping/access/chosen-records.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import { authorizationOf, flowIdOf, headerOf, queryOf, type WebhookHead } from './webhook-call.ts'
import { corsHeaders } from './cors.ts'
import type { Log } from '../../kit/ports.ts'
import { limitedAddress } from '../../kit/limited-address.ts'
import {
  exceededHeaders,
  rateLimitHeaders,
  type RateLimitState,
  wholeSeconds,
} from '../../kit/rate-limit-headers.ts'

export type Admission = Admitted | Refused

interface Admitted {
  readonly flow: RunnableFlow
  readonly config: StepConfig<'webhook'>
  /** Headers of every response to this call: CORS, and the remaining rate limit. */
  readonly headers: Headers
  readonly refusal: null
}

/** A rejection. If the flow is known, the response has its CORS headers, and the request is listed with it. */
interface Refused {
  readonly flow: RunnableFlow | null
  readonly config: StepConfig<'webhook'> | null
  readonly headers: Headers
  readonly refusal: AppError
}

type Headers = Readonly<Record<string, string>>

export interface AdmissionOptions {
  readonly store: Pick<Store, 'rateLimits'>
  readonly runnable: RunnableFlows
  readonly authorization: Pick<Authorization, 'authorizeWebhook'>
  readonly chosenRecords: Pick<ChosenRecords, 'requireUse'>
  readonly settings: () => Settings
  readonly clock: Pick<Clock, 'now'>
}

/** Counts a call of a webhook, a form or a question in its rate limit window. Null if there is no limit. */
export type CountCall = (
  client: string,
  most?: number,
) => (RateLimitState & { readonly isExceeded: boolean }) | null

export function createCallCounter({
  store,
  settings,
  clock,
}: Pick<AdmissionOptions, 'store' | 'settings' | 'clock'>): CountCall {
  return (client, most = Infinity) => {
    const { webhook_rate_limit_requests: limit, webhook_rate_limit_seconds: seconds } = settings()
    // Open forms are limited even if webhooks aren't.
    if (limit === null && most === Infinity) return null
    const requests = Math.min(limit ?? Infinity, most)
    const now = clock.now()
    const { count, windowEndsAt } = store.rateLimits.count(client, { now, windowMs: seconds * 1000 })
    return {
      policy: 'webhook',
      requests,
      seconds,
      remaining: Math.max(0, requests - count),
      resetMs: windowEndsAt - now,
      isExceeded: count > requests,
    }
  }
}

/** Rejects with `not_found`, `method_not_allowed`, `rate_limit`, `unauthorized` or `forbidden`; only throws on bugs. */
export function createAdmission(options: AdmissionOptions): (head: WebhookHead) => Admission {
  const { runnable, authorization, chosenRecords } = options

  const countCall = createCallCounter(options)

  function checkToken(head: WebhookHead, flow: RunnableFlow, isSigned: boolean): AppError | null {
    if (!flow.settings.webhook_token_enabled) return null
    const header = flow.compiled.form === null ? headerOf(head, 'authorization') : authorizationOf(head)
    if (header === undefined && isSigned) return tokenBesideSignature()
    try {
      const caller = authorization.authorizeWebhook(header, flow)
      if (caller !== null) chosenRecords.requireUse(caller, flow.id)
      return null
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }

  return (head) => {
    const flowId = flowIdOf(head.target)
    if (flowId === null) return refusedEarly(notFound())
    const flow = runnable.get(flowId)
    const config = flow?.compiled.trigger?.config ?? (flow?.compiled.form ? OF_FORM : undefined)
    if (flow && config && !allows(config, head)) {
      const refusal = methodNotAllowed(config.methods, head.method)
      return { flow, config, headers: corsHeaders(head, config.cors_origins), refusal }
    }
    // Guesses at URLs use a separate rate limit window, not that of real callers at the same IP address.
    const client = limitedAddress(head.client)
    const limit = countCall(flow && config ? client : `${client} ${NO_FLOW}`)
    if (limit?.isExceeded) return refusedEarly(tooMany(limit))
    const limitHeaders = limit === null ? NO_HEADERS : rateLimitHeaders(limit)
    if (!flow || !config) return refusedEarly(notFound(), limitHeaders)
    if (isOpenForm(flow) && head.method === 'POST') {
      const sent = countCall(`${client} ${FORMS}`, LIMITS.openFormRequests)
      if (sent?.isExceeded) return { flow, config, headers: limitHeaders, refusal: tooMany(sent) }
    }
    const cors = corsHeaders(head, config.cors_origins)
    return {
      flow,
      config,
      headers: { ...limitHeaders, ...cors, ...(READABLE_BY in cors ? EXPOSED : NO_HEADERS) },
      refusal: checkToken(head, flow, config.signature !== null),
    }
  }
}

const NO_HEADERS: Headers = {}
/** The header that allows a web page to read the response. If it is present, the page may also read the limit. */
const READABLE_BY = 'access-control-allow-origin'
const EXPOSED: Headers = {
  'access-control-expose-headers': 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
}
const NO_FLOW = '(unknown flows)'

/** A form is opened and submitted at the same URL. */
const OF_FORM: StepConfig<'webhook'> = STEP_CONFIGS.webhook.parse({ methods: ['GET', 'HEAD', 'POST'] })
/** Public forms have their own, smaller window, against programs that fill in forms. */
const FORMS = '(forms)'

function isOpenForm({ compiled, settings }: RunnableFlow): boolean {
  return compiled.form !== null && !settings.webhook_token_enabled
}

/** A rejection before the flow is known. */
function refusedEarly(refusal: AppError, headers: Headers = NO_HEADERS): Refused {
  return { flow: null, config: null, headers, refusal }
}

function tooMany(limit: RateLimitState): AppError {
  return new AppError(
    'rate_limit',
    say('More than {{most}} requests in {{seconds}} seconds; try again in {{wait}} seconds', {
      most: limit.requests,
      seconds: limit.seconds,
      wait: wholeSeconds(limit.resetMs),
    }),
    { headers: exceededHeaders(limit) },
  )
}

function notFound(): AppError {
  return new AppError(
    'not_found',
    say("There is no webhook at this URL; copy it from the flow's webhook step"),
  )
}

function tokenBesideSignature(): AppError {
  return new AppError(
    'unauthorized',
    say(
      "Missing Authorization header. This flow requires its token in addition to the signature; for callers that only sign, such as GitHub, turn the token off in the flow's settings",
    ),
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  )
}

/** Services can check a URL with a method that wouldn't start the flow. */
function allows({ methods, handshake }: StepConfig<'webhook'>, { method, target }: WebhookHead): boolean {
  return (
    methods.some((allowed) => allowed === method) ||
    isHandshakeByUrl(handshake, { method, query: queryOf(target) })
  )
}

function methodNotAllowed(methods: readonly string[], method: string): AppError {
  const allowed = methods.join(', ')
  return new AppError(
    'method_not_allowed',
    say('This webhook accepts {{allowed}}, not {{method}}', { allowed, method: method.slice(0, 20) }),
    {
      headers: { Allow: allowed },
    },
  )
}

/**
 * Decides whether one more rejected request is listed. Anybody can send such requests, so their number per minute is
 * limited. The number of the others is logged, at most once an hour.
 */
export function createListingLimit({
  clock,
  log,
}: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}): () => boolean {
  let minute = { startsAt: -Infinity, listed: 0 }
  let loggedAt = -Infinity
  let unlisted = 0
  return () => {
    const now = clock.monotonic()
    if (now - minute.startsAt >= MINUTE_MS) minute = { startsAt: now, listed: 0 }
    if (minute.listed++ < LIMITS.rejectedRequestsPerMinute) return true
    unlisted++
    if (now - loggedAt >= 60 * MINUTE_MS) {
      log.warn(
        { count: unlisted, most: LIMITS.rejectedRequestsPerMinute },
        "More webhook requests were rejected within a minute than can be listed; the rest aren't listed",
      )
      loggedAt = now
      unlisted = 0
    }
    return false
  }
}

const MINUTE_MS = 60_000
