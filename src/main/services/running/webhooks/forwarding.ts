/** Sends one request to a local program, and passes its response to both the caller and the history. */
import { Readable } from 'node:stream'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { Forward } from '../../../../shared/contract/reach/forwards.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import type { Clock } from '../../../engine/ports.ts'
import {
  forwardedHeaders,
  forwardedTarget,
  isPlainlyFramed,
  type RawHeaders,
} from '../../../engine/webhook/forwarded.ts'
import type { StoredAttempt } from '../../../store/index.ts'
import type { WebhookHead } from './webhook-call.ts'
import { ProgramError, type ProgramSender } from '../../reaching/sending/to-program.ts'

export interface SentRequest {
  readonly method: string
  readonly target: string
  /** Alternating names and values. */
  readonly headers: RawHeaders
  readonly body: Uint8Array | Readable
}

/** The result, as soon as the response begins. */
export type ProgramOutcome =
  | { readonly answer: { readonly status: number; readonly headers: RawHeaders; readonly body: Readable } }
  | { readonly error: ProgramError }

export type Destination = Pick<Forward, 'url' | 'pass_query' | 'keep_host'>

export interface SendingParts {
  readonly programs: Pick<ProgramSender, 'send'>
  readonly clock: Clock
}

/** A request that is being sent. */
export interface Sending {
  readonly outcome: Promise<ProgramOutcome>
  /** Resolves once the response is complete, or can't become complete. The body must be read for that. */
  readonly finished: Promise<Omit<StoredAttempt, 'kind' | 'answered_caller'>>
}

/** Sends at once, and never throws. */
export function sendToProgram(
  { method, target, headers, body }: SentRequest,
  destination: Destination,
  withinMs: number,
  { programs, clock }: SendingParts,
): Sending {
  const startedAt = clock.monotonic()
  const begun = { at: isoOf(clock.now()), url: destination.url }
  const lasted = () => clock.monotonic() - startedAt
  const finished = Promise.withResolvers<Awaited<Sending['finished']>>()

  async function send(): Promise<ProgramOutcome> {
    try {
      const url = new URL(destination.url)
      const answer = await programs.send({
        url,
        method,
        target: forwardedTarget(url, destination.pass_query ? queryIn(target) : null),
        headers: forwardedHeaders(headers, destination.keep_host ? null : url.host),
        body: requirePlain(headers, body),
        withinMs,
      })
      return { answer: { ...answer, body: noted(answer) } }
    } catch (error) {
      const fault = error instanceof ProgramError ? error : unsendable(error)
      const nothing = { status: null, headers: [], body: null, size: 0 }
      finished.resolve({ ...begun, ...nothing, duration_ms: lasted(), error: fault.said })
      return { error: fault }
    }
  }

  /** Passes on the body and records its beginning. */
  function noted({ status, headers, body }: Awaited<ReturnType<ProgramSender['send']>>): Readable {
    const chunks: Uint8Array[] = []
    let size = 0
    const finish = (error: Said | null) => {
      const start = Buffer.concat(chunks)
      finished.resolve({ ...begun, status, headers, body: start, size, duration_ms: lasted(), error })
    }
    async function* read(): AsyncGenerator<Uint8Array, void, void> {
      let isWhole = false
      try {
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          const left = LIMITS.attemptBodyBytes - Math.min(size, LIMITS.attemptBodyBytes)
          if (left > 0) chunks.push(Buffer.from(chunk.subarray(0, left)))
          size += chunk.length
          yield chunk
        }
        isWhole = true
      } finally {
        finish(isWhole ? null : say('The response ended early'))
      }
    }
    const shared = Readable.from(read(), { objectMode: false })
    // A generator that nobody has read from ends without running its `finally`.
    shared.once('close', () => {
      body.destroy()
      finish(say('The response ended early'))
    })
    return shared
  }

  return { outcome: send(), finished: finished.promise }
}

/**
 * Reads the response to its end, because nobody else does. Gives up on a program that never ends it.
 *
 * @returns false if it couldn't be sent now, because no program listens or too many requests are waiting
 */
export async function readAnswer(
  { outcome }: Pick<Sending, 'outcome'>,
  withinMs: number = LIMITS.syncWebhookMs,
): Promise<boolean> {
  const one = await outcome
  if ('error' in one) return one.error.fault !== 'closed' && one.error.fault !== 'busy'
  const { body } = one.answer
  const timer = setTimeout(() => body.destroy(), withinMs)
  body
    .on('error', () => {})
    .once('close', () => clearTimeout(timer))
    .resume()
  return true
}

/** @throws AppError `validation` if the URL is one of Millrace's own */
export function requireOtherProgram(
  programs: Pick<ProgramSender, 'isOwnPort'>,
  url: string,
  field: string,
): void {
  if (!URL.canParse(url)) throw fieldErrors({ [field]: [say('is not a valid URL')] })
  if (programs.isOwnPort(new URL(url)))
    throw fieldErrors({ [field]: [say('is Millrace itself; choose the port of another program')] })
}

/** The edited form of a held request, with header lines that match its new content. */
export function asEdited<H extends Pick<WebhookHead, 'headers' | 'rawHeaders'>>(head: H, body: Buffer): H {
  const lines = Object.entries(head.headers).flatMap(([name, value]) =>
    value === undefined || FRAMING.has(name) ? [] : [value].flat().flatMap((one) => [name, one]),
  )
  return { ...head, rawHeaders: [...lines, 'content-length', String(body.length)] }
}

/** Headers to leave out, because the body is no longer compressed, and its length has changed. */
const FRAMING: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

/** The error that tells the caller why there is no response from the program. */
export function refusalOf({ fault, said }: ProgramError): AppError {
  if (fault === 'late') return new AppError('gateway_timeout', said)
  const advice =
    fault === 'closed'
      ? say('{{why}}: start the program, or change the URL that the webhook forwards to', { why: said })
      : said
  return new AppError('bad_gateway', advice)
}

function requirePlain<T>(headers: RawHeaders, body: T): T {
  if (isPlainlyFramed(headers)) return body
  throw new ProgramError('refused', say('Only "Transfer-Encoding: chunked" can be forwarded'))
}

function unsendable(cause: unknown): ProgramError {
  return new ProgramError('refused', say("The request can't be sent in this form"), cause)
}

function queryIn(target: string): string | null {
  const at = target.indexOf('?')
  return at === -1 ? null : target.slice(at)
}
