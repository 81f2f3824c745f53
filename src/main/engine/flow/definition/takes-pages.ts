import type { Step } from '../../../../shared/contract/steps.ts'

/**
 * Whether a loop processes the pages of the previous step as they arrive: it asks for that, and loops over nothing
 * else.
 */
export function takesPages(loop: Step | undefined, before: Step | null): boolean {
  if (loop?.type !== 'loop' || loop.config['start'] !== 'first_page') return false
  const { over } = loop.config
  if (before === null || !PAGED.has(before.type) || typeof over !== 'string') return false
  return /^\s*\{\{-?\s*(\w+)\s*-?\}\}\s*$/.exec(over)?.[1] === before.ref_id
}

const PAGED: ReadonlySet<string> = new Set(['connector_action', 'rest'])
