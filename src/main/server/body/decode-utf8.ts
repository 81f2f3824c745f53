import { isUtf8 } from 'node:buffer'
import { AppError } from '../../../shared/contract/errors.ts'

/**
 * Bytes as text; a byte order mark at the start is not part of it.
 *
 * @throws AppError `validation` where the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new AppError('validation', 'The body is not valid UTF-8')
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return bytes.toString('utf8', start)
}
