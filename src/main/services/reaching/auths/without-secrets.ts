/** Removes the secrets of a call from everything it returns, because they must not get into the data of a run. */
import { quoted, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { Exchange, HeaderLine, OutgoingRequest, SendRequest } from '../../../engine/ports.ts'
import { createByteHider } from '../../../engine/redaction/hidden-bytes.ts'
import { RequestError } from '../../../engine/request/request-error.ts'

/**
 * The same sender, whose responses, errors and reports have `***` in place of these secrets. Those shorter than 12
 * characters stay, as they do in the history.
 */
export function withoutSecrets(send: SendRequest, secrets: readonly string[]): SendRequest {
  const hider = createByteHider(secrets)
  if (hider === null) return send
  const { hideText, hideBytes } = hider
  const hideLines = (lines: readonly HeaderLine[]) =>
    lines.map(([name, value]): HeaderLine => [hideText(name), hideText(value)])
  const hideAnswer = <T extends { readonly headers: readonly HeaderLine[]; readonly body: Uint8Array }>(
    answer: T,
  ): T => ({ ...answer, headers: hideLines(answer.headers), body: hideBytes(answer.body) })
  const hideExchange = (exchange: Exchange): Exchange => ({
    ...exchange,
    request: { ...exchange.request, ...hideRequest(exchange.request) },
    response: exchange.response && hideAnswer(exchange.response),
    error: exchange.error && hideText(exchange.error),
  })
  const hideRequest = ({ url, headers, body }: OutgoingRequest) => ({
    url: hideText(url),
    headers: hideLines(headers),
    body: typeof body === 'string' ? hideText(body) : body && hideBytes(body),
  })

  return async (request, options = {}) => {
    const { onExchange } = options
    const heard = onExchange && ((exchange: Exchange) => onExchange(hideExchange(exchange)))
    try {
      const response = hideAnswer(await send(request, { ...options, onExchange: heard }))
      const url = hideText(response.url)
      // A URL whose host was redacted would be unusable.
      return URL.canParse(url) ? { ...response, url } : response
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      const said = JSON.stringify(sentenceOf(error))
      if (hideText(said) === said && hideText(error.message) === error.message) throw error
      const { code, transient, delivered, status } = error
      // The cause is dropped, because it can contain the same secrets.
      throw new RequestError(code, quoted(hideText(error.message)), { transient, delivered, status })
    }
  }
}
