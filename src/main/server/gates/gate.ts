import type { IncomingMessage } from 'node:http'

/**
 * What every request passes before anything is made of it, its address included. What a gate throws is the answer.
 */
export type Gate = (request: IncomingMessage) => void
