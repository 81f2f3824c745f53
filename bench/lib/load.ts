/**
 * Sends the same request repeatedly on raw sockets. An HTTP client would cost as much as the server under test and hide
 * the difference to be measured.
 */
import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  readonly port: number
  /** Defaults to POST. */
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly connections: number
  /** Stops after this time, or after `requests`, whichever comes first. */
  readonly durationMs?: number
  /** Total across all connections. */
  readonly requests?: number
  /** Pause of a connection between a response and its next request; defaults to none. */
  readonly pauseMs?: number
  /** The server is killed under the load, so closed connections aren't failures. */
  readonly untilKilled?: boolean
}

export interface LoadResult {
  /** Responses with status 200. */
  readonly answered: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The body of the last response, for checking. */
  readonly lastBody: string
}

/** @throws Error if a response isn't 200, or a connection closes */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const request = formatRequest(options)
  const start = performance.now()
  const { durationMs = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY, pauseMs = 0 } = options
  const state = { latencies: [] as number[], lastBody: '', until: start + durationMs, requests, pauseMs }
  const connections = Array.from({ length: options.connections }, () =>
    keepSending(options.port, request, state),
  )
  if (options.untilKilled) await Promise.allSettled(connections)
  else await Promise.all(connections)
  const seconds = (performance.now() - start) / 1_000
  const sorted = Float64Array.from(state.latencies).toSorted()
  return {
    answered: sorted.length,
    perSecond: sorted.length / seconds,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    lastBody: state.lastBody,
  }
}

/** Sends one request and returns its response; rejects if nothing listens. */
export function sendOnce(
  options: Omit<LoadOptions, 'connections' | 'durationMs' | 'requests' | 'pauseMs'>,
): Promise<string> {
  const state = { latencies: [] as number[], lastBody: '', until: 0, requests: 1, pauseMs: 0 }
  return keepSending(options.port, formatRequest(options), state).then(() => state.lastBody)
}

function formatRequest({
  method = 'POST',
  path,
  headers,
  body,
}: Pick<LoadOptions, 'method' | 'path' | 'headers' | 'body'>): string {
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...(method === 'GET'
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

interface State {
  readonly latencies: number[]
  lastBody: string
  readonly until: number
  /** Number of responses after which no more requests are sent. */
  readonly requests: number
  readonly pauseMs: number
}

/** Sends the next request after each response, until the time is over. */
function keepSending(port: number, request: string, state: State): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sentAt = 0
    let received = ''
    const send = () => {
      sentAt = performance.now()
      socket.write(request)
    }
    socket.setEncoding('latin1')
    socket.once('connect', send)
    socket.once('error', reject)
    socket.once('end', () => reject(new Error('the server closed the connection')))
    socket.on('data', (chunk) => {
      received += String(chunk)
      const answer = readAnswer(received)
      if (answer === null) return
      received = ''
      if (answer.status !== 200) return reject(new Error(`answered ${answer.status}: ${answer.body}`))
      const now = performance.now()
      state.latencies.push(now - sentAt)
      state.lastBody = answer.body
      if (now < state.until && state.latencies.length < state.requests) {
        if (state.pauseMs === 0) send()
        else setTimeout(send, state.pauseMs)
        return
      }
      socket.removeAllListeners('end')
      socket.destroy()
      resolve()
    })
  })
}

/** Null while it is incomplete. */
function readAnswer(text: string): { status: number; body: string } | null {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = text.slice(0, end)
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  if (text.length < end + 4 + length) return null
  return { status: Number(head.slice(9, 12)), body: text.slice(end + 4, end + 4 + length) }
}
