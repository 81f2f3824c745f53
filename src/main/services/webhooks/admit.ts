/** Who may call which webhook: the checks that need nothing but the head of a request, in the contract's order. */
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import type { StepConfig } from '../../../shared/contract/steps.ts'
import type { Clock } from '../../engine/ports.ts'
import type { Store } from '../../store/index.ts'
import type { Authorization } from '../access/authorization.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import { flowIdOf, headerOf, type WebhookCall } from './webhook-call.ts'
import { corsHeaders } from './cors.ts'

export interface Admitted {
  readonly flow: RunnableFlow
  readonly config: StepConfig<'webhook'>
}

export interface AdmissionOptions {
  readonly store: Pick<Store, 'rateLimits'>
  readonly runnable: RunnableFlows
  readonly authorization: Pick<Authorization, 'authorizeWebhook'>
  readonly settings: () => Settings
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Notes the flow in the call, as soon as it is known.
 *
 * @throws AppError `not_found`, `method_not_allowed`, `rate_limit`, `unauthorized`, `forbidden`
 */
export function createAdmission(options: AdmissionOptions): (call: WebhookCall) => Admitted {
  const { store, runnable, authorization, settings, clock } = options

  function countCall(client: string): void {
    const { webhook_rate_limit_requests: most, webhook_rate_limit_seconds: seconds } = settings()
    if (most === null) return
    const now = clock.now()
    const { count, windowEndsAt } = store.rateLimits.count(client, { now, windowMs: seconds * 1000 })
    if (count <= most) return
    throw tooMany(most, seconds, Math.max(1, Math.ceil((windowEndsAt - now) / 1000)))
  }

  return (call) => {
    const flowId = flowIdOf(call.head.target)
    if (flowId === null) throw notFound()
    if (call.head.method !== 'POST') throw methodNotAllowed(call.head.method)
    countCall(call.head.client)
    const flow = runnable.get(flowId)
    const trigger = flow?.compiled.trigger
    if (!flow || !trigger) throw notFound()
    call.flow = flow
    call.corsHeaders = corsHeaders(call.head, trigger.config.cors_origins)
    if (flow.settings.webhook_token_enabled) {
      const header = headerOf(call.head, 'authorization')
      if (header === undefined && trigger.config.signature !== null) throw tokenBesideSignature()
      authorization.authorizeWebhook(header, flow.tokenHash)
    }
    return { flow, config: trigger.config }
  }
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
  return new AppError(
    'not_found',
    'There is no webhook at this address; copy it from the settings of the flow',
  )
}

function tokenBesideSignature(): AppError {
  return new AppError(
    'unauthorized',
    'The header Authorization is missing. The flow asks for its token beside the signature; where callers only sign, as GitHub does, switch the token off in the settings of the flow',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  )
}

function methodNotAllowed(method: string): AppError {
  return new AppError('method_not_allowed', `A webhook takes POST, not ${method.slice(0, 20)}`, {
    headers: { Allow: 'POST' },
  })
}
