/** Tests whether requests to the public URL arrive here. */
import { quoted, say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { trimEnd } from '../../../../shared/trim.ts'
import type { Clock, SendRequest, Sleep } from '../../../engine/ports.ts'
import type { SecureRandom } from '../../kit/ports.ts'

export interface TestResult {
  /** Unix time in milliseconds. */
  readonly at: number
  /** The reason why the request didn't arrive; null if it did. */
  readonly problem: Said | null
}

export interface SelfTestOptions {
  readonly sendRequest: SendRequest
  readonly sleep: Sleep
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'bytes'>
}

const EVERY_MS = 60_000
/** A new host name takes a while to propagate through DNS. */
const UNTIL_FIRST_MS = 5_000
const TIMEOUT_MS = 10_000

export function createSelfTest({ sendRequest, sleep, clock, random }: SelfTestOptions) {
  const proofs = new Map<string, string>()
  const anyText = () => Buffer.from(random.bytes(24)).toString('base64url')

  async function test(publicUrl: string, signal: AbortSignal): Promise<Said | null> {
    const path = `/${anyText()}`
    const proof = anyText()
    proofs.set(path, proof)
    try {
      const response = await sendRequest(
        { method: 'GET', url: trimEnd(publicUrl, '/') + path, headers: [], body: null },
        { signal, timeoutMs: TIMEOUT_MS, maxRedirects: 0, maxBodyBytes: 100_000 },
      )
      if (Buffer.from(response.body).toString() === proof) return null
      return response.status < 400
        ? say('another server responds at this URL ({{status}})', { status: response.status })
        : say('the response was {{status}}', { status: response.status })
    } catch (error) {
      return error instanceof Error ? sentenceOf(error) : quoted(String(error))
    } finally {
      proofs.delete(path)
    }
  }

  return {
    /** The text at this path while a test is under way; null for all other paths. */
    proofAt: (path: string) => proofs.get(path) ?? null,
    /** Tests until the signal aborts: every minute, and more often until a request has arrived. */
    async run(publicUrl: string, signal: AbortSignal, onResult: (result: TestResult) => void): Promise<void> {
      let hasArrived = false
      try {
        for (;;) {
          const problem = await test(publicUrl, signal)
          if (signal.aborted) return
          hasArrived ||= problem === null
          onResult({ at: clock.now(), problem })
          await sleep(hasArrived ? EVERY_MS : UNTIL_FIRST_MS, signal)
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}
