import type { Flow } from '../../../shared/contract/flows.ts'
import { definitionOf } from '../../../shared/contract/step-types/index.ts'
import { TRIGGER_WORDS } from '../../components/runs/trigger-words.ts'
import { t } from '../../lib/i18n.ts'

/** What starts a flow, in one word or two. */
export function TriggerWord({ flow }: { readonly flow: Pick<Flow, 'steps'> }) {
  return t(TRIGGER_WORDS[definitionOf(flow.steps[0]?.type ?? '')?.trigger?.starts ?? 'manual'])
}
