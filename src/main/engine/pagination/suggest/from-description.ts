import type { PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import { suggestPagination } from './index.ts'
import type { Sample } from './sample.ts'
import { CURSORS } from './tables.ts'

/**
 * The configuration for a call of which only the description is known: its response is made up, so what counts is which keys it
 * has. Null unless a parameter of the call takes what the response has, or what the call counts.
 *
 * @param parameters those of the call's query
 */
export function suggestFromDescription(
  sample: Sample,
  parameters: readonly string[],
): PaginationSuggestion | null {
  for (const suggestion of suggestPagination({ ...sample, isMadeUp: true }).suggestions) {
    const { style, config, confidence } = suggestion
    if (style === 'link_header' || style === 'next_address') return suggestion
    const sent = typeof config.query === 'string' ? /^\{"([^"]+)": /.exec(config.query)?.[1] : undefined
    if (sent === undefined || config.endpoint !== undefined || confidence === 'low') continue
    if (parameters.includes(sent)) return suggestion
    const others = parameters.filter((name) => CURSOR_PARAMETERS.has(name))
    if (style === 'cursor' && others.length === 1)
      return {
        ...suggestion,
        config: { ...config, query: (config.query as string).replace(`{"${sent}"`, () => `{"${others[0]}"`) },
      }
  }
  return null
}

const CURSOR_PARAMETERS: ReadonlySet<string> = new Set(
  CURSORS.map(({ parameter }) => parameter).filter(
    (parameter) => !['page', 'offset', 'skip', 'start'].includes(parameter),
  ),
)
