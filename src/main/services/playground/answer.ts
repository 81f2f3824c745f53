/** What a playground path receives and gives: plain values, so that each path is a function. */

export interface PlaygroundRequest {
  readonly method: string
  /** Below `/playground/`, without slashes at either end. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** The address of the playground itself, for links: `http://127.0.0.1:4748/playground`. */
  readonly base: string
}

export interface PlaygroundAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Waits before answering; the caller's leaving ends the wait. */
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

/** A whole number of the query or a header, held within the range; the fallback where it is absent. */
export function wholeNumber(
  text: string | null | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = Number(text ?? Number.NaN)
  return Number.isInteger(value) ? Math.min(Math.max(value, min), max) : fallback
}
