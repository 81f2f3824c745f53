import type { RunError } from '../../../shared/contract/flow-runs.ts'
import { t, translateMessage } from '../../lib/i18n.ts'
import { statusOfError } from '../../lib/steps-within.ts'

/** What failed and where, before the sentence that says why: `401 at users: …`. */
export function failureInShort(error: RunError): string {
  const message = translateMessage(error.message)
  const status = statusOfError(error)
  if (status === null || error.ref_id === null) return message
  return t('{{status}} at {{refId}}: {{message}}', { status, refId: error.ref_id, message })
}
