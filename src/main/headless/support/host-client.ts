/** Calls the routes of a running Millrace, in this process or another one. */
import { quoted } from '../../../shared/contract/base/message.ts'
import { type IncomingMessage, request as sendHttp } from 'node:http'
import { request as sendHttps } from 'node:https'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, ERROR_STATUS, type ErrorCode } from '../../../shared/contract/base/errors.ts'
import type {
  Route,
  RouteRequest,
  RouteResult,
  StreamEvent,
  StreamRoute,
} from '../../../shared/contract/base/route.ts'
import { createFileUploadRoute, type FileUpload } from '../../../shared/contract/file-uploads.ts'
import { type Data, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'

export type HostClient = ReturnType<typeof createHostClient>

export function createHostClient(url: string, bearer: string) {
  return {
    url,
    /** The page's URL with the session that opens it. */
    sessionUrl: sessionUrlOf(url, bearer),
    /** @throws AppError from the host's response */
    async call<R extends Route>(route: R, request: RouteRequest<R> = {}): Promise<RouteResult<R>> {
      const response = await sendWhenReady(url, bearer, route, request)
      const body = await readBody(url, response)
      if (statusOf(response) >= 400) throw toError(statusOf(response), body)
      return readJson(body)
    },
    /** Sends a string as an uploaded file. */
    async upload(filename: string, content: string): Promise<FileUpload> {
      const response = await sendWhenReady(
        url,
        bearer,
        createFileUploadRoute,
        { query: { filename } },
        content,
      )
      const body = await readBody(url, response)
      if (statusOf(response) >= 400) throw toError(statusOf(response), body)
      return readJson(body)
    },
    /** One value per line, as they arrive. Leaving the loop ends the stream, and so does the signal, with its reason. */
    async *stream<R extends StreamRoute>(
      route: R,
      signal: AbortSignal,
      request: RouteRequest<R> = {},
    ): AsyncGenerator<StreamEvent<R>, void, void> {
      const response = await sendWhenReady(url, bearer, route, request)
      if (statusOf(response) >= 400) throw toError(statusOf(response), await readBody(url, response))
      const lines = createInterface({ input: response })
      const end = () => {
        lines.close()
        response.destroy()
      }
      signal.addEventListener('abort', end)
      try {
        for await (const line of lines) {
          signal.throwIfAborted()
          if (line !== '') yield readJson(line)
        }
      } finally {
        signal.removeEventListener('abort', end)
        response.destroy()
      }
      signal.throwIfAborted()
      if (!response.complete) throw unreachable(url)
    },
  }
}

/** `never` fits every result type: the types of a call come from the route's declaration. */
function readJson(text: string): never {
  return (text === '' ? undefined : parseJson(text, OWN_JSON_LIMITS)) as never
}

/** In the fragment, which servers and logs never see. */
export const sessionUrlOf = (url: string, bearer: string): string => `${url}/#session=${bearer}`

/** A host that has just started to listen returns 503 for a moment. */
const MAX_TRIES = 20

async function sendWhenReady(url: string, ...call: Call): Promise<IncomingMessage> {
  for (let tries = 1; ; tries++) {
    const response = await send(url, ...call)
    if (response.statusCode !== 503 || tries === MAX_TRIES) return response
    response.resume()
    await sleep(1_000 * Number(response.headers['retry-after'] ?? 1))
  }
}

type Call = [
  bearer: string,
  route: Route | StreamRoute,
  request: RouteRequest<Route | StreamRoute>,
  /** The content of an upload, instead of a body. */
  content?: string,
]

/** No time limit: waiting for a flow run can take an hour. */
function send(url: string, ...[bearer, route, request, content]: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sendRequest = url.startsWith('https:') ? sendHttps : sendHttp
    const sent = sendRequest(url + pathOf(route, request), {
      method: route.method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', Connection: 'close' },
    })
    sent.once('error', (cause) => reject(unreachable(url, cause)))
    sent.once('response', resolve)
    sent.end(content ?? (request.body === undefined ? undefined : writeJson(request.body as Data)))
  })
}

const statusOf = ({ statusCode = 0 }: IncomingMessage) => statusCode

async function readBody(url: string, response: IncomingMessage): Promise<string> {
  try {
    return await readText(response)
  } catch (cause) {
    throw unreachable(url, cause)
  }
}

function unreachable(url: string, cause?: unknown): HostError {
  return new HostError(EXIT.failed, `The running Millrace doesn't respond at ${url}`, { cause })
}

/** Fills the parameters into `/v1/flows/:id` and adds the query. */
function pathOf(route: Route | StreamRoute, { params, query }: RouteRequest<Route | StreamRoute>): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const item of [value].flat()) search.append(name, String(item))
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

function toError(status: number, body: string): Error {
  try {
    const { error, message, data } = JSON.parse(body) as { error: string; message: string; data: unknown }
    if (Object.hasOwn(ERROR_STATUS, error)) return new AppError(error as ErrorCode, quoted(message), { data })
  } catch {
    // Not our error format; reported below.
  }
  return new HostError(EXIT.failed, `The server at this URL returned ${status}, and isn't Millrace`)
}
