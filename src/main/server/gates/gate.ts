import type { IncomingMessage } from 'node:http'

/** Checks each request before anything else reads it, even its URL. An error it throws becomes the response. */
export type Gate = (request: IncomingMessage) => void
