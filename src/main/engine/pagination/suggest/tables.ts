/**
 * What APIs call the things of paging. Keys are the last ones that lead to a value: `['paging', 'next', 'after']` is also
 * found as `data.paging.next.after`. Rows are tried from top to bottom, so what says more stands above.
 */

type Keys = readonly string[]

/** Keys of the body that may hold the address of the next page. */
export const NEXT_ADDRESSES: readonly Keys[] = [
  ['@odata.nextLink'],
  ['odata.nextLink'],
  ['nextRecordsUrl'],
  ['links', 'next', 'href'],
  ['_links', 'next', 'href'],
  ['_links', 'next', 'url'],
  ['links', 'next', 'url'],
  ['paging', 'next', 'link'],
  ['paging', 'next', 'url'],
  ['next_page', 'uri'],
  ['next_page', 'url'],
  ['next', 'href'],
  ['next', 'url'],
  ['next', 'link'],
  ['next_page_url'],
  ['nextPageUrl'],
  ['nextPageUri'],
  ['next_page_uri'],
  ['nextPageLink'],
  ['next_page_link'],
  ['next_url'],
  ['nextUrl'],
  ['nextURL'],
  ['next_uri'],
  ['nextUri'],
  ['next_link'],
  ['nextLink'],
  ['next_href'],
  ['next_page'],
  ['nextPage'],
  ['next'],
]

export interface CursorSign {
  readonly key: Keys
  /** The parameter that takes it. */
  readonly parameter: string
  /** Keys that stand in the same dictionary. */
  readonly beside?: Keys
  /** What its value must be, where the same key elsewhere holds something else; absent: either. */
  readonly kind?: 'text' | 'number'
  /** Further pages are asked for at another address, with the cursor alone. */
  readonly suffix?: string
}

/** Tokens of the next page, and the parameter each goes into. */
export const CURSORS: readonly CursorSign[] = [
  { key: ['paging', 'next', 'after'], parameter: 'after' },
  { key: ['paging', 'cursors', 'after'], parameter: 'after' },
  { key: ['pages', 'next', 'starting_after'], parameter: 'starting_after' },
  { key: ['response_metadata', 'next_cursor'], parameter: 'cursor' },
  { key: ['next_page', 'offset'], parameter: 'offset' },
  { key: ['meta', 'after_cursor'], parameter: 'page[after]' },
  { key: ['meta', 'page', 'after'], parameter: 'page[cursor]' },
  { key: ['meta', 'next_token'], parameter: 'pagination_token' },
  { key: ['metadata', 'continue'], parameter: 'continue', kind: 'text' },
  { key: ['pageInfo', 'endCursor'], parameter: 'after' },
  { key: ['page_info', 'end_cursor'], parameter: 'after' },
  { key: ['after_cursor'], parameter: 'after' },
  { key: ['endCursor'], parameter: 'after' },
  { key: ['end_cursor'], parameter: 'after' },
  { key: ['next_cursor'], parameter: 'start_cursor', beside: ['has_more', 'results'] },
  { key: ['next_cursor'], parameter: 'cursor' },
  { key: ['nextCursor'], parameter: 'cursor' },
  { key: ['nextPageCursor'], parameter: 'cursor' },
  { key: ['next_page_cursor'], parameter: 'cursor' },
  { key: ['cursor', 'next'], parameter: 'cursor' },
  { key: ['cursors', 'next'], parameter: 'cursor' },
  { key: ['cursors', 'after'], parameter: 'after' },
  { key: ['next', 'cursor'], parameter: 'cursor' },
  { key: ['next', 'after'], parameter: 'after' },
  { key: ['nextPageToken'], parameter: 'nextPageToken', beside: ['isLast'] },
  { key: ['nextPageToken'], parameter: 'pageToken' },
  { key: ['next_page_token'], parameter: 'page_token' },
  { key: ['nextToken'], parameter: 'nextToken' },
  { key: ['NextToken'], parameter: 'NextToken' },
  { key: ['next_token'], parameter: 'next_token' },
  { key: ['NextContinuationToken'], parameter: 'continuation-token' },
  { key: ['nextContinuationToken'], parameter: 'continuationToken' },
  { key: ['continuationToken'], parameter: 'continuationToken' },
  { key: ['continuation_token'], parameter: 'continuation_token' },
  { key: ['nextMarker'], parameter: 'marker' },
  { key: ['next_marker'], parameter: 'marker' },
  { key: ['NextMarker'], parameter: 'Marker' },
  { key: ['LastEvaluatedKey'], parameter: 'ExclusiveStartKey' },
  { key: ['next_offset'], parameter: 'offset' },
  { key: ['nextOffset'], parameter: 'offset' },
  { key: ['next_skip'], parameter: 'skip' },
  { key: ['next_start'], parameter: 'start' },
  { key: ['nextStart'], parameter: 'start' },
  { key: ['next_page_number'], parameter: 'page' },
  { key: ['next_page'], parameter: 'page' },
  { key: ['nextPage'], parameter: 'page' },
  { key: ['last_id'], parameter: 'after', beside: ['object', 'has_more'] },
  { key: ['last_id'], parameter: 'after_id', beside: ['has_more'] },
  { key: ['bookmark'], parameter: 'bookmark' },
  { key: ['cursor'], parameter: 'cursor', beside: ['has_more', 'entries'], suffix: '/continue' },
  { key: ['cursor'], parameter: 'cursor', beside: ['has_more', 'matches'], suffix: '/continue' },
  { key: ['cursor'], parameter: 'cursor' },
  { key: ['offset'], parameter: 'offset', kind: 'text' },
  { key: ['after'], parameter: 'after', kind: 'text' },
  { key: ['next'], parameter: 'page', kind: 'number' },
  { key: ['next'], parameter: 'cursor' },
]

