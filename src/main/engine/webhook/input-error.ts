import { AppError } from '../../../shared/contract/base/errors.ts'
import { say, englishOf, type Said } from '../../../shared/contract/base/message.ts'

/** The error for a part of the request that can't be parsed. `message` says where and what to do. */
export function malformed(part: 'body' | 'query', message: Said, cause?: unknown): AppError {
  return new AppError(
    'validation',
    message,
    { data: { [part]: [englishOf(message)] }, cause },
    { [part]: [message] },
  )
}

export function tooLarge(what: Said, maxBytes: number): AppError {
  return new AppError('too_large', say('{{what}} is larger than {{max}} bytes', { what, max: maxBytes }))
}

export function unsupported(message: Said, cause?: unknown): AppError {
  return new AppError('unsupported_media_type', message, { cause })
}
