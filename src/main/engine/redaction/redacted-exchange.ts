import { type Exchange, MOST_BODY_CHARACTERS } from '../../../shared/contract/flow-runs.ts'
import { redactAndTruncateText } from './redacted-value.ts'
import { hideParameters, type Redactor } from './redactor.ts'

/** A call as it is shown: secrets as `***`, bodies cut. */
export function redactExchange(exchange: Exchange, redactor: Redactor): Exchange {
  const { request, response, error } = exchange
  const shown = (text: string) => hideParameters(redactor.redactText(text))
  const shorten = (body: string | null) =>
    // The stored record is longer, so that a secret across the cut is recognized as a whole.
    body === null
      ? null
      : redactAndTruncateText(body, MOST_BODY_CHARACTERS, {
          redactText: (text) => shown(text),
        })
  return {
    ...exchange,
    request: {
      ...request,
      url: shown(request.url),
      headers: redactor.redactHeaders(request.headers),
      body: shorten(request.body),
    },
    response: response && {
      ...response,
      headers: redactor.redactHeaders(response.headers),
      body: shorten(response.body),
    },
    error: error === null ? null : shown(error),
  }
}
