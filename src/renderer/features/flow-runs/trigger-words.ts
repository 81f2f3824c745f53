import type { RunTrigger } from '../../../shared/contract/flow-runs.ts'

export const TRIGGER_WORDS: { readonly [T in RunTrigger]: string } = {
  webhook: 'Webhook',
  schedule: 'Schedule',
  manual: 'By hand',
  flow: 'Other flow',
  replay: 'Replay',
}
