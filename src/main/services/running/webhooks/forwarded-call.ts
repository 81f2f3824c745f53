/** Handles requests that are forwarded to a local program: decides who responds to the caller, and what is listed. */
import type { Readable } from 'node:stream'
import { say } from '../../../../shared/contract/base/message.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { Clock } from '../../../engine/ports.ts'
import { returnedHeaders } from '../../../engine/webhook/forwarded.ts'
import { sentHeaders } from '../../../engine/webhook/response-headers.ts'
import type { DeliveryAnswer } from '../../../store/index.ts'
import type { Log } from '../../kit/ports.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import type { WebhookReply } from './await-answer.ts'
import { refusalOf } from './forwarding.ts'
import type { Forwarding, ForwardsService } from './forwards.ts'
import { answeredAgain, type Handled, type Headers, type ReceivedRequest, refused } from './handled.ts'
import { withHeaders } from './replies.ts'
import type { Listing, WebhookCall } from './webhook-call.ts'

export interface ForwardedCallsOptions {
  readonly forwards: Pick<ForwardsService, 'begin'>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Time that a caller waits. Defaults to the specification's 30 s. */
  readonly answerWithinMs?: number | undefined
  readonly log: Log
}

/** Millrace's own handling of a request, whether or not it is forwarded. */
export interface OwnHandling {
  readonly run: (request: ReceivedRequest) => Promise<Handled>
  /** Stores a run, with this response for the caller; `alsoKeep` is called inside the write. */
  readonly accept: (
    request: ReceivedRequest,
    answer: WebhookReply,
    alsoKeep?: (requestId: string) => void,
  ) => Promise<Handled>
  /** Lists a request after its response. */
  readonly list: (call: WebhookCall, flow: RunnableFlow, listing: Listing) => void
}

export type ForwardedCalls = ReturnType<typeof createForwardedCalls>

export function createForwardedCalls(options: ForwardedCallsOptions, own: OwnHandling) {
  function begin(
    call: WebhookCall,
    flow: RunnableFlow,
    body: Buffer | Readable,
    start: RunStart | null,
  ): Forwarding | null {
    const { forwards, clock, answerWithinMs = LIMITS.syncWebhookMs } = options
    const withinMs = answerWithinMs - (clock.monotonic() - call.receivedAt)
    const forwarding = forwards.begin(flow, call, { body, start, withinMs })
    if (forwarding !== null) call.onListed = (id) => forwarding.listedAs(id)
    return forwarding
  }

  /** Forwards a body that is too large for the flow, without running it. */
  async function onlyForward(
    call: WebhookCall,
    flow: RunnableFlow,
    body: Readable,
    { replies, headers }: Pick<ReceivedRequest, 'replies' | 'headers'>,
  ): Promise<Handled> {
    let size = 0
    body.on('data', (chunk: Buffer) => (size += chunk.length))
    const forwarding = begin(call, flow, body, null)
    const outcome = await forwarding?.outcome
    if (forwarding === null || outcome === undefined || outcome === 'kept')
      throw new Error('A large body was not forwarded')
    if ('error' in outcome) return refused(refusalOf(outcome.error), { replies, headers, size })
    const { status } = outcome.answer
    forwarding.take(status)
    return {
      answer: byProgram(outcome.answer, headers),
      listing: { status, reason: TOO_LARGE_TO_RUN, size },
    }
  }

  /**
   * The response of the flow or the program, whichever comes first. If one is Millrace's own error, waits for the
   * other.
   */
  async function first(
    request: ReceivedRequest,
    forwarding: Forwarding,
    ofFlow: Promise<Handled>,
  ): Promise<Handled> {
    const { log } = options
    const ofProgram = forwarding.outcome.then((one) =>
      one !== 'kept' && 'answer' in one ? one.answer : null,
    )
    const take = (answer: Parameters<typeof byProgram>[0], listing: Listing | null): Handled => {
      forwarding.take(answer.status)
      return {
        answer: byProgram(answer, request.headers),
        listing: listing && { ...listing, status: answer.status },
      }
    }
    const first = await Promise.race([ofFlow, ofProgram])
    if (first !== null && 'body' in first) {
      ofFlow.then(
        ({ listing }) => {
          if (listing !== null) own.list(request.call, request.flow, { ...listing, status: first.status })
          return undefined
        },
        (error: unknown) => log.warn({ err: error }, 'A run whose caller already has a response failed'),
      )
      return take(first, null)
    }
    const handled = first ?? (await ofFlow)
    const late = (handled.answer?.status ?? 0) < 500 ? null : await ofProgram
    if (late !== null) return take(late, handled.listing)
    forwarding.leave()
    return handled
  }

  /** Forwards a request and runs its flow. The forward's settings decide who responds. */
  async function forward(
    request: ReceivedRequest,
    forwarding: Forwarding,
    { body, seen }: { readonly body: Buffer; readonly seen: DeliveryAnswer | null },
  ): Promise<Handled> {
    const { headers, size, flow } = request
    const { respond, fixed } = forwarding
    const run = async () => (seen ? answeredAgain(seen, request) : await own.run(request))
    const answerWith = async (
      answer: WebhookReply,
      alsoKeep?: (requestId: string) => void,
    ): Promise<Handled> =>
      seen
        ? { answer, listing: { status: answer.status, reason: FORWARDED_AGAIN, size } }
        : await own.accept(request, answer, alsoKeep)
    if (respond === 'first' && flow.compiled.makesCallersWait) return first(request, forwarding, run())
    if (respond === 'flow' || respond === 'fixed') {
      forwarding.leave()
      const { status, headers: fixedHeaders, body: text } = fixed
      return respond === 'flow'
        ? run()
        : answerWith({ status, headers: { ...sentHeaders(fixedHeaders), ...headers }, body: text })
    }
    const outcome = await forwarding.outcome
    if (outcome === 'kept') return answerWith(withHeaders(KEPT, headers), (id) => forwarding.keep(id))
    if ('error' in outcome)
      return respond === 'first' ? run() : refused(refusalOf(outcome.error), request, body)
    forwarding.take(outcome.answer.status)
    try {
      return await answerWith(byProgram(outcome.answer, headers))
    } catch (error) {
      outcome.answer.body.destroy()
      throw error
    }
  }

  return { begin, onlyForward, forward }
}

function byProgram(
  {
    status,
    headers: all,
    body,
  }: { readonly status: number; readonly headers: readonly string[]; readonly body: Readable },
  headers: Headers,
): WebhookReply {
  return { status, headers, body: null, program: { headers: returnedHeaders(all), body } }
}

const FORWARDED_AGAIN = say("Duplicate delivery: forwarded again; the flow didn't run twice")
const TOO_LARGE_TO_RUN = say(
  "The body is larger than the flow reads: it was forwarded, and the flow didn't run",
)
/** The response to a forwarded request whose program doesn't listen yet. */
const KEPT: DeliveryAnswer = {
  status: 202,
  headers: { 'content-type': 'application/json' },
  body: '{"kept":true}',
}
