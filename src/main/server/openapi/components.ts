/** Components that many operations share: authentication, errors, headers. */
import { ACT_AS_HEADER, IDEMPOTENCY_HOURS } from '../../../shared/contract/base/conventions.ts'
import { docUrlOf, ERROR_HELP, ERROR_STATUS, type ErrorCode } from '../../../shared/contract/base/errors.ts'
import { SCOPES } from '../../../shared/contract/base/scopes.ts'

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[]

/** The error statuses of API endpoints. */
const REFUSALS = {
  400: 'validation',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'too_large',
  415: 'unsupported_media_type',
  429: 'rate_limit',
  500: 'internal',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
} as const satisfies Record<number, ErrorCode>
export type RefusalStatus = keyof typeof REFUSALS

export const refusal = (status: RefusalStatus) => ({ $ref: `#/components/responses/${nameOf(status)}` })

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const

export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this request in the log',
    schema: { ...text, format: 'uuid' },
    required: true,
  },
  'X-Total-Count': { description: 'Number of records that match the filters, over all pages', schema: count },
  Link: {
    description: 'Links to the neighboring pages (RFC 8288): `rel="next"`, `rel="prev"`',
    schema: text,
  },
  Location: { description: 'URL of the new record', schema: text, required: true },
  ETag: {
    description: 'Version of the record, for `If-Match`',
    schema: text,
    required: true,
  },
  'Idempotent-Replayed': {
    description:
      '`true` if this is the response of an earlier request with the same `Idempotency-Key`, and nothing was done again. Secrets that are shown once are left out',
    schema: { const: 'true' },
  },
  'Retry-After': { description: 'Whole seconds', schema: count, required: true },
  'RateLimit-Limit': {
    description: 'Requests allowed per IP address in a window',
    schema: count,
    required: true,
  },
  'RateLimit-Remaining': { description: 'Requests left in it', schema: count, required: true },
  'RateLimit-Reset': { description: 'Seconds until the next window', schema: count, required: true },
  'RateLimit-Policy': {
    description: 'Name of the limit, its requests (`q`) and the seconds of its window (`w`)',
    schema: { ...text, examples: ['"webhook";q=300;w=300'] },
  },
  RateLimit: {
    description: 'Name of the limit, the requests left (`r`) and the seconds until the next window (`t`)',
    schema: { ...text, examples: ['"webhook";r=299;t=300'] },
  },
  'WWW-Authenticate': { description: 'How to authenticate', schema: { const: 'Bearer' }, required: true },
} as const
export type HeaderName = keyof typeof HEADERS

export const headers = (...names: readonly HeaderName[]) =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

export const REQUEST_HEADERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Retries with the same key within ${IDEMPOTENCY_HOURS} hours return the first response; nothing runs twice`,
    schema: { ...text, minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: 'order-4711',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: "The `ETag` from the last read: the record is changed only if it hasn't changed since",
    schema: text,
    example: '"d2FzIGl0IHJlYWQgaGVyZT8gIQ"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: "The `ETag` from the last read: the response is 304 if the record hasn't changed",
    schema: text,
    example: '"d2FzIGl0IHJlYWQgaGVyZT8gIQ"',
  },
  ActAs: {
    name: ACT_AS_HEADER,
    in: 'header',
    description:
      'Only for the app and the millrace command: the ID of the user they act as. Defaults to the user of this machine',
    schema: { ...text, format: 'uuid' },
    example: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  },
} as const

const EXTRA_HEADERS: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  unauthorized: ['WWW-Authenticate'],
  unavailable: ['Retry-After'],
  rate_limit: [
    'Retry-After',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'RateLimit-Policy',
    'RateLimit',
  ],
}

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  validation: '"name" is required',
  not_found: 'There is no flow "7c9e6679-7425-40de-944b-e07fc1f90ae7"',
}

export const COMPONENTS = {
  securitySchemes: {
    token: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'mr_pat_…',
      description: `A personal access token. Scopes: ${SCOPES.join(', ')}.`,
    },
    webhookToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'mr_whk_…',
      description: "A flow's webhook token, shown in the flow's settings.",
    },
  },
  headers: HEADERS,
  parameters: REQUEST_HEADERS,
  responses: Object.fromEntries(
    (Object.keys(REFUSALS).map(Number) as RefusalStatus[]).map((status) => [
      nameOf(status),
      toResponse(status),
    ]),
  ),
}

/** The body of every error response. */
export const ERROR_SCHEMA = {
  type: 'object',
  // `biz_logic` and the responses of webhooks have no `doc_url`.
  required: ['status', 'error', 'message', 'data'],
  additionalProperties: false,
  properties: {
    status: { type: 'integer', description: 'HTTP status code of the response.' },
    error: { enum: CODES, description: 'Machine-readable code. It never changes; compare this one.' },
    message: { type: 'string', description: 'What went wrong, with which value, and what to do.' },
    data: {
      description: 'For `validation`: what is wrong with each field, by its path. Otherwise mostly null.',
    },
    doc_url: {
      type: 'string',
      description: 'Where the documentation describes this code, from the root of the repository.',
      examples: [docUrlOf('validation')],
    },
  },
} as const

function nameOf(status: RefusalStatus): string {
  return REFUSALS[status].replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())
}

function toResponse(status: RefusalStatus) {
  const code = REFUSALS[status]
  const [when] = ERROR_HELP[code]
  const data = code === 'validation' ? { name: ['is required'] } : null
  return {
    description: when,
    headers: headers(...(EXTRA_HEADERS[code] ?? [])),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { status, error: code, message: MESSAGES[code] ?? when, data, doc_url: docUrlOf(code) },
      },
    },
  }
}
