import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { Agent, Dispatcher } from 'undici'
import type { HeaderLine, OutgoingRequest } from '../ports.ts'
import { BodyReader, type BodyLimits } from './body-reader.ts'
import { decodeHeader, encodeHeader, headerValue } from './headers.ts'
import { placeOf, RequestError } from './request-error.ts'

export interface ExchangeOptions {
  readonly headersTimeoutMs: number
  readonly silenceTimeoutMs: number
  readonly limits: BodyLimits
  readonly stop: Stop
}

/** Ends an exchange from outside; the reason becomes its error. */
export interface Stop {
  /** Sets the listener; null removes it. */
  onStop(listener: ((reason: RequestError) => void) | null): void
}

export interface RawResponse {
  readonly status: number
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
  readonly wireBytes: number
}

/**
 * One request and its complete response; redirects are not followed.
 *
 * @param url the request's URL, parsed
 * @throws RequestError
 */
export function exchange(
  agent: Agent,
  request: OutgoingRequest,
  url: URL,
  options: ExchangeOptions,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(request, options, resolve, reject)
    try {
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method,
          headers: request.headers.flatMap(([name, value]) => [name, encodeHeader(value)]),
          body: request.body,
          headersTimeout: options.headersTimeoutMs,
          bodyTimeout: options.silenceTimeoutMs,
        },
        handler,
      )
    } catch (error) {
      handler.fail(error)
    }
  })
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: OutgoingRequest
  readonly #options: ExchangeOptions
  readonly #resolve: (answer: RawResponse) => void
  readonly #reject: (error: RequestError) => void
  #controller: Dispatcher.DispatchController | undefined
  #reader: BodyReader | undefined
  #settled = false

  constructor(
    request: OutgoingRequest,
    options: ExchangeOptions,
    resolve: (answer: RawResponse) => void,
    reject: (error: RequestError) => void,
  ) {
    this.#request = request
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    options.stop.onStop((reason) => this.#abort(reason))
  }

  /** Called when the request is written; a call that was stopped while waiting for a connection ends here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) return controller.abort(new Error('stopped'))
    this.#controller = controller
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    const headers = headerLines(controller.rawHeaders)
    const place = `${this.#request.method} ${placeOf(this.#request.url)}`
    try {
      this.#reader = new BodyReader(headerValue(headers, 'content-encoding'), place, this.#options.limits, {
        onFull: () => controller.pause(),
        onDrain: () => controller.resume(),
        onError: (error) => this.#abort(error),
        onEnd: (body) => {
          const wireBytes = this.#reader?.wireBytes ?? 0
          if (this.#settle()) this.#resolve({ status, headers, body, wireBytes })
        },
      })
    } catch (error) {
      this.#abort(error)
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reader?.write(chunk)
  }

  onResponseEnd(): void {
    this.#reader?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  fail(error: unknown): void {
    if (!this.#settle()) return
    this.#reader?.destroy()
    this.#reject(toRequestError(error, this.#request, this.#controller !== undefined))
  }

  #abort(error: unknown): void {
    this.fail(error)
    this.#controller?.abort(error instanceof Error ? error : new Error('stopped'))
  }

  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#options.stop.onStop(null)
    return true
  }
}

function headerLines(raw: Dispatcher.DispatchController['rawHeaders']): HeaderLine[] {
  const lines: HeaderLine[] = []
  if (!Array.isArray(raw)) return lines
  for (let at = 0; at + 1 < raw.length; at += 2) lines.push([headerText(raw[at]), headerText(raw[at + 1])])
  return lines
}

function headerText(part: Buffer | string | undefined): string {
  return typeof part === 'string' ? part : part === undefined ? '' : decodeHeader(part)
}

/** `written` means that the request got a connection, so the server may have acted on it. */
function toRequestError(error: unknown, request: OutgoingRequest, written: boolean): RequestError {
  if (error instanceof RequestError) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const code = codeOf(cause)
  const place = `${request.method} ${placeOf(request.url)}`
  const delivered = written
  if (TIMEOUTS[code]) {
    return new RequestError('timeout', say('{{place}}: {{why}}', { place, why: TIMEOUTS[code] }), {
      transient: true,
      delivered,
      cause,
    })
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new RequestError(
      'response_too_large',
      say('{{place}} responded with more headers than can be read', { place }),
      {
        cause,
      },
    )
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return new RequestError(
      'http_error',
      say("{{place}} can't be sent: {{cause}}", { place, cause: cause.message }),
      {
        delivered: false,
        cause,
      },
    )
  }
  const certificate = /CERT|SELF_SIGNED|ALTNAME|ERR_TLS|ERR_SSL/.test(code)
  return new RequestError(
    'http_error',
    say('{{place}}: {{why}}', {
      place,
      why: REASONS[code] ?? say('the connection failed ({{message}})', { message: cause.message }),
    }),
    {
      transient: !certificate,
      delivered,
      cause,
    },
  )
}

/** If several addresses failed, the error is an AggregateError with the code of the first failure. */
function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : ''
}

const TIMEOUTS: Record<string, Said | undefined> = {
  UND_ERR_CONNECT_TIMEOUT: say('timed out while connecting'),
  UND_ERR_HEADERS_TIMEOUT: say('timed out waiting for a response'),
  UND_ERR_BODY_TIMEOUT: say('the response was cut off'),
  ETIMEDOUT: say('timed out while connecting'),
}

const REASONS: Record<string, Said | undefined> = {
  ECONNREFUSED: say('connection refused; is the server running, and is the port right?'),
  ECONNRESET: say('the server closed the connection before the response was complete'),
  EPIPE: say('the server closed the connection before the response was complete'),
  UND_ERR_SOCKET: say('the server closed the connection before the response was complete'),
  ENOTFOUND: say('host not found; check the name and your network'),
  EAI_AGAIN: say("the host name couldn't be resolved; check your network"),
  EHOSTUNREACH: say("the host can't be reached from this network"),
  ENETUNREACH: say("the host can't be reached from this network"),
}
