/**
 * Sends requests to programs on this computer, byte for byte. It never connects to anything else and looks up no names.
 */
import { type IncomingMessage, request as sendHttp } from 'node:http'
import { request as sendHttps } from 'node:https'
import { connect, type LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { say, type Said } from '../../../../shared/contract/base/message.ts'

export interface ProgramCall {
  readonly url: URL
  readonly method: string
  /** Path and query for the request line. */
  readonly target: string
  /** Alternating names and values, including the headers that frame the body. */
  readonly headers: readonly string[]
  readonly body: Uint8Array | Readable
  /** Milliseconds until the response must have begun. */
  readonly withinMs: number
}

export interface ProgramAnswer {
  readonly status: number
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly body: Readable
}

/**
 * `closed`: no program listens there; `late`: no response in time; `broken`: the connection ended early, or the
 * response isn't HTTP; `busy`: too many requests wait for a response; `refused`: never sent.
 */
export type ProgramFault = 'closed' | 'late' | 'broken' | 'busy' | 'refused'

export class ProgramError extends Error {
  readonly fault: ProgramFault
  readonly said: Said

  constructor(fault: ProgramFault, said: Said, cause?: unknown) {
    super(fault, { cause })
    this.fault = fault
    this.said = said
  }
}

export type ProgramSender = ReturnType<typeof createProgramSender>

/** Limit per program, so that requests don't pile up if the program doesn't respond. */
const MOST_AT_ONCE = 100
/** A response that pauses for longer is abandoned. */
const IDLE_MS = 30_000

/**
 * @param ownPorts a request to Millrace itself would run the flow again, and be forwarded endlessly
 * @param responseMs how long a response takes at most, from its first byte to its last
 */
export function createProgramSender(
  ownPorts: () => ReadonlySet<number>,
  responseMs: number = LIMITS.programResponseMs,
) {
  const underWay = new Map<string, number>()

  function requireProgram({ url }: ProgramCall): void {
    const refuse = (said: Said) => {
      throw new ProgramError('refused', said)
    }
    if (!LOCAL.has(hostOf(url))) refuse(say('{{place}} is not on this computer', { place: url.host }))
    if (ownPorts().has(portOf(url))) refuse(say('{{place}} is Millrace itself', { place: url.host }))
    const count = underWay.get(placeOf(url)) ?? 0
    if (count >= MOST_AT_ONCE)
      throw new ProgramError(
        'busy',
        say("{{place}} hasn't responded to {{count}} requests yet", { place: url.host, count }),
      )
  }

  /** Returns a function to call once the response has ended. */
  function takePlace(url: URL): () => void {
    const place = placeOf(url)
    underWay.set(place, (underWay.get(place) ?? 0) + 1)
    return () => {
      const left = (underWay.get(place) ?? 0) - 1
      if (left > 0) underWay.set(place, left)
      else underWay.delete(place)
    }
  }

  return {
    /** @throws ProgramError */
    async send(call: ProgramCall): Promise<ProgramAnswer> {
      requireProgram(call)
      const leave = takePlace(call.url)
      const response = await begin(call).catch((error: unknown) => {
        leave()
        throw error
      })
      const endless = setTimeout(() => response.destroy(new Error('The response took too long')), responseMs)
      response.once('close', () => {
        clearTimeout(endless)
        leave()
      })
      response.setTimeout(IDLE_MS, () => response.destroy(new Error('The response paused for too long')))
      return { status: response.statusCode ?? 502, headers: response.rawHeaders, body: response }
    },
    isOwnPort: (url: URL) => ownPorts().has(portOf(url)),
    /** Whether a program listens there. */
    isOpen(url: URL): Promise<boolean> {
      return new Promise((resolve) => {
        const socket = connect({ host: hostOf(url), port: portOf(url), lookup, timeout: 1_000 })
        const tell = (isOpen: boolean) => () => {
          socket.destroy()
          resolve(isOpen)
        }
        socket.once('connect', tell(true)).once('error', tell(false)).once('timeout', tell(false))
      })
    },
  }
}

/** Resolves with the head of the response. */
function begin({ url, method, target, headers, body, withinMs }: ProgramCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const place = url.host
    const send = url.protocol === 'https:' ? sendHttps : sendHttp
    const fail = (fault: ProgramFault, said: Said, cause?: unknown) => {
      clearTimeout(timer)
      sent.destroy()
      reject(new ProgramError(fault, said, cause))
    }
    const sent = send({
      host: hostOf(url),
      port: portOf(url),
      method,
      path: target,
      headers,
      setDefaultHeaders: false,
      agent: false,
      lookup,
      // A program under development has a certificate of its own, and nobody is between it and Millrace.
      rejectUnauthorized: false,
    })
    const timer = setTimeout(
      () =>
        fail(
          'late',
          say("{{place}} hasn't responded within {{count}} seconds", {
            place,
            count: Math.round(withinMs / 1_000),
          }),
        ),
      Math.max(0, withinMs),
    )
    sent.once('response', (response) => {
      clearTimeout(timer)
      const { statusCode = 0 } = response
      // Node accepts statuses in a response that it refuses to send.
      if (statusCode < 200 || statusCode > 599) {
        const values = { place, code: `HTTP ${statusCode}` }
        return fail('broken', say('{{place}} closed the connection without a response ({{code}})', values))
      }
      // Without a listener, a connection that breaks later would end the process.
      response.on('error', () => {})
      resolve(response)
    })
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      const { code = cause.message } = cause
      if (code === 'ECONNREFUSED') fail('closed', say('Nobody listens on {{place}}', { place }), cause)
      else
        fail(
          'broken',
          say('{{place}} closed the connection without a response ({{code}})', { place, code }),
          cause,
        )
    })
    sent.once('close', () =>
      fail('broken', say('{{place}} closed the connection without a response', { place })),
    )
    if (body instanceof Uint8Array) sent.end(body)
    else pipeline(body, sent, () => {}) // A body that ends early ends the request, which is reported above.
  })
}

const LOCAL: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

const placeOf = (url: URL) => `${hostOf(url)}:${portOf(url)}`

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)

/** Resolves `localhost` to this computer without asking a DNS server. */
const lookup: LookupFunction = (_hostname, { all }, callback) => {
  if (all) callback(null, LOOPBACK)
  else callback(null, '127.0.0.1', 4)
}

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
