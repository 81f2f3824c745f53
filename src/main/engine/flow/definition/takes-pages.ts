import { hasForEach } from '../../../../shared/contract/step-types/parts/for-each.ts'
import type { Step } from '../../../../shared/contract/steps.ts'

/**
 * Whether a step processes the pages of the previous step as they arrive. Loops configured for that and steps that
 * write records do, if their list is exactly that step's result.
 */
export function takesPages(step: Step | undefined, before: Step | null): boolean {
  const over = listOf(step)
  if (before === null || !PAGED.has(before.type) || hasForEach(before.config) || typeof over !== 'string')
    return false
  return /^\s*\{\{-?\s*(\w+)\s*-?\}\}\s*$/.exec(over)?.[1] === before.ref_id
}

function listOf(step: Step | undefined): unknown {
  if (step?.type === 'loop' && step.config['start'] === 'first_page') return step.config['over']
  return step?.type === 'write_records' ? step.config['records'] : undefined
}

const PAGED: ReadonlySet<string> = new Set(['connector_action', 'rest'])
