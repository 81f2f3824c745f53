/** HTTP exchanges as a HAR 1.2 file, which browsers' developer tools and HTTP debuggers can open. */
import type { Exchange } from './contract/flow-runs.ts'

export interface HarCall {
  readonly exchange: Exchange
  /** The origin of the call. */
  readonly comment: string
}

export interface Har {
  readonly log: {
    readonly version: '1.2'
    readonly creator: { readonly name: string; readonly version: string }
    readonly entries: readonly Readonly<Record<string, unknown>>[]
  }
}

export function toHar(calls: readonly HarCall[], version: string): Har {
  return { log: { version: '1.2', creator: { name: 'Millrace', version }, entries: calls.map(toEntry) } }
}

/** Unknown values are -1 or empty, as the format requires. */
function toEntry({ exchange, comment }: HarCall) {
  const { started_at: startedAt, duration_ms: time, request, response, error } = exchange
  return {
    startedDateTime: startedAt,
    time,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toList(request.headers),
      queryString: queryOf(request.url),
      ...(request.body !== null && {
        postData: { mimeType: typeOf(request.headers), params: [], text: request.body },
      }),
      headersSize: -1,
      bodySize: request.body === null ? 0 : -1,
    },
    response: {
      // A call without a response has the status 0, as browsers write it.
      status: response?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toList(response?.headers ?? {}),
      content: {
        size: response?.bytes ?? 0,
        mimeType: typeOf(response?.headers ?? {}),
        ...(typeof response?.body === 'string' && { text: response.body }),
      },
      redirectURL: headerOf(response?.headers ?? {}, 'location') ?? '',
      headersSize: -1,
      bodySize: response?.bytes ?? -1,
      ...(error !== null && { _error: error }),
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment,
  }
}

type Headers = Readonly<Record<string, string>>

const toList = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }))

const headerOf = (headers: Headers, wanted: string) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]

const typeOf = (headers: Headers) => headerOf(headers, 'content-type') ?? 'application/octet-stream'

function queryOf(url: string): { readonly name: string; readonly value: string }[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? ''
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return { name: decode(name), value: decode(value.join('=')) }
    })
}

/** Leaves a part that isn't correctly encoded unchanged. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}
