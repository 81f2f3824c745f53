import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { SecureRandom } from '../../services/kit/ports.ts'
import { headingOf } from '../gates/heading.ts'

/** The error for bytes that Node couldn't parse as a request. */
export function toSocketError({ code }: NodeJS.ErrnoException): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', say('The headers are larger than the limit of 16 KB'))
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('timeout', say('The request was not complete in time'))
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('too_large', say('The chunk extensions of the body are too large'))
    default:
      return new AppError('validation', say('Malformed HTTP request'))
  }
}

/** The requested URL is unknown, so the response is the API's. */
const ADDRESS = '/v1'

/** How long the caller has to read the response before the connection is closed. */
const LINGER_MS = 1_000

/** Responds on a connection without a valid request, and closes it. */
export function answerAtSocket(socket: Socket, error: AppError, random: SecureRandom): void {
  if (!socket.writable) return
  const body = JSON.stringify(error.toEnvelope())
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'connection: close',
    ...Object.entries(headingOf(ADDRESS, random)).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Closing at once with unread bytes of the caller would reset the connection and lose the response.
  socket.on('error', () => {})
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
