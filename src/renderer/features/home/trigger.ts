import type { Flow } from '../../../shared/contract/flows.ts'
import { t } from '../../lib/i18n.ts'

/** What starts a flow, in one word. */
export function faceOfTrigger({ steps }: Pick<Flow, 'steps'>): string {
  if (steps[0]?.type === 'webhook') return t('Webhook')
  if (steps[0]?.type === 'form_trigger') return t('Form')
  if (steps[0]?.type === 'schedule') return t('Schedule')
  return t('Manual')
}
