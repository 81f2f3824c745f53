/** Calls the routes of a running Millrace, this process's own or another's. */
import { request as sendRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, ERROR_STATUS, type ErrorCode } from '../../shared/contract/errors.ts'
import type { Route, RouteRequest, RouteResult } from '../../shared/contract/route.ts'
import { parseJson, writeJson } from '../engine/data/json.ts'
import { EXIT, HostError } from '../exit-codes.ts'

export interface HostClient {
  readonly url: string
  /** The page's address with the session that opens it. */
  readonly sessionUrl: string
  /** @throws AppError what the host answered */
  call<R extends Route>(route: R, request?: RouteRequest<R>): Promise<RouteResult<R>>
}

export function createHostClient(url: string, bearer: string): HostClient {
  return {
    url,
    sessionUrl: sessionUrlOf(url, bearer),
    async call(route, request = {}) {
      const answer = await sendWhenReady(url, bearer, route, request)
      if (answer.status >= 400) throw toError(answer)
      return (answer.body === '' ? undefined : parseJson(answer.body)) as never
    },
  }
}

/** In the fragment, which no server and no log ever sees. */
export const sessionUrlOf = (url: string, bearer: string): string => `${url}/#session=${bearer}`

interface Answer {
  readonly status: number
  readonly body: string
  readonly retryAfterMs: number
}

/** A host that has just begun to listen answers 503 for a moment. */
const MAX_TRIES = 20

async function sendWhenReady(...call: Parameters<typeof send>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send(...call)
    if (answer.status !== 503 || tries === MAX_TRIES) return answer
    await sleep(answer.retryAfterMs)
  }
}

/** No time limit: a flow run that is waited for may take its hour. */
function send(url: string, bearer: string, route: Route, request: RouteRequest<Route>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const unreachable = (cause: Error) =>
      reject(new HostError(EXIT.failed, `The running Millrace does not answer at ${url}`, { cause }))
    const sent = sendRequest(url + pathOf(route, request), {
      method: route.method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', Connection: 'close' },
    })
    sent.once('error', unreachable)
    sent.once('response', (response) => {
      const retryAfterMs = 1_000 * Number(response.headers['retry-after'] ?? 1)
      readText(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, body, retryAfterMs }),
        unreachable,
      )
    })
    sent.end(request.body === undefined ? undefined : writeJson(request.body as never))
  })
}

/** `/v1/flows/:id` with its parameters and query. */
function pathOf(route: Route, { params, query }: RouteRequest<Route>): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const item of [value].flat()) search.append(name, String(item))
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

function toError({ status, body }: Answer): Error {
  try {
    const { error, message, data } = JSON.parse(body) as { error: string; message: string; data: unknown }
    if (Object.hasOwn(ERROR_STATUS, error)) return new AppError(error as ErrorCode, message, { data })
  } catch {
    // Not our envelope; said below.
  }
  return new HostError(EXIT.failed, `The address answered ${status}, and not as Millrace does`)
}
