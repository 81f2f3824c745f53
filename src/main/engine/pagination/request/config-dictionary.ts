import type { DataMap, Dictionary } from '@millrace/jinja/data'
import { NotADictionaryError, renderDictionary, type TracedValue } from '@millrace/jinja'
import { unquoteAbsentValues } from './absent-values.ts'
import { type PageContext, RENDER_OPTIONS } from '../model/page-config.ts'

/** A rendered `query`, `body` or `header`. */
interface ConfigDictionary {
  readonly value: Dictionary
  readonly traced: readonly TracedValue[]
}

/**
 * Renders a `query`, `body` or `header` as it is sent.
 *
 * @param isFirst there is no response yet
 * @returns null if it renders to nothing
 */
export function renderConfigDictionary(
  source: string | Dictionary,
  context: PageContext,
  isFirst: boolean,
): ConfigDictionary | null {
  const rendered = renderOrNothing(source, context)
  if (rendered === null) return null
  const { value, traced } = rendered
  const live = typeof source === 'string' ? unquoteAbsentValues(source, traced, isFirst) : null
  return { value: live === null ? value : renderDictionary(live, context, RENDER_OPTIONS).value, traced }
}

function renderOrNothing(source: string | Dictionary, context: PageContext) {
  try {
    return renderDictionary(source as string | DataMap, context, RENDER_OPTIONS)
  } catch (error) {
    if (error instanceof NotADictionaryError && error.text === '') return null
    throw error
  }
}
