/** The services that the engine uses: time, randomness and the network. */

export interface Clock {
  /** Milliseconds since the Unix epoch; jumps when the system time is changed. */
  now(): number
  /** Milliseconds since an arbitrary start; never jumps. Used to measure waits and durations. */
  monotonic(): number
}

/** A number from 0 to 1, excluding 1. */
export type Random = () => number

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/** One header line, in its original spelling. A name can occur on several lines. */
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
  /** Decoded, if it was compressed with gzip, br, deflate or zstd. */
  readonly body: Uint8Array
  /** The URL that responded, after redirects. */
  readonly url: string
  /** The size of the body as transferred. */
  readonly wireBytes: number
  /** Milliseconds from sending to the last byte, including redirects. */
  readonly durationMs: number
}

/** One request and its response, for the history. Each hop of a redirect is a separate exchange. */
export interface Exchange {
  readonly request: OutgoingRequest
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Null if there was none; `error` then says why. */
  readonly response: Pick<OutgoingResponse, 'status' | 'headers' | 'body' | 'wireBytes'> | null
  readonly error: string | null
}

/** Changes a request just before it is sent, once for each attempt and each hop of a redirect. */
export type Sign = (request: OutgoingRequest) => OutgoingRequest | Promise<OutgoingRequest>

/**
 * Identifies the caller to a server. All calls with a certificate must pass the same object, because it is the key of
 * their connections.
 */
export interface ClientCertificate {
  /** PEM, with its private key in `key`. The alternative is PKCS #12 in `pfx`. */
  readonly cert?: string
  readonly key?: string
  readonly pfx?: Uint8Array
  readonly passphrase?: string
  /** PEM of the authorities to trust for the server, in place of the usual ones. */
  readonly ca?: string
}

/** An identity that only the request's own origin and trusted origins get, even after a redirect. */
export interface Identity {
  readonly sign?: Sign | undefined
  readonly certificate?: ClientCertificate | undefined
}

export interface SendOptions {
  readonly identity?: Identity | undefined
  readonly signal?: AbortSignal | undefined
  /** Set by callers that retry; only used in reports. Default 1. */
  readonly attempt?: number
  /** Origins that receive headers and body like the request's own origin. */
  readonly trustedOrigins?: ReadonlySet<string>
  /** The most redirects that are followed. Default 20. */
  readonly maxRedirects?: number
  /** The limit for the whole call, including redirects. Default 5 minutes. */
  readonly timeoutMs?: number
  /** Allows the call to reach Millrace's own API, and only its `/v1`. */
  readonly toOwnApi?: boolean
  /** Rejects public addresses, even after a redirect. */
  readonly nearbyOnly?: boolean
  /** The only origins that are called, even after a redirect. */
  readonly onlyOrigins?: ReadonlySet<string>
  /** Rejects addresses of this computer and its network. */
  readonly publicOnly?: boolean
  /** The limit for the body, both as transferred and decoded. */
  readonly maxBodyBytes?: number
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
}

/**
 * Sends one request, follows its redirects and reads the whole response, whatever its status.
 *
 * @throws RequestError if there was no response, or it must not be read or followed
 */
export type SendRequest = (request: OutgoingRequest, options?: SendOptions) => Promise<OutgoingResponse>
