/** The headers that tell callers how many requests a limit still allows (draft-ietf-httpapi-ratelimit-headers). */

export interface RateLimitState {
  /** The name of the limit, because several can apply to a caller. */
  readonly policy: string
  readonly requests: number
  readonly seconds: number
  /** Requests left in this window. */
  readonly remaining: number
  /** Milliseconds until the next window. */
  readonly resetMs: number
}

type Headers = Readonly<Record<string, string>>

/** Headers for every response, including rejections. */
export function rateLimitHeaders({ policy, requests, seconds, remaining, resetMs }: RateLimitState): Headers {
  return {
    'ratelimit-policy': `"${policy}";q=${requests};w=${seconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${wholeSeconds(resetMs)}`,
  }
}

/** Headers for a rejection, including those of earlier drafts, which more clients read. */
export function exceededHeaders(state: RateLimitState): Headers {
  const wait = String(wholeSeconds(state.resetMs))
  return {
    'Retry-After': wait,
    'RateLimit-Limit': String(state.requests),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': wait,
    ...rateLimitHeaders(state),
  }
}

/** At least one, because a caller that retries at once would be rejected again. */
export const wholeSeconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000))
