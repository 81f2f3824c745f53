import { AppError, ERROR_STATUS } from '../../shared/contract/base/errors.ts'
import type { ErrorCode } from '../../shared/contract/base/errors.ts'
import { quoted, SAID, type Said } from '../../shared/contract/base/message.ts'
import { t, translateMessage } from '../lib/i18n.ts'
import { parseJson } from '../lib/json.ts'

/** Rebuilds the server's error from the response. */
export function fromEnvelope(status: number, text: string, headers: Headers): AppError {
  const envelope = readEnvelope(text)
  const retryAfter = headers.get('retry-after')
  return new AppError(
    envelope?.error ?? codeOf(status),
    quoted(
      envelope === null
        ? t('Millrace returned {{status}} without a reason', { status })
        : translateMessage(envelope.message, envelope),
    ),
    { data: sayFields(envelope), headers: retryAfter === null ? {} : { 'Retry-After': retryAfter } },
  )
}

/** The error of a check against the contract, translated like an error of the server; null if the check passes. */
export function refusalOf(check: () => unknown): AppError | null {
  try {
    check()
    return null
  } catch (error) {
    const { code, message, data, [SAID]: said, saidFields: said_fields } = asAppError(error)
    const envelope = { error: code, message, data, said, said_fields }
    return new AppError(code, quoted(translateMessage(message, envelope)), { data: sayFields(envelope) })
  }
}

/** The problems of the fields, as sentences. */
function sayFields(envelope: Envelope | null): unknown {
  if (envelope?.error !== 'validation' || typeof envelope.data !== 'object') return envelope?.data ?? null
  const fields = Object.entries((envelope.data ?? {}) as Readonly<Record<string, unknown>>)
  return Object.fromEntries(
    fields.map(([field, sentences]) => [
      field,
      Array.isArray(sentences)
        ? sentences.map((one: unknown, at) =>
            typeof one === 'string'
              ? translateMessage(one, { said: envelope.said_fields?.[field]?.[at] ?? undefined })
              : one,
          )
        : sentences,
    ]),
  )
}
/** No response at all: the server isn't running, or the connection broke. */
export function unreachable(baseUrl: string, cause: unknown): AppError {
  return new AppError(
    'unavailable',
    quoted(t('Millrace isn’t responding at {{baseUrl}}. Is it still running?', { baseUrl })),
    {
      cause,
    },
  )
}

/**
 * Turns anything caught into the kind of error that screens show. An abort is the caller's own doing and not a
 * failure.
 */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new AppError('internal', quoted(t('The page failed: {{message}}', { message })), { cause: error })
}

/**
 * The message that the page shows for an error. An ended session isn't the fault of a request, although the API says
 * so.
 */
export function wordsOf({ code, message }: AppError): string {
  return code === 'unauthorized' ? t('This tab is no longer signed in to Millrace.') : message
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** `{ 'steps[1].config.url': ['is required'] }` of a `validation` error, otherwise nothing. */
export function fieldsOf(error: AppError | null): Readonly<Record<string, readonly string[]>> {
  if (error?.code !== 'validation' || typeof error.data !== 'object' || error.data === null) return {}
  return error.data as Record<string, string[]>
}

/** The problem of a field as a whole, or of the first of its items that has one: `allowed_origins[1]`. */
export function faultInList(error: AppError | null, field: string): string | undefined {
  return Object.entries(fieldsOf(error)).find(
    ([name]) => name === field || name.startsWith(`${field}[`),
  )?.[1][0]
}

interface Envelope {
  readonly error: ErrorCode
  readonly message: string
  readonly data: unknown
  readonly said?: Said | undefined
  readonly said_fields?: Readonly<Record<string, readonly (Said | null)[]>> | undefined
}

function readEnvelope(text: string): Envelope | null {
  try {
    const body = parseJson(text) as
      | (Omit<Partial<Envelope>, 'error' | 'message'> & { error?: unknown; message?: unknown })
      | null
    if (typeof body?.error !== 'string' || typeof body.message !== 'string') return null
    if (!Object.hasOwn(ERROR_STATUS, body.error)) return null
    const { error, message, data = null, said, said_fields } = body
    return { error: error as ErrorCode, message, data, said, said_fields }
  } catch {
    return null
  }
}

function codeOf(status: number): ErrorCode {
  const known = Object.entries(ERROR_STATUS).find(([, value]) => value === status)
  return (known?.[0] as ErrorCode | undefined) ?? 'internal'
}
