import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { t } from '../../lib/i18n.ts'

/**
 * The label of the button that resumes a run; null if the run can't be resumed. Pages are counted as in templates and
 * in a step's calls, where the first one is 0.
 */
export function resumeLabel({ status, error }: FlowRun): string | null {
  if ((status !== 'error' && status !== 'cancelled') || error?.code === 'stopped') return null
  const page = pageOf(error)
  const refId = error?.ref_id ?? null
  if (refId === null) return t('Resume')
  return page !== null && page > 0
    ? t('Resume from {{refId}}, page {{page}}', { refId, page })
    : t('Resume from {{refId}}', { refId })
}

function pageOf(error: FlowRun['error']): number | null {
  const data = error?.data
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  return typeof data['page'] === 'number' ? data['page'] : null
}