/** Flags that tell whether there is another page, and the value that says so. */
export const MORE_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['has_more', true],
  ['hasMore', true],
  ['has_next_page', true],
  ['hasNextPage', true],
  ['has_next', true],
  ['hasNext', true],
  ['more_items_in_collection', true],
  ['moreAvailable', true],
  ['more', true],
  ['isLast', false],
  ['is_last', false],
  ['isLastPage', false],
  ['last', false],
  ['done', false],
])

/** How a record is named by itself, where a list goes on after the last one. */
export const ID_KEYS: Keys = ['id', '_id', 'uuid']

export interface CountSign {
  readonly key: Keys
  readonly parameter: string
  readonly beside?: Keys
}

/** Number of the page, as the answer repeats it. */
export const PAGE_NUMBERS: readonly CountSign[] = [
  { key: ['current_page'], parameter: 'page' },
  { key: ['currentPage'], parameter: 'page' },
  { key: ['page_number'], parameter: 'page_number' },
  { key: ['pageNumber'], parameter: 'pageNumber' },
  { key: ['page_no'], parameter: 'page_no' },
  { key: ['pageNo'], parameter: 'pageNo' },
  { key: ['pageIndex'], parameter: 'pageIndex' },
  { key: ['page_index'], parameter: 'page_index' },
  { key: ['number'], parameter: 'page', beside: ['totalPages'] },
  { key: ['page'], parameter: 'page' },
]

/** Position of the page's first record, as the response repeats it. */
export const OFFSETS: readonly CountSign[] = [
  { key: ['offset'], parameter: 'offset' },
  { key: ['startAt'], parameter: 'startAt' },
  { key: ['start_at'], parameter: 'start_at' },
  { key: ['startIndex'], parameter: 'startIndex' },
  { key: ['start_index'], parameter: 'start_index' },
  { key: ['skip'], parameter: 'skip' },
  { key: ['start'], parameter: 'start' },
  { key: ['from'], parameter: 'from' },
]

export const PAGE_TOTALS: ReadonlySet<string> = new Set([
  'total_pages',
  'totalPages',
  'total_page',
  'totalPage',
  'page_count',
  'pageCount',
  'page_total',
  'last_page',
  'lastPage',
  'num_pages',
  'numPages',
  'nbPages',
  'pages',
])

