/** Admission to webhooks: the checks that only need the head of a request, in the contract's order. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import type { StepConfig } from '../../../shared/contract/steps.ts'
import type { Clock } from '../../engine/ports.ts'
import type { Store } from '../../store/index.ts'
import type { Authorization } from '../access/authorization.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import { flowIdOf, headerOf, type WebhookHead } from './webhook-call.ts'
import { corsHeaders } from './cors.ts'

export type Admission = Admitted | Refused

interface Admitted {
  readonly flow: RunnableFlow
  readonly config: StepConfig<'webhook'>
  readonly corsHeaders: Readonly<Record<string, string>>
  readonly refusal: null
}

/** If the flow is known, the response has its CORS headers and the request is listed with it. */
interface Refused {
  readonly flow: RunnableFlow | null
  readonly config: StepConfig<'webhook'> | null
  readonly corsHeaders: Readonly<Record<string, string>>
  readonly refusal: AppError
}

export interface AdmissionOptions {
  readonly store: Pick<Store, 'rateLimits'>
  readonly runnable: RunnableFlows
  readonly authorization: Pick<Authorization, 'authorizeWebhook'>
  readonly settings: () => Settings
  readonly clock: Pick<Clock, 'now'>
}

/** Rejects with `not_found`, `method_not_allowed`, `rate_limit`, `unauthorized` or `forbidden`; only throws on bugs. */
export function createAdmission(options: AdmissionOptions): (head: WebhookHead) => Admission {
  const { store, runnable, authorization, settings, clock } = options

  function countCall(client: string): AppError | null {
    const { webhook_rate_limit_requests: most, webhook_rate_limit_seconds: seconds } = settings()
    if (most === null) return null
    const now = clock.now()
    const { count, windowEndsAt } = store.rateLimits.count(client, { now, windowMs: seconds * 1000 })
    if (count <= most) return null
    return tooMany(most, seconds, Math.max(1, Math.ceil((windowEndsAt - now) / 1000)))
  }

  function checkToken(head: WebhookHead, flow: RunnableFlow, isSigned: boolean): AppError | null {
    if (!flow.settings.webhook_token_enabled) return null
    const header = headerOf(head, 'authorization')
    if (header === undefined && isSigned) return tokenBesideSignature()
    try {
      authorization.authorizeWebhook(header, flow.tokenHash)
      return null
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }

  return (head) => {
    const flowId = flowIdOf(head.target)
    if (flowId === null) return refusedEarly(notFound())
    if (head.method !== 'POST') return refusedEarly(methodNotAllowed(head.method))
    const flow = runnable.get(flowId)
    const config = flow?.compiled.trigger?.config
    // Guessing URLs uses a separate rate limit window, not the one of real callers at the same IP address.
    const excess = countCall(flow && config ? head.client : `${head.client} ${NO_FLOW}`)
    if (excess !== null) return refusedEarly(excess)
    if (!flow || !config) return refusedEarly(notFound())
    return {
      flow,
      config,
      corsHeaders: corsHeaders(head, config.cors_origins),
      refusal: checkToken(head, flow, config.signature !== null),
    }
  }
}

const NO_FLOW = '(unknown flows)'

/** Rejected before the flow is known. */
function refusedEarly(refusal: AppError): Refused {
  return { flow: null, config: null, corsHeaders: {}, refusal }
}

function tooMany(most: number, seconds: number, wait: number): AppError {
  return new AppError(
    'rate_limit',
    `More than ${most} requests in ${seconds} seconds; try again in ${wait} seconds`,
    {
      headers: {
        'Retry-After': String(wait),
        'RateLimit-Limit': String(most),
        'RateLimit-Remaining': '0',
        'RateLimit-Reset': String(wait),
      },
    },
  )
}

function notFound(): AppError {
  return new AppError('not_found', "There is no webhook at this URL; copy it from the flow's webhook step")
}

function tokenBesideSignature(): AppError {
  return new AppError(
    'unauthorized',
    "Missing Authorization header. This flow requires its token in addition to the signature; for callers that only sign, such as GitHub, turn the token off in the flow's settings",
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  )
}

function methodNotAllowed(method: string): AppError {
  return new AppError('method_not_allowed', `A webhook accepts POST, not ${method.slice(0, 20)}`, {
    headers: { Allow: 'POST' },
  })
}
