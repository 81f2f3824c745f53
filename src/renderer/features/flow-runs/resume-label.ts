import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { t } from '../../lib/i18n.ts'

/**
 * What the button says that goes on with a run; null where the run cannot be gone on with. Pages are counted as templates
 * and the calls of a step count them: the first one is 0.
 */
export function resumeLabel({ status, error }: FlowRun): string | null {
  if ((status !== 'error' && status !== 'cancelled') || error?.code === 'stopped') return null
  const page = pageOf(error)
  if (page !== null && page > 0) return t('Continue from page {{page}}', { page })
  return error?.ref_id ? t('Continue from {{refId}}', { refId: error.ref_id }) : t('Continue')
}

function pageOf(error: FlowRun['error']): number | null {
  const data = error?.data
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  return typeof data['page'] === 'number' ? data['page'] : null
}
