/** Every code an answer may carry, with its HTTP status. A code added here needs a sentence where it is thrown. */
export const ERROR_STATUS = {
  biz_logic: 200,
  validation: 400,
  template_error: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  rate_limit: 429,
  headers_too_large: 431,
  flow_error: 500,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** The body of every answer that is not a success. */
export interface ErrorEnvelope {
  readonly status: number
  readonly error: ErrorCode
  readonly message: string
  readonly data: unknown
}

export interface AppErrorOptions {
  /** Travels in the envelope; for `validation` a map of field path to sentences. Never a secret. */
  readonly data?: unknown
  /** Travels on the answer, `Retry-After` for instance. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** What the caller can act on. Everything else thrown is a defect and is answered as `internal`. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly data: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, { data = null, headers = {}, cause }: AppErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.data = data
    this.headers = headers
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }

  toEnvelope(): ErrorEnvelope {
    return { status: this.status, error: this.code, message: this.message, data: this.data }
  }
}

/** A `validation` error about named fields: `{ 'steps[1].config.url': ['is required'] }`. */
export function fieldErrors(fields: Readonly<Record<string, readonly string[]>>): AppError {
  const [first] = Object.entries(fields)
  const rest = Object.keys(fields).length - 1
  const more = rest > 0 ? ` (and ${rest} more field${rest > 1 ? 's' : ''}; see data)` : ''
  return new AppError(
    'validation',
    first ? `"${first[0]}" ${first[1][0]}${more}` : 'The request is not valid',
    {
      data: fields,
    },
  )
}
