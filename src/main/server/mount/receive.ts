import { parse } from 'node:querystring'
import type { Request, Response } from 'express'
import { ACT_AS_HEADER } from '../../../shared/contract/base/conventions.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import type { Route, RouteInput, StreamRoute } from '../../../shared/contract/base/route.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import type { Caller } from '../../services/kit/caller.ts'
import { readJson } from '../body/read-json.ts'
import { isForPageProxy, pageCookieOf } from '../gates/page-proxy.ts'
import type { App } from './app.ts'

/** The input of a handler: an authorized caller and validated data. */
export interface RouteCall<R extends Route | StreamRoute> extends RouteInput<R> {
  /** Null if the route needs no authentication. */
  readonly caller: R['access'] extends 'open' ? null : Caller
  readonly request: Request
}

/** The caller who made the request; null without valid credentials. */
export const notedCaller = (response: Response): Caller | null => callers.get(response) ?? null
const noteCaller = (response: Response, caller: Caller) => void callers.set(response, caller)
const callers = new WeakMap<Response, Caller>()

const ACT_AS = ACT_AS_HEADER.toLowerCase()

/** Authorizes the caller, then reads the input, rejecting in the contract's order: 401, 403, 415, 413, 400. */
export function createCallReader<R extends Route | StreamRoute>(
  app: App,
  route: R,
): (request: Request, response: Response) => Promise<RouteCall<R>> {
  const { authorization, chosenRecords } = app.services
  return async (request, response) => {
    let caller: Caller | null = null
    if (route.access !== 'open') {
      caller = requestCaller(app, request)
      noteCaller(response, caller)
      authorization.authorize(route.access, caller)
      chosenRecords.requireRoute(route, caller, request.params)
    }
    const sent = route.body ? await readBody(app, route, request, response) : undefined
    const input: Record<keyof RouteInput<R>, unknown> = {
      params: route.params && parseParams(route.params, request),
      query: route.query && parseInput(route.query, parseQuery(request.url), 'query'),
      body: route.body && parseInput(route.body, withoutReadOnly(sent, route.readOnly)),
    }
    return { ...input, caller, request } as RouteCall<R>
  }
}

/**
 * Behind the app's proxy, a browser acts with its cookie's session, and a token within the limits of `expose_api`;
 * neither ever acts as the local session.
 */
export function requestCaller({ services }: App, { headers }: Pick<Request, 'headers'>): Caller {
  const { authorization, pageSessions, settings } = services
  const actAs = headers[ACT_AS]?.toString()
  const current = settings.current()
  if (!isForPageProxy(headers, current)) return authorization.authenticate(headers.authorization, actAs)
  if (actAs !== undefined) {
    throw new AppError(
      'forbidden',
      say('{{header}} works only on the computer that runs Millrace; remove the header', {
        header: ACT_AS_HEADER,
      }),
    )
  }
  if (headers.authorization === undefined) return pageSessions.authenticate(pageCookieOf(headers))
  const caller = current.expose_api ? authorization.authenticate(headers.authorization) : null
  if (caller?.kind === 'token') return caller
  throw new AppError(
    'unauthorized',
    say('Sign in to use Millrace from here; tokens in the header Authorization need the setting expose_api'),
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  )
}

async function readBody(
  app: App,
  route: Route | StreamRoute,
  request: Request,
  response: Response,
): Promise<unknown> {
  const { settings, json } = app.services
  const ordinary = settings.current().body_limit_bytes
  const maxBytes = route.bodyLimit === 'large' ? Math.max(ordinary, LIMITS.largeBodyBytes) : ordinary
  const sent = await readJson(request, response, { json, maxBytes, whenTooLarge: route.whenTooLarge })
  if (sent !== undefined) return sent
  if (route.bodyOptional) return {}
  throw new AppError('validation', say('The request has no body; send a JSON object'), {
    data: { body: ['is required'] },
  })
}

/** A URL whose parameters can't be valid ids results in `not_found`. */
function parseParams(schema: NonNullable<Route['params']>, request: Request): unknown {
  const result = schema.safeParse(request.params)
  if (result.success) return result.data
  throw new AppError('not_found', say('Not found: {{path}}', { path: request.path.slice(0, 200) }))
}

function withoutReadOnly(sent: unknown, readOnly: readonly string[] | undefined): unknown {
  if (readOnly === undefined || typeof sent !== 'object' || sent === null) return sent
  for (const key of readOnly) {
    if (sent instanceof Map) sent.delete(key)
    else delete (sent as Record<string, unknown>)[key]
  }
  return sent
}

/** Values by name, a list for a repeated name; the object has no prototype. */
type Query = Readonly<Record<string, string | string[] | undefined>>

const NONE: Query = Object.freeze(Object.create(null) as Query)

/**
 * The query of a URL, decoded once.
 *
 * @throws AppError `validation` if it has more than 200 parameters
 */
function parseQuery(url: string): Query {
  const start = url.indexOf('?')
  if (start === -1 || start === url.length - 1) return NONE
  const text = url.slice(start + 1)
  if (countOf('&', text) >= LIMITS.queryNames) {
    throw new AppError(
      'validation',
      say('The query has more than {{most}} parameters', { most: LIMITS.queryNames }),
    )
  }
  return parse(text, '&', '=', { maxKeys: 0 })
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++
  return count
}
