/** Requests and responses of playground paths: plain values, so that each path is just a function. */

export interface PlaygroundRequest {
  readonly method: string
  /** The path below `/playground/`, without leading or trailing slash. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** The base URL of the playground, for links: `http://127.0.0.1:4748/playground`. */
  readonly base: string
}

export interface PlaygroundAnswer {
  readonly status: number
  /** A string is sent as it is, anything else as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Delays the response; the wait ends if the caller disconnects. */
  readonly delayMs?: number
}

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): PlaygroundAnswer => ({
  status: 200,
  body,
  headers,
})

export const problem = (status: number, message: string, headers = {}): PlaygroundAnswer => ({
  status,
  body: { error: message },
  headers,
})

/** An integer from the query or a header, clamped to the range; defaults to the fallback. */
export function wholeNumber(
  text: string | null | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = Number(text ?? Number.NaN)
  return Number.isInteger(value) ? Math.min(Math.max(value, min), max) : fallback
}
