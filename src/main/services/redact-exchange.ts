import type { Exchange } from '../../shared/contract/flow-runs.ts'
import type { Redactor } from '../engine/redaction/redactor.ts'

/** A call as people may see it, its secrets as `***` and its bodies cut. */
export function redactExchange(exchange: Exchange, redactor: Redactor): Exchange {
  const { request, response, error } = exchange
  const shortened = (body: string | null) =>
    body === null ? null : redactor.redactText(body).slice(0, SHOWN_BODY_CHARACTERS)
  return {
    ...exchange,
    request: {
      ...request,
      url: redactor.redactText(request.url),
      headers: redactor.redactHeaders(request.headers),
      body: shortened(request.body),
    },
    response: response && {
      ...response,
      headers: redactor.redactHeaders(response.headers),
      body: shortened(response.body),
    },
    error: error === null ? null : redactor.redactText(error),
  }
}

const SHOWN_BODY_CHARACTERS = 16_384
