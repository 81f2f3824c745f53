import { plainName, writtenAs, wordsOf } from './paging-names.ts'

export interface CursorSign {
  /**
   * The last keys that lead to the cursor, in the form of `plainName`: `paging next after` also matches
   * `data.paging.next.after`.
   */
  readonly key: string
  /** Parameters that could take the cursor, most likely first. */
  readonly parameters: readonly string[]
  /** Keys that must be in the same object. */
  readonly beside?: readonly string[]
  /** The required type of the value, if the same key holds something else in other APIs. Defaults to either. */
  readonly kind?: 'text' | 'number'
  /** Whether this pair of key and parameter is never used for anything else. */
  readonly isSure?: boolean
  /** Whether the last page has a cursor too, so that the list ends with a page without records. */
  readonly endsEmpty?: boolean
  /** Parameters of the first call that the API rejects next to the cursor. */
  readonly without?: readonly string[]
}

/** Tokens of the next page and the parameter each goes into, the most specific first. */
export const CURSOR_SIGNS: readonly CursorSign[] = [
  { key: 'paging next after', parameters: ['after'], isSure: true },
  { key: 'paging cursors after', parameters: ['after'], isSure: true },
  { key: 'pages next startingafter', parameters: ['starting_after'], isSure: true },
  { key: 'responsemetadata nextcursor', parameters: ['cursor'], isSure: true },
  { key: 'nextpage offset', parameters: ['offset'], isSure: true },
  { key: 'meta aftercursor', parameters: ['page[after]', 'after'] },
  { key: 'meta page after', parameters: ['page[cursor]', 'page[after]', 'after'], isSure: true },
  { key: 'meta nexttoken', parameters: ['pagination_token', 'next_token'], isSure: true },
  { key: 'metadata continue', parameters: ['continue'], kind: 'text', isSure: true },
  { key: 'pageinfo endcursor', parameters: ['after'], isSure: true },
  { key: 'nextcursor', parameters: ['start_cursor'], beside: ['has_more', 'results'], isSure: true },
  { key: 'nextpagetoken', parameters: ['nextPageToken'], beside: ['isLast'], isSure: true },
  {
    key: 'nextpagetoken',
    parameters: ['next_page_token'],
    beside: ['page_count', 'page_size'],
    isSure: true,
  },
  { key: 'lastevaluatedkey', parameters: ['ExclusiveStartKey'], isSure: true },
  { key: 'resumptiontoken', parameters: ['resumptionToken'], without: OAI_FILTERS(), isSure: true },
  { key: 'resumptiontoken text', parameters: ['resumptionToken'], without: OAI_FILTERS(), isSure: true },
  { key: 'vidoffset', parameters: ['vidOffset'], isSure: true },
  { key: 'bookmark', parameters: ['bookmark'], kind: 'text', endsEmpty: true, isSure: true },
  { key: 'scrollid', parameters: ['scroll_id'], kind: 'text', endsEmpty: true },
  { key: 'scrollparam', parameters: ['scroll_param'], kind: 'text', endsEmpty: true, isSure: true },
  { key: 'message nextcursor', parameters: ['cursor'], endsEmpty: true, isSure: true },
  { key: 'nextcontinuationtoken', parameters: ['continuation-token'], beside: ['IsTruncated'], isSure: true },
  { key: 'lastid', parameters: ['after'], beside: ['object', 'has_more'], isSure: true },
  { key: 'lastid', parameters: ['after_id', 'after', 'starting_after'], beside: ['has_more'] },
  { key: 'cursor next', parameters: ['cursor'], kind: 'text' },
  { key: 'next', parameters: ['offset'], beside: ['hasNext'], kind: 'text' },
  { key: 'offset', parameters: ['offset'], kind: 'text', isSure: true },
  { key: 'pagination next', parameters: ['page'], kind: 'number', beside: ['pages'], isSure: true },
  { key: 'next', parameters: ['page', 'offset', 'cursor', 'until', 'from'], kind: 'number' },
  { key: 'paging nextpage', parameters: ['page'], kind: 'number', isSure: true },
  { key: 'nextpage', parameters: ['page'], kind: 'number', isSure: true },
  { key: 'nextpagenumber', parameters: ['page', 'page_number'], isSure: true },
  { key: 'nextpagestart', parameters: ['start'], isSure: true },
  { key: 'nextpage', parameters: ['page', 'next_page', 'page_token', 'cursor'], kind: 'text' },
]

