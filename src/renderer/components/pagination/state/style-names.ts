import type { PaginationStyle } from '../../../../shared/contract/pagination.ts'
import { plural } from '../../../lib/format.ts'
import { english, type English, t } from '../../../lib/i18n.ts'

export const STYLE_NAMES: { readonly [S in PaginationStyle]: English } = {
  link_header: english('Next link in header'),
  next_address: english('Next page URL'),
  cursor: english('Cursor'),
  last_record: english('After the last record'),
  page_number: english('Page number'),
  offset: english('Offset'),
}

/** Patterns that identify each style; the first match counts. */
const SIGNS: readonly (readonly [RegExp, PaginationStyle])[] = [
  [/\blinks\b|"endpoint":"[^"]*previous_request_headers/, 'link_header'],
  [/"endpoint":"[^"]*previous_request/, 'next_address'],
  [/last_record|previous_request[^}]{0,300}\[-1\]/, 'last_record'],
  [/previous_request/, 'cursor'],
  [/page\s*\*|\bcount\b|offset|skip/i, 'offset'],
  [/\bpage\b/, 'page_number'],
]

/** A configuration in a few words. */
export function configWords(config: unknown): string {
  if (config === null || config === undefined) return t('Off')
  if (Array.isArray(config) && config.length > 1) return plural(config.length, 'configuration')
  const style = styleOf(Array.isArray(config) ? (config[0] as unknown) : config)
  return style === null ? t('Custom configuration') : t(STYLE_NAMES[style])
}

/** Null if nothing indicates it. */
export function styleOf(config: unknown): PaginationStyle | null {
  const text = JSON.stringify(nextRequestOf(config))
  return SIGNS.find(([sign]) => sign.test(text))?.[1] ?? null
}

/** Conditions and the path of the records can read the response in every style. */
function nextRequestOf(config: unknown): unknown {
  if (config === null || typeof config !== 'object') return config
  const { endpoint, query, body, header } = config as Readonly<Record<string, unknown>>
  return { endpoint, query, body, header }
}
