import type { RunTrigger } from '../../../shared/contract/flow-runs.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { TRIGGER_WORDS } from '../../components/runs/trigger-words.ts'
import { t } from '../../lib/i18n.ts'

const TRIGGERS: Readonly<Record<string, RunTrigger>> = {
  webhook: 'webhook',
  form_trigger: 'form',
  schedule: 'schedule',
  list_trigger: 'list',
  sql_trigger: 'list',
  folder_trigger: 'folder',
  imap_trigger: 'mail',
}

/** What starts a flow, in one word or two. */
export function faceOfTrigger({ steps }: Pick<Flow, 'steps'>): string {
  return t(TRIGGER_WORDS[TRIGGERS[steps[0]?.type ?? ''] ?? 'manual'])
}
