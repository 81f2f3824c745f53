import { SpokenError } from '../../../../shared/contract/base/errors.ts'
import { advised, say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { PaginationErrorCode } from '../../../../shared/contract/pagination.ts'
import { JsonPathError } from '@millrace/jinja/jsonpath'
import { RequestError } from '../../request/request-error.ts'
import { NotADictionaryError, TemplateError } from '@millrace/jinja'

export interface PaginationErrorDetails {
  /** The variable `page` of the failed call; 0 is the first request. */
  readonly page?: number | undefined
  readonly status?: number | undefined
  /** Records read before the error. */
  readonly partialCount?: number | undefined
  /** `query`, or `[1].query` in a list of configurations. */
  readonly field?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly cause?: unknown
}

/** Thrown if a list can't be read to its end. The records before the error were already delivered. */
export class PaginationError extends SpokenError {
  override readonly name = 'PaginationError'
  readonly code: PaginationErrorCode
  readonly details: PaginationErrorDetails

  constructor(code: PaginationErrorCode, sentence: Said, { cause, ...details }: PaginationErrorDetails = {}) {
    super(sentence, cause)
    this.code = code
    this.details = details
  }

  /** The same error with details only the caller knows; existing details are kept. */
  with(more: PaginationErrorDetails): PaginationError {
    const known = Object.entries(this.details).filter(([, value]) => value !== undefined)
    return new PaginationError(this.code, sentenceOf(this), {
      ...more,
      ...Object.fromEntries(known),
      cause: this.cause ?? more.cause,
    })
  }
}

/**
 * Converts an error from another part of the engine to a PaginationError. Null for a defect, which the caller
 * rethrows.
 */
export function toPaginationError(error: unknown, details: PaginationErrorDetails): PaginationError | null {
  if (error instanceof PaginationError) return error.with(details)
  if (error instanceof RequestError) {
    return new PaginationError(error.code, sentenceOf(error), {
      ...details,
      status: error.status,
      cause: error,
    })
  }
  if (error instanceof TemplateError) {
    const { line, column } = error
    return new PaginationError('template_error', inField(advised(error), details), {
      ...details,
      line,
      column,
      cause: error,
    })
  }
  if (error instanceof NotADictionaryError) {
    return new PaginationError('not_a_dictionary', inField(sentenceOf(error), details), {
      ...details,
      cause: error,
    })
  }
  if (error instanceof JsonPathError) {
    const column = error.position === null ? undefined : error.position + 1
    return new PaginationError('jsonpath_error', inField(sentenceOf(error), details), {
      ...details,
      column,
      cause: error,
    })
  }
  return null
}

/** Runs work on one field of a configuration, so that errors name the field. */
export function inFieldOf<T>(field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toPaginationError(error, field === '' ? {} : { field }) ?? error
  }
}

function inField(message: Said, { field }: PaginationErrorDetails): Said {
  return field === undefined ? message : say('{{field}}: {{rest}}', { field, rest: message })
}
