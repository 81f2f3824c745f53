import type { App, RawHandler, RawMount } from './app.ts'
import { isUnder } from '../gates/paths.ts'

/** Hands a path and all below it to a handler of its own, behind the checks of every request. */
export function mountRaw(app: App, path: `/v1/${string}`, handler: RawHandler): void {
  app.rawMounts.push({ path, handler })
}

/** The handler that takes this address; null where it is left to the routes. */
export function rawHandlerOf(mounts: readonly RawMount[], url: string): RawHandler | null {
  for (const { path, handler } of mounts) if (isUnder(url, path)) return handler
  return null
}
