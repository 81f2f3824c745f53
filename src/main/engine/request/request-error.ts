import { SpokenError } from '../../../shared/contract/base/errors.ts'
import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { PaginationErrorCode } from '../../../shared/contract/pagination.ts'

export type RequestErrorCode = Extract<
  PaginationErrorCode,
  | 'http_error'
  | 'rate_limited'
  | 'timeout'
  | 'cancelled'
  | 'cross_origin_link'
  | 'too_many_redirects'
  | 'response_too_large'
  | 'response_not_json'
>

export interface RequestErrorOptions {
  /** Whether the same call may succeed a moment later. Default false. */
  readonly transient?: boolean
  /** Whether the server may have acted on the request. Defaults to true; false only if it certainly hasn't. */
  readonly delivered?: boolean
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined
  readonly cause?: unknown
}

/** Thrown if an outgoing call fails. The message names its URL and says what to do. */
export class RequestError extends SpokenError {
  override readonly name = 'RequestError'
  readonly code: RequestErrorCode
  readonly transient: boolean
  readonly delivered: boolean
  readonly status: number | undefined

  constructor(code: RequestErrorCode, sentence: Said, options: RequestErrorOptions = {}) {
    super(sentence, options.cause)
    this.code = code
    this.transient = options.transient ?? false
    this.delivered = options.delivered ?? true
    this.status = options.status
  }
}

/** The error of a call whose caller cancelled it. */
export function cancelled(signal: AbortSignal): RequestError {
  return new RequestError('cancelled', say('The call was cancelled'), { cause: signal.reason })
}

/**
 * A URL as messages show it: with its query, which shows the page that failed, but without credentials, fragment, or
 * values of parameters whose names suggest secrets. Secrets under other names are redacted where the message is
 * stored or shown.
 */
export function placeOf(url: string | URL): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : url
  return parsed === null ? '(invalid URL)' : `${parsed.origin}${parsed.pathname}${queryOf(parsed)}`
}

function queryOf({ search }: URL): string {
  const query = search.replaceAll(/[^&]+/g, (parameter) => {
    const end = parameter.indexOf('=')
    return end > 0 && SECRET_PARAMETER.test(parameter.slice(0, end))
      ? `${parameter.slice(0, end)}=***`
      : parameter
  })
  return query.length > LONGEST_QUERY ? `${query.slice(0, LONGEST_QUERY)}…` : query
}

const SECRET_PARAMETER = /key|token|secret|sig|pass|pwd|auth|code|session|credential|jwt/i
const LONGEST_QUERY = 200
