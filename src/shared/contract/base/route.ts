/** Declares endpoints once, here in the contract. The server mounts them and the app calls them. */
import type { z } from 'zod'
import type { Said } from './message.ts'
import type { Entity, Operation } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * Who can call it. `open` means anyone, `any-token` any valid token, and `session` only the app and the owner's command
 * line, which can call everything. `list-tokens` and `manage-tokens` stand for the rules of the token endpoints.
 * Otherwise a scope must cover the entity and operation.
 */
export type Access =
  | 'open'
  | 'any-token'
  | 'list-tokens'
  | 'manage-tokens'
  | 'session'
  | { readonly entity: Entity; readonly operation: Operation }

export interface Route {
  readonly method: Method
  /** The path in Express's syntax: `/v1/flows/:id`. */
  readonly path: `/v1/${string}`
  readonly summary: string
  /** The operation's name, if no good one can be derived from the path: `rotate_webhook_token`. */
  readonly name?: string
  readonly access: Access
  readonly status: 200 | 201 | 202 | 204
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** If true, a request without a body means `{}`. */
  readonly bodyOptional?: boolean
  /** Keys of the record that are accepted in the body and ignored, so that GET → edit → PUT works. */
  readonly readOnly?: readonly string[]
  /** If missing, the route returns 204 without a body. */
  readonly result?: z.ZodType
  /** A second way to succeed, with its own response: `POST /v1/flows/:id/run` with `wait=true`. */
  readonly alternative?: { readonly status: 200; readonly result: z.ZodType }
  /** Keys of the result that are only returned once: a repeated `Idempotency-Key` returns the rest. */
  readonly once?: readonly string[]
  /** The collection of the new record, if the path doesn't begin with it. */
  readonly collection?: `/v1/${string}`
  /** True if the body is a file, either in a multipart form or by itself. */
  readonly upload?: true
  /** True if the response is the content of a file. */
  readonly download?: true
  /** True if a response of more than 4 MB is sent in pieces, without an entity tag. */
  readonly inPieces?: true
  /** The content type of a response that is text instead of JSON. Then `result` is a string. */
  readonly text?: `text/${string}`
  /** True for a single object whose path doesn't end in `/:id`. */
  readonly item?: true
  /** True if calls are counted, and get a 429 above the limit. */
  readonly rateLimited?: true
  /** The path of the record that a POST changes; it respects `If-Match` like PUT. */
  readonly changes?: `/v1/${string}/:id`
  /** `large` means the limit for webhooks and previews instead of the ordinary one. */
  readonly bodyLimit?: 'ordinary' | 'large'
  /**
   * How the route enforces a token's limit to chosen flows and auths. With `own`, its service returns and changes
   * only those; with `free`, it has nothing to do with flows and auths. If absent, its path decides (`keptBy` in
   * `conventions.ts`), and a route whose path names no such record is closed to tokens with chosen flows.
   */
  readonly chosen?: 'own' | 'free'
  /** Error statuses that only this route returns, in addition to those of all routes of its kind. */
  readonly refusals?: readonly (401 | 404 | 412)[]
  /** Advice for a body that is too large, as the end of a sentence. */
  readonly whenTooLarge?: Said
}

/** Returns one JSON value per line, as events occur. */
export interface StreamRoute extends Omit<Route, 'result' | 'status'> {
  readonly event: z.ZodType
}

export function defineRoute<const R extends Route>(route: R): R {
  return route
}

export function defineStream<const R extends StreamRoute>(route: R): R {
  return route
}

export const can = (entity: Entity, operation: Operation): Access => ({ entity, operation })

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type Sent<T> = T extends z.ZodType ? z.input<T> : undefined

/** A handler's input, parsed and checked. */
export interface RouteInput<R extends Route | StreamRoute> {
  readonly params: Parsed<R['params']>
  readonly query: Parsed<R['query']>
  readonly body: Parsed<R['body']>
}

/** A caller's request. */
export interface RouteRequest<R extends Route | StreamRoute> {
  readonly params?: Sent<R['params']>
  readonly query?: Sent<R['query']>
  readonly body?: Sent<R['body']>
}

export type RouteResult<R extends Route> =
  | (R['result'] extends z.ZodType ? z.output<R['result']> : void)
  | (R extends { readonly alternative: { readonly result: infer A extends z.ZodType } } ? z.output<A> : never)
export type StreamEvent<R extends StreamRoute> = z.output<R['event']>

/**
 * A handler's result. It can be read-only. Where the contract accepts any JSON, it can contain any serializable
 * value.
 */
export type RouteAnswer<R extends Route> =
  | (R['result'] extends z.ZodType ? Written<z.input<R['result']>> : void)
  | (R extends { readonly alternative: { readonly result: infer A extends z.ZodType } }
      ? Written<z.input<A>>
      : never)
export type StreamAnswer<R extends StreamRoute> = Written<z.input<R['event']>>
type Written<T> = T extends object ? { readonly [K in keyof T]: Written<T[K]> } : T
