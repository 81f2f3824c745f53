/** The only part that other computers can reach (through a tunnel, a proxy or another network address): webhooks. */
import type { Log, SecureRandom } from '../services/kit/ports.ts'
import { answerError } from './answer/errors.ts'
import { sendAnswer } from './answer/send.ts'
import type { Gate } from './gates/gate.ts'
import { headingOf } from './gates/heading.ts'
import type { HttpHandler } from './listen/http-server.ts'
import type { RawHandler } from './mount/app.ts'

export interface PublicAppOptions {
  /** Gates in the order in which they run; the last ones check that webhooks are served. */
  readonly gates: readonly Gate[]
  readonly webhook: RawHandler
  /** The response at a URL that only the reachability test knows; null at any other URL. */
  readonly proofAt?: (url: string) => string | null
  readonly log: Log
  readonly random: Pick<SecureRandom, 'uuid'>
}

export function createPublicApp({ gates, webhook, proofAt, log, random }: PublicAppOptions): HttpHandler {
  return (request, response) => {
    const { url = '' } = request
    const heading = headingOf(url, random)
    const fail = (error: unknown) => answerError(log, error, request, response, heading, true)
    try {
      const proof = proofAt?.(url) ?? null
      if (proof !== null) {
        sendAnswer(request, response, { status: 200, headers: PLAIN, body: proof }, heading)
        return
      }
      for (const gate of gates) gate(request)
      webhook(request, response, heading).catch(fail)
    } catch (error) {
      fail(error)
    }
  }
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
