import type { PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import { type Data, entriesOf, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { suggestPagination } from './index.ts'
import { RECORD_NAMES, SIDE_NAMES } from './record-list.ts'
import { pagingRoleOf, plainName } from './paging-names.ts'
import { valuesIn } from './response-values.ts'
import type { Sample } from './sample.ts'

/**
 * The configuration for a call that is known only by its description. Its response is made up, so only the keys
 * count. Null unless a parameter of the call takes a value from the response or a count.
 *
 * @param parameters the call's query parameters
 */
export function suggestFromDescription(
  sample: Sample,
  parameters: readonly string[],
): PaginationSuggestion | null {
  const cursors = parameters.filter((name) => pagingRoleOf(name) === 'cursor')
  // A parameter whose name occurs as a key of the response takes that key's value, and never another one.
  const isOwn = (name: string) =>
    valuesIn(sample.response.body).some(({ keys }) => plainName(keys.at(-1) ?? '') === plainName(name))
  const other = cursors.length === 1 ? cursors.find((name) => !isOwn(name)) : undefined
  let renamed: PaginationSuggestion | null = null
  for (const suggestion of suggestPagination({ ...sample, isMadeUp: true }).suggestions) {
    const { style, config, confidence } = suggestion
    if (!isClear(sample.response.body, config.response_jsonpath ?? '$')) continue
    if (style === 'link_header' || style === 'next_address') return suggestion
    const sent = typeof config.query === 'string' ? /^\{"([^"]+)": /.exec(config.query)?.[1] : undefined
    if (sent === undefined || config.endpoint !== undefined || confidence === 'low') continue
    if (parameters.includes(sent)) return suggestion
    renamed ??= style === 'cursor' && other !== undefined ? withName(suggestion, sent, other) : null
  }
  return renamed
}

function withName(suggestion: PaginationSuggestion, sent: string, name: string): PaginationSuggestion {
  const query = (suggestion.config.query as string).replace(`{"${sent}"`, () => `{"${name}"`)
  return { ...suggestion, config: { ...suggestion.config, query } }
}

/** Whether no other list is as likely to contain the records. */
function isClear(body: Data, path: string): boolean {
  const keys = path
    .replace(/\[\*\][^]*/, '')
    .split('.')
    .slice(1)
  const name = keys.at(-1)
  if (name === undefined || RECORD_NAMES.has(name.toLowerCase())) return true
  const holder = keys
    .slice(0, -1)
    .reduce<Data | undefined>(
      (at, key) => (at !== undefined && isDictionary(at) ? getKey(at, key) : undefined),
      body,
    )
  if (holder === undefined || !isDictionary(holder)) return false
  return entriesOf(holder).every(
    ([key, value]) => key === name || !isList(value) || SIDE_NAMES.has(key.toLowerCase()),
  )
}
