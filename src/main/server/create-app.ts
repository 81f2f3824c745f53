/** What every request passes, in the order in which it may be refused, and the Express application behind it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import type { Log, SecureRandom } from '../services/kit/ports.ts'
import { answerError, answerErrors, notFound } from './answer/errors.ts'
import { checkForm, trimSlash } from './gates/check-form.ts'
import type { Gate } from './gates/gate.ts'
import { guard } from './gates/guard.ts'
import { REQUEST_ID, requestId, securityHeaders, securityHeadersFor } from './gates/heading.ts'
import type { HttpHandler } from './listen/http-server.ts'
import type { App, CoreServices } from './mount/app.ts'
import { rawHandlerOf } from './mount/mount-raw.ts'
import { servePage } from './page/serve-page.ts'

export interface AppOptions<S extends CoreServices> {
  readonly services: S
  /** Mounts the routes. */
  readonly mount: (app: App, services: S) => void
  readonly log: Log
  readonly random: SecureRandom
  /** Folder of the built page; a short page that says how to build stands in for a missing one. */
  readonly rendererDir: string
  /** Asked before anything else of each request. */
  readonly availability: Gate
  /** Aborts when the server begins to stop: streams end. */
  readonly stopping: AbortSignal
}

export function createApp<S extends CoreServices>(options: AppOptions<S>): HttpHandler {
  const { services, mount, log, random, rendererDir, availability, stopping } = options
  const app: App = { express: express(), services, log, stopping, paths: new Map(), rawMounts: [] }
  app.express.disable('x-powered-by').disable('etag').disable('query parser')
  app.express.enable('strict routing').enable('case sensitive routing')
  mount(app, services)
  app.express.use(servePage({ rendererDir, random }), notFound, answerErrors(log))
  return toHandler(app, {
    random,
    checks: [availability, checkForm, guard(services.settings)],
    heading: [requestId(random), securityHeaders],
  })
}

interface Gates {
  readonly random: Pick<SecureRandom, 'uuid'>
  /** In the order in which they refuse. */
  readonly checks: readonly Gate[]
  /** What stands over every answer. */
  readonly heading: readonly Gate[]
}

/**
 * A raw handler sees the address as it came; routes see it without a slash at its end. It writes the heading together
 * with its own headers: setting them one by one takes several times as long.
 */
function toHandler(
  { express: routes, rawMounts, log }: App,
  { random, checks, heading }: Gates,
): HttpHandler {
  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (!response.headersSent) for (const gate of heading) gate(request, response)
    answerError(log, error, request, response)
  }

  return (request, response) => {
    try {
      for (const gate of checks) gate(request, response)
      const { url = '' } = request
      const raw = rawHandlerOf(rawMounts, url)
      if (raw === null) {
        for (const gate of heading) gate(request, response)
        trimSlash(request, response)
        routes(request, response)
      } else {
        const headers = { [REQUEST_ID_LOWER]: random.uuid(), ...securityHeadersFor(url) }
        raw(request, response, headers).catch((error: unknown) => fail(error, request, response))
      }
    } catch (error) {
      fail(error, request, response)
    }
  }
}

const REQUEST_ID_LOWER = REQUEST_ID.toLowerCase()
