import type { Request, Response } from 'express'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { collectionOf, isItem } from '../../../shared/contract/base/conventions.ts'
import type { Route, RouteAnswer } from '../../../shared/contract/base/route.ts'
import { readBeginning, sendWhole } from '../answer/piecewise.ts'
import { writerFor } from '../answer/said.ts'
import type { JsonAnswer } from '../answer/send.ts'
import type { App, MountedPath } from './app.ts'
import { withConventions } from './conventions.ts'
import { createCallReader, notedCaller, type RouteCall } from './receive.ts'
import { Reply, SerializedJson } from '../answer/reply.ts'

/** Returns the route's result, or `reply(status, result, headers)` to set more. */
export type Handler<R extends Route> = (call: RouteCall<R>) => Outcome<R> | Promise<Outcome<R>>
type Outcome<R extends Route> = RouteAnswer<R> | Reply<RouteAnswer<R>> | SerializedJson

/**
 * Mounts a declared route, whose handler runs once the caller is authorized and all input is validated. Adds the
 * contract's conventions for routes of its kind (`conventions.ts`).
 */
export function mountRoute<const R extends Route>(app: App, route: R, handler: Handler<R>): void {
  const receive = createCallReader(app, route)
  const mounted = mountAt(app, route, async (request, response) => {
    const call = await receive(request, response)
    await sendWhole(request, response, await answer(call))
  })
  const answer = withConventions({ app, route, mounted }, async (call) =>
    toPiecewiseAnswer(app, route, await handler(call), call.request),
  )
  if (route.method === 'GET' && isItem(route)) {
    mounted.read = (call) => writerFor(app.services.json, call.request)(handler(call as RouteCall<R>))
  }
}

/**
 * A handler for each route, keyed by the route's name. Files are received and sent by `mountUpload` and
 * `mountDownload`.
 */
export type Handlers<M> = {
  readonly [
    K in keyof M as M[K] extends { upload: true } | { download: true } ? never : K
  ]: M[K] extends Route ? Handler<M[K]> : never
}

/** Mounts the routes of a noun, in the order of their handlers: more specific paths come first. */
export function mount<const M extends Readonly<Record<string, Route>>>(
  app: App,
  routes: M,
  handlers: Handlers<M>,
): void {
  for (const [name, handler] of Object.entries<Handler<Route>>(handlers)) {
    const route = routes[name]
    if (route !== undefined) mountRoute(app, route, handler)
  }
}

async function toPiecewiseAnswer(
  app: App,
  route: Route,
  outcome: unknown,
  request: Request,
): Promise<JsonAnswer> {
  if (!(outcome instanceof SerializedJson)) return toAnswer(app, route, outcome, request)
  return { status: route.status, headers: {}, ...(await readBeginning(outcome.pieces)) }
}

export function toAnswer(app: App, route: Route, outcome: unknown, request: Request): JsonAnswer {
  const { status, result, headers } =
    outcome instanceof Reply ? outcome : { status: route.status, result: outcome, headers: {} }
  return {
    status,
    headers: { ...(route.text && { 'content-type': route.text }), ...headers, ...locationOf(route, result) },
    text:
      result === undefined
        ? null
        : route.text
          ? (result as string)
          : writerFor(app.services.json, request)(result),
  }
}

function locationOf(route: Route, result: unknown): Record<string, string> {
  const collection = collectionOf(route)
  return collection === null ? {} : { Location: `${collection}/${(result as { readonly id: string }).id}` }
}

/** Mounts one Express route per path, which knows all its methods, so that any other gets 405 instead of 404. */
export function mountAt(
  app: App,
  { method, path }: Pick<Route, 'method' | 'path'>,
  handle: (request: Request, response: Response) => Promise<void>,
): MountedPath {
  const mounted = app.paths.get(path) ?? openPath(app, path)
  if (mounted.methods.has(method)) throw new Error(`${method} ${path} is mounted twice`)
  mounted.methods.add(method)
  mounted.route[METHODS[method]](UNLISTED.has(path) ? handle : listing(app, { method, path }, handle))
  return mounted
}

/** Not listed, because following the logs must not fill them. */
const UNLISTED: ReadonlySet<string> = new Set(['/v1/logs', '/v1/calls', '/v1/health'])

/** Lists the call once its response is sent, or its caller has left. */
function listing(
  { services }: App,
  { method, path }: Pick<Route, 'method' | 'path'>,
  handle: (request: Request, response: Response) => Promise<void>,
): typeof handle {
  return (request, response) => {
    const begun = performance.now()
    response.once('close', () =>
      services.calls.note({
        method,
        route: path,
        status: response.statusCode,
        durationMs: performance.now() - begun,
        caller: notedCaller(response),
      }),
    )
    return handle(request, response)
  }
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const

function openPath(app: App, path: string): MountedPath {
  const methods = new Set<string>()
  const route = app.express.route(path)
  route.all((request, _response, next) => {
    // HEAD is handled as GET without the body.
    next(
      methods.has(request.method === 'HEAD' ? 'GET' : request.method) ? undefined : refuse(request, methods),
    )
  })
  const mounted = { methods, route }
  app.paths.set(path, mounted)
  return mounted
}

function refuse(request: Request, methods: ReadonlySet<string>): AppError {
  const names = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].toSorted().join(', ')
  return new AppError(
    'method_not_allowed',
    say("Method {{method}} isn't allowed at this URL; use {{methods}}", {
      method: request.method,
      methods: names,
    }),
    {
      headers: { Allow: names },
    },
  )
}
