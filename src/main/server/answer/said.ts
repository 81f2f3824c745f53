import type { IncomingMessage } from 'node:http'
import { SAID_HEADER } from '../../../shared/contract/base/conventions.ts'
import { withSaid } from '../../../shared/contract/base/message.ts'
import type { JsonCodec } from '../../services/kit/ports.ts'

/** Whether the caller is the page, which translates Millrace's sentences. */
export const wantsSaid = ({ headers }: Pick<IncomingMessage, 'headers'>) => headers[NAME] !== undefined
const NAME = SAID_HEADER.toLowerCase()

/** Writes a result as JSON. For the page, it includes the key and the values of each sentence. */
export function writerFor(
  json: Pick<JsonCodec, 'stringify'>,
  request: Pick<IncomingMessage, 'headers'>,
): (value: unknown) => string {
  return wantsSaid(request) ? (value) => json.stringify(withSaid(value)) : (value) => json.stringify(value)
}
