import { type Data, isDictionary } from '@millrace/jinja/data'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import { tellingPartsOf } from '../model/item-name.ts'

const MOST_PARTS = 2
const LONGEST_ANSWER = 80

/**
 * Describes a run of a flow without its own title: what identifies the input, and a short response, `A-1042 ·
 * grace@example.test → {"known_customer": true}`. Null if nothing identifies the input.
 */
export function titleOfRun(input: Data, answer: WebhookResponse | null): string | null {
  const parts = isDictionary(input) ? tellingPartsOf(input).slice(0, MOST_PARTS) : []
  if (parts.length === 0) return null
  const body = answer?.body ?? null
  const isTold = body !== null && body !== 'null' && body !== '' && body.length <= LONGEST_ANSWER
  return `${parts.join(' · ')}${isTold ? ` → ${body.replaceAll(/\s+/g, ' ')}` : ''}`
}
