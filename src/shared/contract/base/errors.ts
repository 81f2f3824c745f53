import { englishOf, SAID, say, type Said, type Spoken } from './message.ts'

/** Every error code of a response, with its HTTP status. */
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
  bad_gateway: 502,
  unavailable: 503,
  gateway_timeout: 504,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** When each code is returned, and what the caller can do. */
export const ERROR_HELP: { readonly [C in ErrorCode]: readonly [when: string, remedy: string] } = {
  biz_logic: ['The flow is paused. Nothing runs and nothing is stored.', 'Set the flow to active or draft.'],
  validation: [
    'A field is missing or invalid; `data` says for each one what is wrong.',
    'Correct the fields in `data` and send the request again.',
  ],
  template_error: [
    "A template can't be read or rendered; `data` has the line and column.",
    'Correct the template at that place.',
  ],
  unauthorized: [
    'The token is missing, malformed, unknown or expired, or the signature of a webhook request is wrong.',
    'Send `Authorization: Bearer …` with a valid token, or check the signing secret.',
  ],
  forbidden: [
    "The token's scopes don't allow this, or the request comes from another website or through a proxy.",
    'Use a token with one of the scopes of the endpoint, or call from this computer.',
  ],
  not_found: [
    "The URL or the record doesn't exist, or the caller can't see the record.",
    'Check the path and the ID.',
  ],
  method_not_allowed: [
    'The URL exists, but not with this method.',
    'Use one of the methods in the header `Allow`.',
  ],
  timeout: [
    'A flow took longer than 30 seconds to respond to its webhook. It continues.',
    'Look at the run for its result, or let the webhook respond at once (`async`).',
  ],
  conflict: [
    "The current state doesn't allow this: a name is taken, a record is in use, or an `Idempotency-Key` belongs to another request.",
    'Resolve what the message names, then send the request again.',
  ],
  precondition_failed: [
    'The record was changed after you read it (`If-Match`).',
    'Read the record again, and repeat the change.',
  ],
  too_large: [
    'The body is larger than the limit.',
    'Send less, upload it as a file, or raise the limit in the settings.',
  ],
  unsupported_media_type: [
    "The body's Content-Type, charset or encoding isn't supported here.",
    'Send `application/json`, or what the endpoint lists.',
  ],
  expectation_failed: [
    'The header `Expect` asks for something other than `100-continue`.',
    'Leave the header out.',
  ],
  rate_limit: [
    'Too many requests from this IP address, or with this access token.',
    'Wait the number of seconds in the `Retry-After` header.',
  ],
  headers_too_large: [
    'The request headers are larger than the server accepts.',
    'Send fewer or shorter headers.',
  ],
  flow_error: [
    'The flow that the webhook started failed; `data.flow_run_id` names its run.',
    'Open the run to see which step failed and why.',
  ],
  internal: [
    'An error in Millrace itself.',
    "Look up the request's `X-Request-Id` in the log, and report it.",
  ],
  bad_gateway: [
    'Nothing listens at the URL that a webhook forwards to, or that program ended the connection.',
    'Start the program, or let the webhook keep requests until it listens (`keep_when_closed`).',
  ],
  unavailable: [
    'Millrace is starting or stopping, or the disk is full.',
    'Wait the number of seconds in the `Retry-After` header, and free disk space if the message says so.',
  ],
  gateway_timeout: [
    "The program that a webhook forwards to didn't respond within 30 seconds.",
    'Look at what the program is doing, or let the flow respond (`respond`).',
  ],
}

/** The body of every error response. */
export interface ErrorEnvelope {
  readonly status: number
  readonly error: ErrorCode
  readonly message: string
  readonly data: unknown
  /** The URL of the code's documentation. Only included in the API's responses, for programs that use it. */
  readonly doc_url?: string
}

/** The link to a code's section on the errors page, as a path from the root of the repository. */
export const docUrlOf = (code: ErrorCode): string => `docs/reference/errors.md#${code}`

/** Keys and values of the messages in `data`. */
export type SaidFields = Readonly<Record<string, readonly Said[]>>

export interface AppErrorOptions {
  /** Included in the response; for `validation`, a map from field paths to sentences. Never a secret. */
  readonly data?: unknown
  /** Sent with the response, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error that keeps the key and values of its message. */
export abstract class SpokenError extends Error implements Spoken {
  readonly [SAID]: Said

  constructor(sentence: Said, cause?: unknown) {
    super(englishOf(sentence), cause === undefined ? undefined : { cause })
    this[SAID] = sentence
  }
}

/** An error that the caller can act on. Any other thrown value is a defect and becomes `internal`. */
export class AppError extends SpokenError {
  override readonly name: string = 'AppError'
  readonly code: ErrorCode
  readonly data: unknown
  readonly headers: Readonly<Record<string, string>>
  /** Keys and values of the messages in `data`. */
  readonly saidFields: SaidFields | undefined

  constructor(
    code: ErrorCode,
    sentence: Said,
    { data = null, headers = {}, cause }: AppErrorOptions = {},
    fields?: SaidFields,
  ) {
    super(sentence, cause)
    this.code = code
    this.data = data
    this.headers = headers
    this.saidFields = fields
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }

  toEnvelope(): ErrorEnvelope {
    const { status, code, message, data } = this
    return { status, error: code, message, data }
  }
}

/** A `validation` error about fields: `{ 'steps[1].config.url': ['is required'] }`. */
export function fieldErrors(fields: SaidFields, sentence = sentenceOfFields(fields)): AppError {
  const data = Object.entries(fields).map(([name, sentences]) => [name, sentences.map(englishOf)])
  return new AppError('validation', sentence, { data: Object.fromEntries(data) }, fields)
}

function sentenceOfFields(fields: SaidFields): Said {
  const [[field, [rest]] = ['', []], ...others] = Object.entries(fields)
  if (rest === undefined) return say('The request is not valid')
  const first = say('"{{field}}" {{rest}}', { field, rest })
  const count = others.length
  if (count === 0) return first
  return count === 1
    ? say('{{first}} (and {{count}} more field; see data)', { first, count })
    : say('{{first}} (and {{count}} more fields; see data)', { first, count })
}
