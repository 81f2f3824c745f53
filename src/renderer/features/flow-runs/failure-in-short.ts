import type { RunError } from '../../../shared/contract/flow-runs.ts'
import { t, translateMessage } from '../../lib/i18n.ts'
import { statusOfError } from '../../lib/steps-within.ts'

/** What failed and where: `401 at users`. Null if no step did. */
export function causeOf(refId: string | null, status: number | null): string | null {
  if (refId === null) return null
  return status === null ? t('at {{refId}}', { refId }) : t('{{status}} at {{refId}}', { status, refId })
}

/** Why it failed, briefly: the API's message, otherwise the error without the step, which is shown next to it. */
export function reasonOf(error: RunError): string {
  const said = saidIn(error.message)
  if (statusOfError(error) !== null && said !== undefined) return said
  const step = `Step "${error.ref_id}": `
  return translateMessage(error.message.startsWith(step) ? error.message.slice(step.length) : error.message)
}

/** `users: 401 from api.shop.test — token expired` */
export function failureInShort(error: RunError): string {
  if (error.ref_id === null) return translateMessage(error.message)
  const status = statusOfError(error)
  const host = HOST.exec(error.message)?.[1]
  if (status === null || host === undefined) return `${error.ref_id}: ${reasonOf(error)}`
  const place = t('{{refId}}: {{status}} from {{host}}', { refId: error.ref_id, status, host })
  const said = saidIn(error.message)
  return said === undefined ? place : `${place} — ${said}`
}

/** Matches the error about a response: `GET https://api.shop.test/users returned status 401: {"error": "…"}`. */
const HOST = /\b[A-Z]+ https?:\/\/([^/\s?#]+)(?:[/?#]\S*)? returned status \d+/

/** What the response said, after its status. */
function saidIn(message: string): string | undefined {
  const status = /returned status \d{3}[^:]{0,200}: /.exec(message)
  return status === null ? undefined : SAID.exec(message.slice(status.index))?.[1]
}

const SAID = /"(?:message|error_description|error|detail|title)"\s*:\s*"((?:[^"\\]|\\.)+)"/s
