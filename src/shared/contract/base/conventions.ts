/** What holds for every endpoint of a kind, told from its declaration alone, so that no endpoint can forget it. */
import type { Route, StreamRoute } from './route.ts'

/** A single record, or a single object such as the settings: its answers carry `ETag`, its changes heed `If-Match`. */
export function isItem({ method, path, item }: Route | StreamRoute): boolean {
  return method !== 'POST' && (item === true || path.endsWith('/:id'))
}

/** Where the record is read that the call changes under `If-Match`; null where the call heeds none. */
export function changedItem(route: Route | StreamRoute): string | null {
  return route.changes ?? (isItem(route) && route.method !== 'GET' ? route.path : null)
}

/** It makes something, so that a repeated `Idempotency-Key` must not make it twice. */
export function isCreating(route: Route | StreamRoute): boolean {
  return route.method === 'POST' && 'status' in route && (route.status === 201 || route.status === 202)
}

/** `/v1/connectors/:id/copy` → `/v1/connectors`; `Location` of what was made is this and its id. Null where nothing is. */
export function collectionOf(route: Route | StreamRoute): string | null {
  if (!('status' in route) || route.status !== 201) return null
  return route.collection ?? route.path.replace(/\/:.*$/, '')
}

/** How long a repeated key answers what the first request with it was answered. */
export const IDEMPOTENCY_HOURS = 24

/** Visible ASCII, as a header can carry it. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Of the page and the owner's command line alone: the id of the user as whom they act; absent: the local user. */
export const ACT_AS_HEADER = 'Millrace-User-Id'
