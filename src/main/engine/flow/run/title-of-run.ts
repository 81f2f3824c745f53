import { tellingValues } from '../../../../shared/telling-values.ts'
import { type Data, entriesOf, isDictionary, MANY_KEYS } from '@millrace/jinja/data'
import { isSecretParameter } from '../../redaction/redactor.ts'
import type { WebhookResponse } from '../../webhook/build-response.ts'

const MOST_PARTS = 2
const LONGEST_ANSWER = 80

/**
 * Describes a run of a flow without a title of its own: what identifies the input, and a short response, `A-1042 ·
 * grace@example.test → {"known_customer": true}`. Null if nothing identifies the input.
 */
export function titleOfRun(input: Data, answer: WebhookResponse | null): string | null {
  const parts = isDictionary(input) ? tellingValues(input, smallEntriesOf).slice(0, MOST_PARTS) : []
  if (parts.length === 0) return null
  const body = answer?.body ?? null
  const isTold = body !== null && body !== 'null' && body !== '' && body.length <= LONGEST_ANSWER
  return `${parts.join(' · ')}${isTold ? ` → ${body.replaceAll(/\s+/g, ' ')}` : ''}`
}

/**
 * Without what its name hides everywhere else. Copying an object with very many keys costs more than it contributes to
 * a title.
 */
function smallEntriesOf(value: Data): [string, Data][] | null {
  const isLarge = value instanceof Map && value.size > MANY_KEYS
  return isDictionary(value) && !isLarge
    ? entriesOf(value).filter(([name]) => !isSecretParameter(name))
    : null
}
