/** What the engine is given from outside: time, chance and the network. */

export interface Clock {
  /** Milliseconds of the Unix epoch; jumps when the machine's time is set. */
  now(): number
  /** Milliseconds since an arbitrary start; never jumps. Waits and durations are measured with it. */
  monotonic(): number
}

/** A number from 0 up to, not including, 1. */
export type Random = () => number

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as that aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/** One header line, spelled as it was or is to be sent. A name may occur on several lines. */
export type HeaderLine = readonly [name: string, value: string]

export interface OutgoingRequest {
  readonly method: string
  /** Absolute, http or https. A user name and password in it are sent as `Authorization: Basic`. */
  readonly url: string
  readonly headers: readonly HeaderLine[]
  readonly body: string | Uint8Array | null
}

export interface OutgoingResponse {
  readonly status: number
  readonly headers: readonly HeaderLine[]
  /** Decoded: what gzip, br, deflate or zstd held. */
  readonly body: Uint8Array
  /** The address that answered, after redirects. */
  readonly url: string
  /** Bytes of the body as they came over the wire. */
  readonly wireBytes: number
  /** Milliseconds from sending to the last byte, redirects included. */
  readonly durationMs: number
}

/** One request on the wire and what came back, for the history. Each hop of a redirect is one of its own. */
export interface Exchange {
  readonly request: OutgoingRequest
  /** 1 for the first try. */
  readonly attempt: number
  /** Milliseconds of the Unix epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Null where none came; `error` then says why. */
  readonly response: Pick<OutgoingResponse, 'status' | 'headers' | 'body' | 'wireBytes'> | null
  readonly error: string | null
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined
  /** Counted by the caller that repeats; only reported on. Default 1. */
  readonly attempt?: number
  /** Origins that receive headers and body as the request's own origin does. */
  readonly trustedOrigins?: ReadonlySet<string>
  /** Default 20. */
  readonly maxRedirects?: number
  /** The whole call, redirects included. Default 5 minutes. */
  readonly timeoutMs?: number
  /** Lets the call reach this program's own API, and that alone: `/v1`. */
  readonly toOwnApi?: boolean
  /** Refuses public addresses, also after a redirect. */
  readonly nearbyOnly?: boolean
  /** Of the body, on the wire and decoded. */
  readonly maxBodyBytes?: number
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/**
 * Sends one request, follows its redirects and reads the answer whole, whatever its status.
 *
 * @throws RequestError where no answer came, or one that may not be read or followed
 */
export type SendRequest = (request: OutgoingRequest, options?: SendOptions) => Promise<OutgoingResponse>