function OAI_FILTERS() {
  return ['metadataPrefix', 'set', 'from', 'until']
}

/** The sign of a key whose words any API might use for a cursor; null if it isn't one. */
export function signOfWords(leaf: string, above: string): CursorSign | null {
  const words = wordsOf(leaf)
  if (words.some((word) => NOT_NEXT.has(word)) && words[0] !== 'next') return null
  const plain = plainName(leaf)
  const key = plain
  const [first = '', ...rest] = words
  if (['endcursor', 'endingcursor', 'aftercursor'].includes(plain))
    return { key, parameters: ['after', 'cursor', 'after_id', 'starting_after'] }
  if (words.includes('cursor') && first !== 'next')
    return {
      key,
      parameters: ['cursor', 'after', leaf, 'nextCursor', 'next_cursor'],
      kind: 'text',
    }
  if (first === 'next' && rest.length > 0 && POSITIONS.has(rest.at(-1) ?? '')) return ofNext(key, leaf, rest)
  if (CONTINUATIONS.has(plain)) return { key, parameters: [leaf], kind: 'text', isSure: true }
  if (plain === 'after')
    return {
      key,
      parameters: [leaf],
      ...(NAMES_OF_PAGING.has(plainName(above)) ? {} : { kind: 'text' as const }),
    }
  if (plain === 'next')
    return { key, parameters: ['cursor', 'next', 'after', 'token', 'start', 'from', 'until'] }
  return null
}

/** `next_cursor` goes into `cursor`, `nextPageToken` into `pageToken`, `next_offset` into `offset`. */
function ofNext(key: string, leaf: string, rest: readonly string[]): CursorSign {
  const last = rest.at(-1) ?? ''
  if (rest.join(' ') === 'page token' && leaf.includes('_'))
    return { key, parameters: ['page_token', leaf, 'token', 'pagetoken', 'page-token'] }
  if (rest.join(' ') === 'page token') return { key, parameters: [writtenAs(rest, leaf), leaf, 'token'] }
  const [above, position = ''] = rest
  if (above === 'page' && rest.length === 2 && ['skip', 'offset'].includes(position))
    return { key, parameters: [position, writtenAs(rest, leaf)] }
  if (rest.join(' ') === 'page cursor')
    return { key, parameters: ['cursor', writtenAs(rest, leaf)], isSure: true }
  if (rest.join(' ') === 'token')
    return { key, parameters: [leaf, 'token', 'page_token'], isSure: !leaf.includes('_') }
  // The name of a cursor or token is less conclusive about its parameter than that of a position, because some APIs
  // take it as `after`.
  const isSure = !['key', 'id', 'cursor', 'token'].includes(last)
  return { key, parameters: [...new Set([writtenAs(rest, leaf), leaf, ...OTHER_NAMES])], isSure }
}

/** Other parameters that a cursor may go into if its own name isn't the parameter's. Only a request can tell. */
const OTHER_NAMES: readonly string[] = ['after', 'page_token', 'token', 'start']

const POSITIONS: ReadonlySet<string> = new Set([
  'cursor',
  'token',
  'offset',
  'start',
  'skip',
  'after',
  'marker',
  'mark',
  'key',
  'id',
  'continuation',
  'position',
  'index',
])
const CONTINUATIONS: ReadonlySet<string> = new Set([
  'continuation',
  'continuationtoken',
  'paginationtoken',
  'pagetoken',
  'skiptoken',
  'cursormark',
])
const NOT_NEXT: ReadonlySet<string> = new Set([
  'prev',
  'previous',
  'before',
  'first',
  'self',
  'current',
  'start',
  'access',
  'refresh',
  'csrf',
  'sync',
])
const NAMES_OF_PAGING: ReadonlySet<string> = new Set([
  'cursor',
  'cursors',
  'paging',
  'pagination',
  'page',
  'pages',
  'next',
])

/** Cursors in headers: the name in lower case, and the parameter with its location. */
export const CURSOR_HEADERS: ReadonlyMap<string, { readonly where?: 'header'; readonly parameter: string }> =
  new Map([
    ['x-ms-continuationtoken', { parameter: 'continuationToken' }],
    ['x-ms-continuation', { where: 'header', parameter: 'x-ms-continuation' }],
    ['x-ms-continuation-nextpartitionkey', { parameter: 'NextPartitionKey' }],
    ['x-ms-continuation-nextrowkey', { parameter: 'NextRowKey' }],
    ['next-range', { where: 'header', parameter: 'Range' }],
  ])
