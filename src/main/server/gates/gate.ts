import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * What every request passes before anything is made of it, its address included. A gate may write headers of the
 * answer; what it throws is the answer.
 */
export type Gate = (request: IncomingMessage, response: ServerResponse) => void
