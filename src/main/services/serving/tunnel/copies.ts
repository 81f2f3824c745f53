/** Sends copies of requests to a port on this computer, for a program under development. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { type IncomingHttpHeaders, request as sendRequest } from 'node:http'

export interface CopiedRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** As sent, still encoded. */
  readonly body: Uint8Array
}

const TIMEOUT_MS = 10_000
/** Copies must not pile up if the program doesn't respond. */
const MOST_AT_ONCE = 50

export function createCopies() {
  let [sent, failed, current] = [0, 0, 0]
  let problem: Said | null = null
  const fail = (reason: Said) => {
    failed++
    problem = reason
  }
  return {
    /** Never throws, and nobody waits for it. */
    send({ method, target, headers, body }: CopiedRequest, port: number): void {
      if (current === MOST_AT_ONCE) {
        fail(say('Port {{port}} has not answered {{count}} copies yet', { port, count: MOST_AT_ONCE }))
        return
      }
      current++
      try {
        const copy = sendRequest(
          {
            host: '127.0.0.1',
            port,
            method,
            path: target,
            headers: { ...ownHeaders(headers), 'content-length': body.length },
            signal: AbortSignal.timeout(TIMEOUT_MS),
            agent: false,
          },
          (response) => {
            sent++
            problem = null
            response.on('error', () => {}).resume()
          },
        )
        copy.once('error', (error: NodeJS.ErrnoException) =>
          fail(say('Port {{port}}: {{reason}}', { port, reason: error.code ?? error.message })),
        )
        copy.once('close', () => current--)
        copy.end(body)
      } catch (error) {
        current--
        fail(say('Port {{port}}: {{reason}}', { port, reason: (error as Error).message }))
      }
    },
    get sent(): number {
      return sent
    },
    get failed(): number {
      return failed
    },
    /** Why the latest one failed; null if it didn't. */
    get problem(): Said | null {
      return problem
    },
  }
}

/** The headers of the request, without those of its connection. */
function ownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name))
  return Object.fromEntries(entries)
}

const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
