import { hasTags, repairTemplate, type RepairedTemplate } from '@millrace/jinja'
import { checkJsonPath } from '@millrace/jinja/jsonpath'
import { CONDITION_VARIABLES, PAGE_VARIABLES } from '../model/page-config.ts'
import { CONDITIONS, type TemplateKey } from './read-config.ts'

/**
 * The template or JSONPath of a configuration's field without its problem; null if none is known.
 *
 * @param field `query`, or `[1].query.cursor` in a list @param names additional variables of templates besides those
 * of pagination
 */
export function repairPagination(
  field: string,
  held: string,
  names: readonly string[],
): RepairedTemplate | null {
  const key = /^(?:\[\d+\]\.)?(\w+)/.exec(field)?.[1] ?? ''
  if (PATHS.has(key) && !hasTags(held)) return repairPath(held.trim())
  const isCondition = CONDITIONS.has(key as TemplateKey)
  const known = [...PAGE_VARIABLES, ...(isCondition ? CONDITION_VARIABLES : []), ...names]
  return repairTemplate(held, { expression: isCondition && !hasTags(held), names: known })
}

const PATHS: ReadonlySet<string> = new Set(['response_jsonpath', 'dedupe_by'])

function repairPath(path: string): RepairedTemplate | null {
  const tried = [path.replace(/[.[]$/, ''), `$.${path}`, `$${path}`, `${path}]`]
  const source = tried.find((one) => one !== path && checkJsonPath(one) === null)
  return source === undefined ? null : { source, isCertain: false }
}
