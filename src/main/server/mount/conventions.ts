/** Adds `ETag`, `If-Match` and `Idempotency-Key` to the handlers of the routes that support them. */
import { changedItem, isCreating, isItem } from '../../../shared/contract/base/conventions.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { Route } from '../../../shared/contract/base/route.ts'
import type { Caller } from '../../services/kit/caller.ts'
import type { JsonAnswer } from '../answer/send.ts'
import type { App, MountedPath } from './app.ts'
import type { RouteCall } from './receive.ts'
import { hash } from 'node:crypto'

export interface Mounting {
  readonly app: App
  readonly route: Route
  readonly mounted: MountedPath
}

type Respond<R extends Route> = (call: RouteCall<R>) => Promise<JsonAnswer>

export function withConventions<R extends Route>(mounting: Mounting, respond: Respond<R>): Respond<R> {
  if (isCreating(mounting.route)) return onceUnderItsKey(mounting, respond)
  const changed = changedItem(mounting.route)
  const respondIfMatching = changed === null ? respond : onlyIfMatching(mounting.app, changed, respond)
  if (!isItem(mounting.route)) return respondIfMatching
  if (mounting.route.method === 'GET') return tagged(respond, (_, { text }) => text)
  // The response to a save can contain more than the record as it is read later.
  const recordOf = ({ params, caller, request }: RouteCall<R>, { text }: JsonAnswer) =>
    text === null ? null : (mounting.mounted.read?.({ params, caller, request }) ?? text)
  return tagged(respondIfMatching, recordOf)
}

/** @param recordOf the string to compute the tag from */
function tagged<R extends Route>(
  respond: Respond<R>,
  recordOf: (call: RouteCall<R>, answer: JsonAnswer) => string | null,
): Respond<R> {
  return async (call) => {
    const answer = await respond(call)
    const record = recordOf(call, answer)
    if (record === null || answer.rest !== undefined) return answer
    const tag = entityTag(record)
    const known = call.request.method === 'PUT' ? undefined : call.request.headers['if-none-match']
    const headers = { ...answer.headers, ETag: tag }
    if (known !== undefined && namesTag(known, tag, { weak: true })) {
      return { status: 304, headers, text: null }
    }
    return { ...answer, headers }
  }
}

/** When a record is changed or deleted, it must still be the version named by `If-Match`. */
function onlyIfMatching<R extends Route>(app: App, path: string, respond: Respond<R>): Respond<R> {
  return (call) => {
    const wanted = call.request.headers['if-match']
    if (wanted === undefined) return respond(call)
    const isMet = () => {
      const { params, caller, request } = call
      const text = app.paths.get(path)?.read?.({ params, caller, request })
      return text !== undefined && namesTag(wanted, entityTag(text), { weak: false })
    }
    return app.services.preconditions.during({ isMet, refusal: changedMeanwhile }, () => respond(call))
  }
}

function changedMeanwhile(): AppError {
  return new AppError(
    'precondition_failed',
    say('The record has changed since you read it (If-Match); read it again and retry'),
  )
}

function onceUnderItsKey<R extends Route>({ app, route }: Mounting, respond: Respond<R>): Respond<R> {
  const { idempotency, json } = app.services
  const keep = (answer: JsonAnswer) => withoutSecrets(answer, route.once, json)
  return (call) => {
    const { request, body } = call
    const key = request.headers['idempotency-key']
    if (key === undefined || call.caller === null) return respond(call)
    const parts = [request.method, request.url, json.stringify(body ?? null)]
    const caller: Caller = call.caller
    return idempotency.once({ caller, key: String(key), parts, keep }, () => respond(call))
  }
}

function withoutSecrets(answer: JsonAnswer, once: Route['once'], json: App['services']['json']): JsonAnswer {
  if (once === undefined || answer.text === null) return answer
  const record = json.parse(answer.text) as Record<string, unknown>
  const kept = Object.entries(record).filter(([name]) => !once.includes(name))
  return { ...answer, text: json.stringify(Object.fromEntries(kept)) }
}

/** A strong entity tag, which is the same as long as the record's JSON, as its caller sees it, stays the same. */
function entityTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`
}

/**
 * Whether `If-Match` or `If-None-Match` names this tag. RFC 9110 13.1: a list of tags, or `*` for any.
 *
 * @param weak whether `W/"…"` matches its strong counterpart, as `If-None-Match` requires
 */
function namesTag(header: string, tag: string, { weak }: { readonly weak: boolean }): boolean {
  return header.split(',').some((part) => {
    const named = part.trim()
    return named === '*' || named === tag || (weak && named === `W/${tag}`)
  })
}
