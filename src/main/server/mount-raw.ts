import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from './app.ts'
import { isUnder } from './paths.ts'

/**
 * Answers by itself, whatever the method and the rest of the path: nothing of the body was read, nothing of the
 * address altered. What it throws is answered as everywhere.
 */
export type RawHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  /** By their lower-case names; to be written with the handler's own. */
  heading: Readonly<Record<string, string>>,
) => Promise<void>

export interface RawMount {
  readonly path: string
  readonly handler: RawHandler
}

/** Hands a path and all below it to a handler of its own, behind the checks of every request. */
export function mountRaw(app: App, path: `/v1/${string}`, handler: RawHandler): void {
  app.rawMounts.push({ path, handler })
}

/** The handler that takes this address; null where it is left to the routes. */
export function rawHandlerOf(mounts: readonly RawMount[], url: string): RawHandler | null {
  for (const { path, handler } of mounts) if (isUnder(url, path)) return handler
  return null
}
