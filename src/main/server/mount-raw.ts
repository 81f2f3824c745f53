import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { App } from './app.ts'
import { isUnder } from './paths.ts'

/**
 * Answers by itself, whatever the method and the rest of the path: nothing of the body was read, nothing of the
 * address altered. What it throws is answered as everywhere.
 */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface RawMount {
  readonly path: string
  readonly handler: RawHandler
}

/** Hands a path and all below it to a handler of its own, behind request ids, security headers and the guard. */
export function mountRaw(app: App, path: `/v1/${string}`, handler: RawHandler): void {
  app.rawMounts.push({ path, handler })
}

export function serveRaw(mounts: readonly RawMount[]): RequestHandler {
  return (request, response, next) => {
    const mount = mounts.find(({ path }) => isUnder(request.url, path))
    return mount ? mount.handler(request, response) : next()
  }
}
