import { type AlarmEvent, listAlarmsRoute } from '../../../shared/contract/alarms.ts'
import { resource } from '../../api/resource.ts'
import { type English, english } from '../../lib/i18n.ts'

/** Includes the alarms in the settings of flows. */
export const ALARMS = resource(listAlarmsRoute, { nouns: ['settings', 'flow'] })

export const EVENTS: { readonly [K in AlarmEvent]: English } = {
  failed: english('A flow failed'),
  silent: english('A flow is silent'),
  missed: english('A flow missed its time'),
  recovered: english('A flow works again'),
  run_failed: english('Each failed run'),
}
