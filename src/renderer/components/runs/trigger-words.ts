import type { FlowRun, RunTrigger } from '../../../shared/contract/flow-runs.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'

export const TRIGGER_WORDS: { readonly [T in RunTrigger]: English } = {
  webhook: english('Webhook'),
  schedule: english('Schedule'),
  manual: english('Manual'),
  flow: english('Another flow'),
  replay: english('Replay'),
  list: english('New entry'),
  folder: english('File'),
  form: english('Form'),
  mail: english('Email'),
  test: english('Editor test'),
}

/** What started a run, with the step if its flow has several triggers. */
export function startOf({ trigger, trigger_ref: ref }: Pick<FlowRun, 'trigger' | 'trigger_ref'>): string {
  return ref === undefined ? t(TRIGGER_WORDS[trigger]) : `${t(TRIGGER_WORDS[trigger])} · ${ref}`
}
