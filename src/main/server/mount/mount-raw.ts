import type { App, RawHandler, RawMount } from './app.ts'
import { isUnder } from '../gates/paths.ts'

/** Hands a path and everything below it to a raw handler, after the checks of every request. */
export function mountRaw(app: App, path: `/v1/${string}`, handler: RawHandler): void {
  app.rawMounts.push({ path, handler })
}

/** The raw handler for this URL; null if it belongs to a route. */
export function rawHandlerOf(mounts: readonly RawMount[], url: string): RawHandler | null {
  for (const { path, handler } of mounts) if (isUnder(url, path)) return handler
  return null
}
