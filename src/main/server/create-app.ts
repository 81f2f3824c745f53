/** The checks of every request, in the order in which they reject, followed by the Express application. */
import express from 'express'
import type { Log, SecureRandom } from '../services/kit/ports.ts'
import { answerError, answerErrors, notFound } from './answer/errors.ts'
import { checkForm, trimSlash } from './gates/check-form.ts'
import type { Gate } from './gates/gate.ts'
import { guard } from './gates/guard.ts'
import { headingOf } from './gates/heading.ts'
import type { HttpHandler } from './listen/http-server.ts'
import type { App, CoreServices } from './mount/app.ts'
import { rawHandlerOf } from './mount/mount-raw.ts'
import { servePage } from './page/serve-page.ts'
import type { ServerResponse } from 'node:http'

export interface AppOptions<S extends CoreServices> {
  readonly services: S
  /** Mounts the routes. */
  readonly mount: (app: App, services: S) => void
  readonly log: Log
  readonly random: SecureRandom
  /** Folder of the built page; if it is missing, a short page explains how to build it. */
  readonly rendererDir: string
  /**
   * Whether to add `Server-Timing` to responses. It reveals how long internal work takes, so it is for development
   * only.
   */
  readonly showsTimings?: boolean
  /** Checked first for each request. */
  readonly availability: Gate
  /** Aborts when the server starts to stop, which ends streams. */
  readonly stopping: AbortSignal
}

export function createApp<S extends CoreServices>(options: AppOptions<S>): HttpHandler {
  const { services, mount, log, random, rendererDir, availability, stopping, showsTimings = false } = options
  const app: App = { express: express(), services, log, stopping, paths: new Map(), rawMounts: [] }
  app.express.disable('x-powered-by').disable('etag').disable('query parser')
  app.express.enable('strict routing').enable('case sensitive routing')
  mount(app, services)
  app.express.use(servePage({ rendererDir, random }), notFound, answerErrors(log))
  return toHandler(app, { random, showsTimings, gates: [availability, checkForm, guard(services.settings)] })
}

interface HandlerOptions {
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly showsTimings: boolean
  /** Gates in the order of their checks. */
  readonly gates: readonly Gate[]
}

/** A raw handler sees the URL as sent; routes see it without a trailing slash. */
function toHandler(
  { express: routes, rawMounts, log }: App,
  { random, showsTimings, gates }: HandlerOptions,
): HttpHandler {
  return (request, response) => {
    if (showsTimings) addServerTiming(response)
    try {
      for (const gate of gates) gate(request)
      const { url = '' } = request
      const heading = headingOf(url, random)
      const raw = rawHandlerOf(rawMounts, url)
      if (raw === null) {
        for (const name in heading) response.setHeader(name, heading[name] ?? '')
        trimSlash(request)
        routes(request, response)
      } else {
        raw(request, response, heading).catch((error: unknown) =>
          answerError(log, error, request, response, heading),
        )
      }
    } catch (error) {
      answerError(log, error, request, response, headingOf(request.url ?? '', random))
    }
  }
}

/** Adds `Server-Timing` with the time until the response's headers, which browsers show among the request's timings. */
function addServerTiming(response: ServerResponse): void {
  const begun = performance.now()
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]) => {
    response.setHeader('server-timing', `total;dur=${(performance.now() - begun).toFixed(1)}`)
    return writeHead(...args)
  }
}
