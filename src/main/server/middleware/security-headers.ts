import type { RequestHandler } from 'express'
import { isApiPath } from '../paths.ts'

/** Headers of every answer; the page and the webhook put their own Content-Security-Policy in place of this one. */
export const securityHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  if (isApiPath(request.url)) response.setHeader('Cache-Control', 'no-store')
  next()
}
