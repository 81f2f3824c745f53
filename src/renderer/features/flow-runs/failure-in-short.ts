import type { RunError } from '../../../shared/contract/flow-runs.ts'
import { saidBy, t, translateMessage } from '../../lib/i18n.ts'
import { partOf, statusOfError, withoutStep } from '../../lib/steps-within.ts'

/** What failed and where: `401 at users`. Null if no step did. */
export function causeOf(refId: string | null, status: number | null): string | null {
  if (refId === null) return null
  return status === null ? t('at {{refId}}', { refId }) : t('{{status}} at {{refId}}', { status, refId })
}

/**
 * A short reason for the failure: the API's message, otherwise the error without the step, which is shown next to it.
 */
export function reasonOf(error: RunError): string {
  const reply = replyIn(error)
  if (statusOfError(error) !== null && reply !== undefined) return reply
  const { message, said } = withoutStep(error)
  return translateMessage(message, { said })
}

/** `Read all users: 401 from api.shop.test — token expired`; without a title, by the step's reference name. */
export function failureInShort(error: RunError, title = ''): string {
  if (error.ref_id === null) return translateMessage(error.message, error)
  const refId = title === '' ? error.ref_id : title
  const status = statusOfError(error)
  const host = hostIn(error)
  if (status === null || host === undefined) return `${refId}: ${reasonOf(error)}`
  const place = t('{{refId}}: {{status}} from {{host}}', { refId, status, host })
  const reply = replyIn(error)
  return reply === undefined ? place : `${place} — ${reply}`
}

/** The host of the URL that returned the status. */
function hostIn(error: RunError): string | undefined {
  const place = partOf(saidBy(error), '{{place}} returned status {{status}}')?.params['place']
  return typeof place === 'string' ? URL.parse(place.slice(place.indexOf(' ') + 1))?.host : undefined
}

/** The message in the JSON of the response, whose beginning the error quotes. */
function replyIn(error: RunError): string | undefined {
  const { excerpt } = partOf(saidBy(error), '{{first}}: {{excerpt}}')?.params ?? {}
  return typeof excerpt === 'string' ? REPLY.exec(excerpt)?.[1] : undefined
}

const REPLY = /"(?:message|error_description|error|detail|title)"\s*:\s*"((?:[^"\\]|\\.)+)"/s
