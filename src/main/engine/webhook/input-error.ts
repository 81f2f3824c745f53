import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'

/** A part of the request that can't be parsed; `message` says where and what to do. */
export function malformed(part: 'body' | 'query', message: string, cause?: unknown): AppError {
  return new AppError('validation', message, { data: { [part]: [message] }, cause })
}

export function tooLarge(what: string, maxBytes: number): AppError {
  return new AppError('too_large', say('{{what}} is larger than {{max}} bytes', { what, max: maxBytes }))
}

export function unsupported(message: string, cause?: unknown): AppError {
  return new AppError('unsupported_media_type', message, { cause })
}
