/** The result of a request: the response, and the request's row in the list. */
import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { AppError } from '../../../../shared/contract/base/errors.ts'
import type { DeliveryAnswer } from '../../../store/index.ts'
import type { RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import type { WebhookReply } from './await-answer.ts'
import type { Forwarding } from './forwards.ts'
import type { Held } from './holds.ts'
import { type Replies, withHeaders } from './replies.ts'
import type { Listing, WebhookCall } from './webhook-call.ts'

/** The response to a request, and the row to list. */
export interface Handled {
  /** Null if nobody is left to respond to. */
  readonly answer: WebhookReply | null
  /** Null if the run lists the request, or if it isn't listed. */
  readonly listing: Listing | null
}

/** A request that can start a run. */
export interface ReceivedRequest {
  readonly call: WebhookCall
  readonly flow: RunnableFlow
  readonly replies: Replies
  readonly headers: Headers
  readonly start: RunStart
  readonly size: number
  /** Ids of the files sent with it. */
  readonly fileIds: readonly string[]
  /** The sender's delivery id; null if it has none. */
  readonly delivery: string | null
  /** Null if it isn't forwarded. */
  readonly forwarding: Forwarding | null
}

export type Headers = Readonly<Record<string, string>>

export function refused(
  error: AppError,
  { replies, headers, size }: Pick<ReceivedRequest, 'replies' | 'headers' | 'size'>,
  rejectedBody: Buffer | null = null,
): Handled {
  return {
    answer: replies.refusal(error, headers),
    listing: { status: error.status, reason: sentenceOf(error), size, rejectedBody },
  }
}

/** The result of a held request that a user answered or dropped. */
export function unrun(
  held: Exclude<Held<unknown>, { readonly kind: 'goes' }>,
  { headers, size, body }: { readonly headers: Headers; readonly size: number; readonly body: Buffer },
): Handled {
  if (held.kind === 'dropped')
    return {
      answer: null,
      listing: { status: NO_RESPONSE, reason: DROPPED, size, rejectedBody: body, outcome: 'held' },
    }
  const { status } = held.reply
  return {
    answer: withHeaders(held.reply, headers),
    listing: { status, reason: ANSWERED, size, rejectedBody: body, outcome: 'held' },
  }
}

/** The status that other servers log for a connection that they closed without a response. */
const NO_RESPONSE = 444

/** The result of a request that got a response without a run. */
export const without = (
  { answer, listing }: Handled & { answer: WebhookReply },
  headers: Headers,
): Handled => ({
  answer: withHeaders(answer, headers),
  listing,
})

/** The result of a repeated request, whose first response was lost or late; nothing runs again. */
export function answeredAgain(
  answer: DeliveryAnswer,
  { flow, replies, headers, size }: Pick<ReceivedRequest, 'flow' | 'replies' | 'headers' | 'size'>,
): Handled {
  return {
    answer: flow.compiled.makesCallersWait ? withHeaders(answer, headers) : replies.accepted(headers),
    listing: { status: answer.status, reason: SEEN, size },
  }
}

export const SEEN = say("Duplicate delivery: it got the first response again, and the flow didn't run twice")
const DROPPED = say("Dropped while it was held: the connection was closed, and the flow didn't run")
const ANSWERED = say("Answered manually while it was held; the flow didn't run")
