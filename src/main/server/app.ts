/** The Express application: what every request passes, in the order in which it may be refused. */
import express, { type Express, type IRoute, type RequestHandler } from 'express'
import type { Authorization } from '../services/authorization.ts'
import type { JsonCodec, Log, SecureRandom } from '../services/ports.ts'
import type { SettingsService } from '../services/settings.ts'
import { checkForm } from './middleware/check-form.ts'
import { answerErrors } from './middleware/errors.ts'
import { guard } from './middleware/guard.ts'
import { notFound } from './middleware/not-found.ts'
import { requestId } from './middleware/request-id.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { trimSlash } from './middleware/trim-slash.ts'
import type { RawMount } from './mount-raw.ts'
import { serveRaw } from './mount-raw.ts'
import { servePage } from './page.ts'

/** What the core itself needs of the services; routes take theirs by themselves. */
export interface CoreServices {
  readonly authorization: Pick<Authorization, 'authenticate' | 'authorize'>
  readonly settings: Pick<SettingsService, 'current'>
  readonly json: JsonCodec
}

export interface AppOptions<S extends CoreServices> {
  readonly services: S
  /** Mounts the routes. */
  readonly mount: (app: App, services: S) => void
  readonly log: Log
  readonly random: SecureRandom
  /** Folder of the built page; a short page that says how to build stands in for a missing one. */
  readonly rendererDir: string
  /** Asked before anything else of each request. */
  readonly availability: RequestHandler
  /** Aborts when the server begins to stop: streams end. */
  readonly stopping: AbortSignal
}

/** What `mountRoute`, `mountStream` and `mountRaw` mount on. */
export interface App {
  readonly express: Express
  readonly services: CoreServices
  readonly log: Log
  readonly stopping: AbortSignal
  readonly paths: Map<string, MountedPath>
  readonly rawMounts: RawMount[]
}

export interface MountedPath {
  readonly route: IRoute
  readonly methods: Set<string>
}

export function createApp<S extends CoreServices>(options: AppOptions<S>): Express {
  const { services, mount, log, random, rendererDir, availability, stopping } = options
  const app: App = { express: express(), services, log, stopping, paths: new Map(), rawMounts: [] }
  app.express.disable('x-powered-by').disable('etag').disable('query parser')
  app.express.enable('strict routing').enable('case sensitive routing')
  app.express.use(requestId(random), securityHeaders, availability, checkForm, guard(services.settings))
  app.express.use(serveRaw(app.rawMounts), trimSlash)
  mount(app, services)
  app.express.use(servePage({ rendererDir, random }), notFound, answerErrors(log))
  return app.express
}
