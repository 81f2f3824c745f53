import type { RunTrigger } from '../../../shared/contract/flow-runs.ts'
import { english } from '../../lib/i18n.ts'
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
