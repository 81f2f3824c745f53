import type { Step } from '../../../../shared/contract/steps.ts'

/** Whether a loop takes the pages of the step right before it as they come: it says so, and runs over nothing else. */
export function takesPages(loop: Step | undefined, before: Step | null): boolean {
  if (loop?.type !== 'loop' || loop.config['start'] !== 'first_page') return false
  const { over } = loop.config
  if (before === null || !PAGED.has(before.type) || typeof over !== 'string') return false
  return /^\s*\{\{-?\s*(\w+)\s*-?\}\}\s*$/.exec(over)?.[1] === before.ref_id
}

const PAGED: ReadonlySet<string> = new Set(['connector_action', 'rest'])
