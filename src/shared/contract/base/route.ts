/** How an endpoint is declared: once, here in the contract; the server mounts it and the page calls it. */
import type { z } from 'zod'
import type { Entity, Operation } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * Who may call. `open`: nobody is asked. `any-token`: every valid token. `list-tokens`, `manage-tokens`: the rules of
 * the token endpoints. Else the entity and the operation that a scope must cover; a list means all of them.
 * `session`: the page and the owner's command line alone. They may call everything.
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
  /** Express form: `/v1/flows/:id`. */
  readonly path: `/v1/${string}`
  readonly summary: string
  /** What the operation is called where its address does not say it well: `rotate_webhook_token`. */
  readonly name?: string
  readonly access: Access
  readonly status: 200 | 201 | 202 | 204
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** True where a request without a body means `{}`. */
  readonly bodyOptional?: boolean
  /** Keys of the record that a body may carry and that are ignored, so that GET → edit → PUT works. */
  readonly readOnly?: readonly string[]
  /** Absent: 204 without a body. */
  readonly result?: z.ZodType
  /** Keys of the result that are told once: a repeated `Idempotency-Key` is answered without them. */
  readonly once?: readonly string[]
  /** Where what was made is to be found, where the path does not begin with it. */
  readonly collection?: `/v1/${string}`
  /** True where the body is a file: in a multipart form, or as it is. */
  readonly upload?: true
  /** True where the answer is the bytes of a file. */
  readonly download?: true
  /** True for a single object whose path does not end in `/:id`. */
  readonly item?: true
  /** True where calls are counted: one too many is refused with 429. */
  readonly rateLimited?: true
  /** The path of the record that a POST changes, which heeds `If-Match` as PUT does. */
  readonly changes?: `/v1/${string}/:id`
  /** `large`: the webhook's and previews' limit instead of the ordinary one. */
  readonly bodyLimit?: 'ordinary' | 'large'
  /** What to do with a larger body, as the end of a sentence. */
  readonly whenTooLarge?: string
}

/** Answers one JSON value a line, as things happen. */
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

/** What a handler receives: parsed and checked. */
export interface RouteInput<R extends Route | StreamRoute> {
  readonly params: Parsed<R['params']>
  readonly query: Parsed<R['query']>
  readonly body: Parsed<R['body']>
}

/** What a caller sends. */
export interface RouteRequest<R extends Route | StreamRoute> {
  readonly params?: Sent<R['params']>
  readonly query?: Sent<R['query']>
  readonly body?: Sent<R['body']>
}

export type RouteResult<R extends Route> = R['result'] extends z.ZodType ? z.output<R['result']> : void
export type StreamEvent<R extends StreamRoute> = z.output<R['event']>

/** What a handler returns: it may be read-only, and where the contract allows any JSON, any value that can be written as such. */
export type RouteAnswer<R extends Route> = R['result'] extends z.ZodType
  ? Written<z.input<R['result']>>
  : void
export type StreamAnswer<R extends StreamRoute> = Written<z.input<R['event']>>
type Written<T> = T extends object ? { readonly [K in keyof T]: Written<T[K]> } : T
