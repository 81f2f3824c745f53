/**
 * Conventions that apply to every endpoint of a kind, derived from its declaration, so that no endpoint can miss one.
 */
import type { Route, StreamRoute } from './route.ts'

/**
 * Whether the endpoint addresses a single record, or a single object such as the settings. If so, its responses have
 * an `ETag`, and its changes respect `If-Match`.
 */
export function isItem({ method, path, item }: Route | StreamRoute): boolean {
  return method !== 'POST' && (item === true || path.endsWith('/:id'))
}

/** The path of the record that the call changes under `If-Match`; null if the call ignores it. */
export function changedItem(route: Route | StreamRoute): string | null {
  return route.changes ?? (isItem(route) && route.method !== 'GET' ? route.path : null)
}

/** Whether the endpoint creates something, so that a repeated `Idempotency-Key` must not create it twice. */
export function isCreating(route: Route | StreamRoute): boolean {
  return route.method === 'POST' && 'status' in route && (route.status === 201 || route.status === 202)
}

/**
 * `/v1/connectors/:id/copy` → `/v1/connectors`; the `Location` of a new record is this plus its id. Null if nothing is
 * created.
 */
export function collectionOf(route: Route | StreamRoute): string | null {
  if (!('status' in route) || route.status !== 201) return null
  return route.collection ?? route.path.replace(/\/:[^]*/, '')
}

const KEPT_BY_PATH = [
  ['/v1/flows/:id', 'flow'],
  ['/v1/flow-runs/:id', 'run'],
  ['/v1/webhook-requests/:id', 'webhook_request'],
  ['/v1/connector-auths/:id', 'auth'],
] as const

/**
 * How a route enforces a token's limit to chosen flows and auths: by the record that `:id` names, by its service, or
 * not at all because it has nothing to do with them. Other routes are `closed` to such tokens, so that no route can
 * forget them.
 */
export function keptBy({ path, chosen }: Route | StreamRoute) {
  if (chosen !== undefined) return chosen
  const [, kept] = KEPT_BY_PATH.find(([root]) => path === root || path.startsWith(`${root}/`)) ?? []
  return kept ?? 'closed'
}

/** The hours for which a repeated key returns the response to its first request. */
export const IDEMPOTENCY_HOURS = 24

/** `true` in the response to a repeated request, which wasn't carried out again. */
export const REPLAYED_HEADER = 'Idempotent-Replayed'

/** Visible ASCII characters, which a header can contain. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * The ID of the user that the app or the owner's command line acts as; nobody else can use it. Defaults to
 * the local user.
 */
export const ACT_AS_HEADER = 'Millrace-User-Id'

/** Only for the app. With it, objects and errors with a `message` also have `said`, its key and values. */
export const SAID_HEADER = 'Millrace-Said'
