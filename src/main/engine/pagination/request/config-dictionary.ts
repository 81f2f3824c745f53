import type { DataMap, Dictionary } from '../../data/value.ts'
import { NotADictionaryError, renderDictionary, type TakenValue } from '../../template/index.ts'
import { withoutDeadQuotes } from './absent-values.ts'
import { RENDER_OPTIONS, type TemplateContext } from '../model/page-config.ts'

/** A rendered `query`, `body` or `header`. */
interface ConfigDictionary {
  readonly value: Dictionary
  readonly taken: readonly TakenValue[]
}

/**
 * Renders a `query`, `body` or `header` as it is sent.
 *
 * @param isFirst there is no response yet
 * @returns null where it renders to nothing
 */
export function renderConfigDictionary(
  source: string | Dictionary,
  context: TemplateContext,
  isFirst: boolean,
): ConfigDictionary | null {
  const rendered = renderOrNothing(source, context)
  if (rendered === null) return null
  const { value, taken } = rendered
  const live = typeof source === 'string' ? withoutDeadQuotes(source, taken, isFirst) : null
  return { value: live === null ? value : renderDictionary(live, context, RENDER_OPTIONS).value, taken }
}

function renderOrNothing(source: string | Dictionary, context: TemplateContext) {
  try {
    return renderDictionary(source as string | DataMap, context, RENDER_OPTIONS)
  } catch (error) {
    if (error instanceof NotADictionaryError && error.text === '') return null
    throw error
  }
}
