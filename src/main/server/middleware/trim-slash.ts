import type { RequestHandler } from 'express'
import { pathOf } from '../paths.ts'

/** `/v1/flows/` means `/v1/flows`. The webhook comes before this: its address may not be altered in any way. */
export const trimSlash: RequestHandler = (request, _response, next) => {
  const path = pathOf(request.url)
  if (path.length > 1 && path.endsWith('/')) request.url = path.slice(0, -1) + request.url.slice(path.length)
  next()
}
