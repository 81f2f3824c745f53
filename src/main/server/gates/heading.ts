import type { SecureRandom } from '../../services/kit/ports.ts'
import type { Gate } from './gate.ts'

export const REQUEST_ID = 'X-Request-Id'

/** Names each request, for the log and the caller. An id that the caller sends is not taken over: it proves nothing. */
export function requestId(random: SecureRandom): Gate {
  return (_request, response) => {
    response.setHeader(REQUEST_ID, random.uuid())
  }
}
