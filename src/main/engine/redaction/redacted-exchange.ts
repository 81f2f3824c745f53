import { isAscii } from 'node:buffer'
import { type Exchange, type KeptExchange, MOST_BODY_CHARACTERS } from '../../../shared/contract/flow-runs.ts'
import { redactAndTruncateText } from './redacted-value.ts'
import { hideParameters, type Redactor } from './redactor.ts'

/** A call as it is shown, with secrets as `***` and bodies cut off. */
export function redactExchange(exchange: KeptExchange, redactor: Redactor): Exchange {
  const { request, response, ...rest } = redactKeptExchange(exchange, redactor)
  return {
    ...rest,
    request: { ...request, body: textOf(request.body) },
    response: response && { ...response, body: textOf(response.body) },
  }
}

/**
 * Like `redactExchange`, but for the history, where a body without secrets keeps its original bytes. The result is
 * cached until the set of secrets changes, so that a step in progress can be written again, and its calls can be
 * prepared in advance.
 */
export function redactKeptExchange(exchange: KeptExchange, redactor: Redactor): KeptExchange {
  const { whole = false, ...rest } = exchange
  const { request, response, error } = rest
  const shown = (text: string) => hideParameters(redactor.redactText(text))
  const shorten = { shown, most: whole ? Infinity : MOST_BODY_CHARACTERS }
  return {
    ...rest,
    request: {
      ...request,
      url: shown(request.url),
      headers: redactor.redactHeaders(request.headers),
      body: knownBody(request.body, redactor, shorten),
    },
    response: response && {
      ...response,
      headers: redactor.redactHeaders(response.headers),
      body: knownBody(response.body, redactor, shorten),
    },
    error: error === null ? null : shown(error),
  }
}

function knownBody(
  body: string | Uint8Array | null,
  redactor: Redactor,
  shorten: Shorten,
): string | Uint8Array | null {
  if (!(body instanceof Uint8Array)) return shownBody(body, shorten)
  const { state } = redactor
  const known = knownBodies.get(body)
  if (known?.redactor === redactor && known.state === state) return known.result
  const result = shownBody(body, shorten)
  knownBodies.set(body, { redactor, state, result })
  return result
}

const knownBodies = new WeakMap<
  Uint8Array,
  { readonly redactor: Redactor; readonly state: object; readonly result: string | Uint8Array | null }
>()

interface Shorten {
  readonly shown: (text: string) => string
  readonly most: number
}

/** The kept body is longer, so that a secret across the cut is recognized as a whole. */
function shownBody(body: string | Uint8Array | null, { shown, most }: Shorten): string | Uint8Array | null {
  if (body === null) return null
  const shorten = (text: string) => redactAndTruncateText(text, most, { redactText: shown })
  if (typeof body === 'string') return shorten(body)
  if (!isAscii(body)) return shorten(UTF8.decode(body))
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  if (shown(text) !== text) return shorten(text)
  if (body.length <= most) return body
  return Buffer.concat([body.subarray(0, most), ELLIPSIS])
}

function textOf(body: string | Uint8Array | null): string | null {
  return body === null || typeof body === 'string' ? body : UTF8.decode(body)
}

const ELLIPSIS = Buffer.from('…')
const UTF8 = new TextDecoder()
