import type { IncomingMessage } from 'node:http'

/** A check of every request before it is processed, including its URL. An error it throws becomes the response. */
export type Gate = (request: IncomingMessage) => void
