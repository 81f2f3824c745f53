import type { Said } from '../../../../shared/contract/base/message.ts'
import { saidBy } from '../../../lib/i18n.ts'
import { partOf } from '../../../lib/steps-within.ts'
import type { PageLine } from './test-progress.ts'

/** The list that the server found elsewhere if the configured path has none: `"$.data" has 25 records`. */
export function otherListIn(
  warnings: PageLine['warnings'],
): { readonly path: string; readonly count: number } | null {
  for (const warning of warnings) {
    const said = saidBy(warning)
    const { path, count } = OTHER_LISTS.map((key) => partOf(said, key)).find(Boolean)?.params ?? NONE
    if (typeof path === 'string') return { path, count: Number(count) }
  }
  return null
}

const OTHER_LISTS = [
  '; "{{path}}" has {{count}} record. Use it',
  '; "{{path}}" has {{count}} records. Use it',
] as const
const NONE: Said['params'] = {}