export const RECORD_TOTALS: ReadonlySet<string> = new Set([
  'total',
  'total_count',
  'totalCount',
  'total_items',
  'totalItems',
  'total_results',
  'totalResults',
  'total_records',
  'totalRecords',
  'total_entries',
  'totalElements',
  'totalSize',
  'total_size',
  'totalHits',
  'nbHits',
  'resultCount',
  'recordsTotal',
  'count',
])

/** Response headers that say how many pages or records there are. */
export const PAGE_TOTAL_HEADERS: Keys = [
  'X-Total-Pages',
  'X-WP-TotalPages',
  'X-Pagination-Page-Count',
  'X-Pagination-Total-Pages',
  'X-Page-Count',
  'X-Pages',
]
export const RECORD_TOTAL_HEADERS: Keys = [
  'X-Total-Count',
  'X-Total',
  'X-WP-Total',
  'X-Pagination-Total-Count',
  'X-Total-Items',
]
/** Number of the page that follows; empty on the last one. */
export const NEXT_PAGE_HEADERS: Keys = ['X-Next-Page', 'X-Pagination-Next-Page']

/** Parameters of a request that name its page by number. */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set([
  'page',
  'page_number',
  'pagenumber',
  'page_no',
  'pageno',
  'pageindex',
  'page_index',
  'page[number]',
  'current_page',
  'currentpage',
  'p',
  'x-page',
])

/** Parameters of a request that say how many records to pass over; in lower case. */
export const OFFSET_PARAMETERS: ReadonlySet<string> = new Set([
  'offset',
  '$offset',
  'skip',
  '$skip',
  'start',
  'startat',
  'start_at',
  'startindex',
  'start_index',
  'from',
  'page[offset]',
  'x-offset',
  'x-skip',
  'x-start',
])

/** Parameters of a request that ask for a size of page, and what most often goes with each; in lower case. */
export const SIZE_PARAMETERS: ReadonlyMap<string, { style: 'page_number' | 'offset'; parameter: string }> =
  new Map([
    ['limit', { style: 'offset', parameter: 'offset' }],
    ['count', { style: 'offset', parameter: 'offset' }],
    ['page[limit]', { style: 'offset', parameter: 'page[offset]' }],
    ['maxresults', { style: 'offset', parameter: 'startAt' }],
    ['max_results', { style: 'offset', parameter: 'offset' }],
    ['rows', { style: 'offset', parameter: 'start' }],
    ['take', { style: 'offset', parameter: 'skip' }],
    ['top', { style: 'offset', parameter: 'skip' }],
    ['$top', { style: 'offset', parameter: '$skip' }],
    ['$limit', { style: 'offset', parameter: '$offset' }],
    ['x-limit', { style: 'offset', parameter: 'X-Offset' }],
    ['per_page', { style: 'page_number', parameter: 'page' }],
    ['perpage', { style: 'page_number', parameter: 'page' }],
    ['page_size', { style: 'page_number', parameter: 'page' }],
    ['pagesize', { style: 'page_number', parameter: 'page' }],
    ['page[size]', { style: 'page_number', parameter: 'page[number]' }],
    ['size', { style: 'page_number', parameter: 'page' }],
    ['itemsperpage', { style: 'page_number', parameter: 'page' }],
    ['hitsperpage', { style: 'page_number', parameter: 'page' }],
    ['x-per-page', { style: 'page_number', parameter: 'X-Page' }],
  ])

/** Parameters that identify the caller: a link that leaves one out does not mean to take it away. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  'access_key',
  'access_token',
  'api-key',
  'api_key',
  'api_token',
  'apikey',
  'app_id',
  'appid',
  'auth',
  'auth_token',
  'authtoken',
  'client_id',
  'client_secret',
  'key',
  'sig',
  'signature',
  'token',
  'user_key',
])

/** Dictionaries of a request's body in which cursors go, where the body has one. */
export const CURSOR_HOLDERS: Keys = ['pagination', 'paging', 'page', 'variables']

/** Pages are cut at such lengths where nobody asked for another. */
export const USUAL_PAGE_SIZES: ReadonlySet<number> = new Set([
  10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 48, 50, 60, 64, 75, 80, 90, 100, 120, 128, 150, 200, 250, 256, 300,
  400, 500, 512, 1000, 1024, 2000, 2500, 5000, 10_000,
])
