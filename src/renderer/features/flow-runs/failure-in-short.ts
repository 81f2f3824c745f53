import type { RunError } from '../../../shared/contract/flow-runs.ts'
import { t, translateMessage } from '../../lib/i18n.ts'

/** What failed and where, before the sentence that says why: `401 at users: …`. */
export function failureInShort(error: RunError): string {
  const message = translateMessage(error.message)
  const status = statusOf(error)
  if (status === null || error.ref_id === null) return message
  return t('{{status}} at {{refId}}: {{message}}', { status, refId: error.ref_id, message })
}

/** The status of the response that failed the step; null if it failed for another reason. */
export function statusOf({ data }: RunError): number | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  return typeof data['status'] === 'number' ? data['status'] : null
}
