/**
 * Small imitations of third-party APIs, written from their public documentation: where the credentials go, how a list
 * is paginated and how its end is signaled. Each has 250 records, paginated like the real API's.
 */

export interface ApiRequest {
  readonly method: string
  /** Relative to the base, without the leading slash. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readonly<Record<string, unknown>>
  /** The URL that `path` is relative to. */
  readonly base: string
}

export interface ApiAnswer {
  readonly body: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Imitation {
  readonly connector: string
  readonly action: string
  readonly auth: Readonly<Record<string, unknown>>
  readonly input?: Readonly<Record<string, unknown>>
  /**
   * What every request must contain: a header in lower case with its value, or nothing besides `basePath`, which
   * contains it.
   */
  readonly credential: readonly [header: string, value: string] | 'base path'
  /** If the base of the real API has a path, the imitation has it too. */
  readonly basePath?: string
  readonly serve: (request: ApiRequest) => ApiAnswer
  readonly count?: number
}

const COUNT = 250
const records = Array.from({ length: COUNT }, (_, index) => ({ id: `r${index + 1}`, number: index + 1 }))
const page = (start: number, size: number) => records.slice(start, start + size)
const whole = (text: string | null, fallback: number) => (text === null ? fallback : Number(text))
const bad = (message: string): ApiAnswer => ({ status: 400, body: { error: message } })
/** A cursor that would break if it were not sent unchanged. */
const cursorAt = (start: number) => Buffer.from(`at "${start}" & more+/=`).toString('base64')
const cursorStart = (cursor: unknown) =>
  typeof cursor === 'string' ? Number(/^at "(\d+)"/.exec(Buffer.from(cursor, 'base64').toString())?.[1]) : 0

const bearer = { auth_type: 'bearer', auth_token: 's3cret-token-value' }
const BEARER = ['authorization', 'Bearer s3cret-token-value'] as const
const basic = { auth_type: 'username_password', username: 'ada@example.test', password: 's3cret-password' }
const BASIC = [
  'authorization',
  `Basic ${Buffer.from('ada@example.test:s3cret-password').toString('base64')}`,
] as const
const key = { auth_type: 'api_key', auth_token: 's3cret-token-value' }

/** `Link` with first, previous, next and last, by page number. */
function byLink(size: string, wrap: (list: unknown[]) => unknown = (list) => list) {
  return ({ path, query, base }: ApiRequest): ApiAnswer => {
    const perPage = Math.min(whole(query.get(size), 30), 100)
    const number = whole(query.get('page'), 1)
    const last = Math.ceil(COUNT / perPage)
    const link = (to: number, rel: string) => {
      const next = new URLSearchParams(query)
      next.set('page', String(to))
      return `<${base}/${path}?${next}>; rel="${rel}"`
    }
    const links = [
      ...(number > 1 ? [link(number - 1, 'prev')] : []),
      ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
    ]
    return {
      body: wrap(page((number - 1) * perPage, perPage)),
      headers: links.length > 0 ? { Link: links.join(', ') } : {},
    }
  }
}

/** A cursor in the query; `write` creates the body of a page and its next cursor. */
function byCursor(
  name: string,
  size: (request: ApiRequest) => number,
  write: (list: unknown[], next: string | null) => unknown,
  from: (request: ApiRequest) => unknown = ({ query }) => query.get(name) ?? undefined,
) {
  return (request: ApiRequest): ApiAnswer => {
    const start = cursorStart(from(request))
    if (Number.isNaN(start)) return bad(`invalid ${name}`)
    const next = start + size(request)
    return { body: write(page(start, next - start), next < COUNT ? cursorAt(next) : null) }
  }
}

const sizeOf =
  (name: string, max = 100) =>
  ({ query }: ApiRequest) =>
    Math.min(whole(query.get(name), 20), max)

/** Continues after an ID with `starting_after`; `has_more` signals the end. */
function afterId(
  name: string,
  size: string,
  wrap: (list: readonly { id: string }[], more: boolean) => unknown,
) {
  return ({ query }: ApiRequest): ApiAnswer => {
    const after = query.get(name)
    const start = after === null ? 0 : records.findIndex(({ id }) => id === after) + 1
    if (after !== null && start === 0) return bad(`no such id ${after}`)
    const next = start + Math.min(whole(query.get(size), 10), 100)
    return { body: wrap(page(start, next - start), next < COUNT) }
  }
}

export const IMITATIONS: readonly Imitation[] = [
  {
    connector: 'github',
    action: 'list_repositories',
    auth: bearer,
    credential: BEARER,
    serve: byLink('per_page'),
  },
  {
    connector: 'github',
    action: 'search_issues',
    auth: bearer,
    input: { q: 'is:open "a & b"' },
    credential: BEARER,
    serve: (request) =>
      request.query.get('q') === 'is:open "a & b"'
        ? byLink('per_page', (items) => ({ total_count: COUNT, items }))(request)
        : bad('q is missing'),
  },
  {
    connector: 'gitlab',
    action: 'list_projects',
    auth: bearer,
    credential: BEARER,
    basePath: '/api/v4',
    serve: byLink('per_page'),
  },
  {
    connector: 'hubspot',
    action: 'list_contacts',
    auth: bearer,
    credential: BEARER,
    serve: byCursor('after', sizeOf('limit'), (results, after) => ({
      results,
      ...(after ? { paging: { next: { after, link: 'x' } } } : {}),
    })),
  },
  {
    connector: 'hubspot',
    action: 'search_contacts',
    auth: bearer,
    input: { query: 'ada', properties: ['email', 'phone'] },
    credential: BEARER,
    serve: (request) =>
      request.method === 'POST' &&
      request.body.query === 'ada' &&
      String(request.body.properties) === 'email,phone'
        ? byCursor(
            'after',
            () => 100,
            (results, after) => ({
              total: COUNT,
              results,
              ...(after ? { paging: { next: { after } } } : {}),
            }),
            ({ body }) => body.after,
          )(request)
        : bad('query and properties must stay in the body'),
  },
  {
    connector: 'stripe',
    action: 'list_customers',
    auth: bearer,
    credential: BEARER,
    basePath: '/v1',
    serve: afterId('starting_after', 'limit', (data, has_more) => ({
      object: 'list',
      data,
      has_more,
      url: '/v1/customers',
    })),
  },
  {
    connector: 'shopify',
    action: 'list_orders',
    auth: { ...key, user_input: { shop: 'a-shop' } },
    input: { created_at_min: '2026-01-01T00:00:00Z' },
    credential: ['x-shopify-access-token', 's3cret-token-value'],
    basePath: '/admin/api/2026-07',
    serve: ({ path, query, base }) => {
      const info = query.get('page_info')
      if (info !== null && (query.has('created_at_min') || query.has('status')))
        return bad('page_info allows limit alone')
      const start = cursorStart(info ?? undefined)
      const next = start + whole(query.get('limit'), 50)
      const address = (at: number) =>
        `${base}/${path}?${new URLSearchParams({ limit: '100', page_info: cursorAt(at) })}`
      const links = [
        ...(start > 0 ? [`<${address(Math.max(0, start - 100))}>; rel="previous"`] : []),
        ...(next < COUNT ? [`<${address(next)}>; rel="next"`] : []),
      ]
      return { body: { orders: page(start, next - start) }, headers: { Link: links.join(', ') } }
    },
  },
  {
    connector: 'shopify',
    action: 'list_products',
    auth: { ...key, user_input: { shop: 'a-shop' } },
    input: { created_at_min: '2026-01-01T00:00:00Z' },
    credential: ['x-shopify-access-token', 's3cret-token-value'],
    basePath: '/admin/api/2026-07',
    serve: ({ method, path, body }) => {
      const { first, after, query } = (body.variables ?? {}) as Record<string, unknown>
      if (
        method !== 'POST' ||
        path !== 'graphql.json' ||
        !String(body.query).includes('products(first: $first')
      )
        return bad('products are read by GraphQL')
      if (query !== "created_at:>='2026-01-01T00:00:00Z'") return bad('the filter must stay')
      const start = cursorStart(after)
      const nodes = page(start, Number(first))
      const end = start + nodes.length
      const pageInfo = { hasNextPage: end < COUNT, endCursor: cursorAt(end) }
      return {
        body: { data: { products: { nodes, pageInfo } }, extensions: { cost: { actualQueryCost: 12 } } },
      }
    },
  },
  {
    connector: 'notion',
    action: 'query_data_source',
    auth: bearer,
    input: { data_source_id: 'd1' },
    credential: BEARER,
    basePath: '/v1',
    serve: byCursor(
      'start_cursor',
      ({ body }) => Number(body.page_size ?? 100),
      (results, next_cursor) => ({ results, next_cursor, has_more: next_cursor !== null }),
      ({ body }) => body.start_cursor,
    ),
  },
  {
    connector: 'notion',
    action: 'list_users',
    auth: bearer,
    credential: BEARER,
    basePath: '/v1',
    serve: byCursor('start_cursor', sizeOf('page_size'), (results, next_cursor) => ({
      results,
      next_cursor,
      has_more: next_cursor !== null,
    })),
  },
  {
    connector: 'slack',
    action: 'list_channels',
    auth: bearer,
    credential: BEARER,
    basePath: '/api',
    serve: byCursor('cursor', sizeOf('limit'), (channels, next) => ({
      ok: true,
      channels,
      response_metadata: { next_cursor: next ?? '' },
    })),
  },
  {
    connector: 'zendesk',
    action: 'list_tickets',
    auth: { ...basic, user_input: { subdomain: 'acme' } },
    credential: BASIC,
    basePath: '/api/v2',
    serve: byCursor('page[after]', sizeOf('page[size]'), (tickets, next) => ({
      tickets,
      meta: { has_more: next !== null, after_cursor: next ?? cursorAt(COUNT) },
      links: {},
    })),
  },
  {
    connector: 'pipedrive',
    action: 'list_deals',
    auth: { ...key, user_input: { company_domain: 'acme' } },
    credential: ['x-api-token', 's3cret-token-value'],
    basePath: '/api/v2',
    serve: byCursor('cursor', sizeOf('limit', 500), (data, next_cursor) => ({
      success: true,
      data,
      additional_data: { next_cursor },
    })),
  },
  {
    connector: 'airtable',
    action: 'list_records',
    auth: bearer,
    input: { base_id: 'app1', table: 'My table/1' },
    credential: BEARER,
    basePath: '/v0',
    serve: (request) =>
      request.path === 'app1/My%20table%2F1'
        ? byCursor('offset', sizeOf('pageSize'), (list, offset) => ({
            records: list,
            ...(offset ? { offset } : {}),
          }))(request)
        : bad(`unknown path ${request.path}`),
  },
  {
    connector: 'salesforce',
    action: 'query',
    auth: { ...bearer, user_input: { instance_url: 'https://acme.my.salesforce.com' } },
    input: { soql: 'SELECT Id FROM Account' },
    credential: BEARER,
    basePath: '/services/data/v62.0',
    serve: ({ path, query }) => {
      const at = /^query\/01g(\d+)$/.exec(path)?.[1]
      if (at !== undefined && query.has('q')) return bad('q must not be sent again')
      const start = Number(at ?? 0)
      const next = start + 100
      const done = next >= COUNT
      return {
        body: {
          totalSize: COUNT,
          done,
          records: page(start, 100),
          ...(done ? {} : { nextRecordsUrl: `/services/data/v62.0/query/01g${next}` }),
        },
      }
    },
  },
  {
    connector: 'jira',
    action: 'search_issues',
    auth: { ...basic, user_input: { site: 'acme' } },
    input: { jql: 'project = ABC' },
    credential: BASIC,
    basePath: '/rest/api/3',
    serve: byCursor('nextPageToken', sizeOf('maxResults'), (issues, next) => ({
      issues,
      isLast: next === null,
      ...(next ? { nextPageToken: next } : {}),
    })),
  },
  {
    connector: 'jira',
    action: 'list_projects',
    auth: { ...basic, user_input: { site: 'acme' } },
    credential: BASIC,
    basePath: '/rest/api/3',
    serve: ({ query }) => {
      const startAt = whole(query.get('startAt'), 0)
      return {
        body: {
          values: page(startAt, 50),
          startAt,
          maxResults: 50,
          total: COUNT,
          isLast: startAt + 50 >= COUNT,
        },
      }
    },
  },
  ...(
    [
      ['microsoft-graph', 'list_messages', 'me/messages'],
      ['outlook', 'list_folder_messages', 'me/mailFolders/inbox/messages'],
      ['outlook-calendar', 'list_events_between', 'me/calendarView'],
      ['onedrive', 'search_files', "me/drive/root/search(q='it%27%27s%20%2F%20here')"],
    ] as const
  ).map(([connector, action, wanted]): Imitation => ({
    connector,
    action,
    auth: bearer,
    ...(action === 'search_files' ? { input: { q: "it's / here" } } : {}),
    ...(action === 'list_events_between' ? { input: { start: '2026-01-01', end: '2026-02-01' } } : {}),
    credential: BEARER,
    basePath: '/v1.0',
    serve: ({ path, query, base }) => {
      if (path !== wanted) return bad(`unknown path ${path}`)
      const start = whole(query.get('$skiptoken'), 0)
      const size = whole(query.get('$top'), 10)
      const next = start + size
      return {
        body: {
          value: page(start, size),
          ...(next < COUNT ? { '@odata.nextLink': `${base}/${path}?$top=${size}&$skiptoken=${next}` } : {}),
        },
      }
    },
  })),
  {
    connector: 'gmail',
    action: 'list_messages',
    auth: bearer,
    credential: BEARER,
    basePath: '/gmail/v1',
    serve: byCursor('pageToken', sizeOf('maxResults', 500), (messages, next) => ({
      messages,
      resultSizeEstimate: COUNT,
      ...(next ? { nextPageToken: next } : {}),
    })),
  },
  {
    connector: 'google-drive',
    action: 'list_folder',
    auth: bearer,
    input: { folder_id: "f'1" },
    credential: BEARER,
    basePath: '/drive/v3',
    serve: (request) =>
      request.query.get('q') === "'f1' in parents and trashed = false" &&
      request.query.get('fields')?.startsWith('nextPageToken, files(')
        ? byCursor('pageToken', sizeOf('pageSize', 1000), (found, next) => ({
            files: found,
            ...(next ? { nextPageToken: next } : {}),
          }))(request)
        : bad('q or fields is missing'),
  },
  {
    connector: 'google-calendar',
    action: 'list_events',
    auth: bearer,
    credential: BEARER,
    basePath: '/calendar/v3',
    serve: byCursor('pageToken', sizeOf('maxResults', 2500), (items, next) => ({
      kind: 'calendar#events',
      items,
      ...(next ? { nextPageToken: next } : { nextSyncToken: 'x' }),
    })),
  },
  {
    connector: 'dropbox',
    action: 'list_folder',
    auth: bearer,
    credential: BEARER,
    basePath: '/2',
    serve: (request) => {
      const more = request.path === 'files/list_folder/continue'
      if (more !== (Object.keys(request.body).join() === 'cursor'))
        return bad('continue takes the cursor alone')
      return byCursor(
        'cursor',
        () => 100,
        (entries, next) => ({ entries, cursor: next ?? cursorAt(COUNT), has_more: next !== null }),
        ({ body }) => body.cursor,
      )(request)
    },
  },
  {
    connector: 'elasticsearch',
    action: 'search',
    auth: { ...basic, user_input: { url: 'https://search.example.test' } },
    input: { index: 'things' },
    credential: BASIC,
    serve: ({ path, query, body }) => {
      if (path === '_search/scroll') {
        if (query.has('scroll') || Object.keys(body).join() !== 'scroll,scroll_id')
          return bad('a scroll takes nothing but its id')
      } else if (query.get('scroll') !== '5m' || String(body.sort) !== '_doc') {
        return bad('a scroll is opened by the first search, in the order of the index')
      }
      const start = Number(body.scroll_id ?? 0)
      const hits = page(start, 100).map((source) => ({ _id: source.id, _source: source }))
      return { body: { _scroll_id: String(start + hits.length), hits: { total: { value: COUNT }, hits } } }
    },
  },
  {
    connector: 'wordpress',
    action: 'list_posts',
    auth: { ...basic, user_input: { site_url: 'https://blog.example.test' } },
    credential: BASIC,
    basePath: '/wp-json/wp/v2',
    serve: ({ query }) => {
      const number = whole(query.get('page'), 1)
      if (number > 3) return { status: 400, body: { code: 'rest_post_invalid_page_number' } }
      return {
        body: page((number - 1) * 100, 100),
        headers: { 'X-WP-Total': String(COUNT), 'X-WP-TotalPages': '3' },
      }
    },
  },
  {
    connector: 'mailchimp',
    action: 'list_members',
    auth: { ...bearer, user_input: { data_center: 'us21' } },
    input: { list_id: 'a1' },
    credential: BEARER,
    basePath: '/3.0',
    serve: ({ query }) => ({
      body: {
        members: page(whole(query.get('offset'), 0), whole(query.get('count'), 10)),
        total_items: COUNT,
      },
    }),
  },
  {
    connector: 'intercom',
    action: 'list_contacts',
    auth: bearer,
    credential: BEARER,
    serve: byCursor('starting_after', sizeOf('per_page', 150), (data, next) => ({
      type: 'list',
      data,
      pages: next ? { next: { starting_after: next } } : { next: null },
    })),
  },
  {
    connector: 'intercom',
    action: 'search_contacts',
    auth: bearer,
    input: { query: { field: 'role', operator: '=', value: 'user' } },
    credential: BEARER,
    serve: (request) =>
      request.body.query === undefined
        ? bad('the query must stay in the body')
        : byCursor(
            'starting_after',
            () => 100,
            (data, next) => ({ data, pages: next ? { next: { starting_after: next } } : {} }),
            ({ body }) => (body.pagination as { starting_after?: string } | undefined)?.starting_after,
          )(request),
  },
  {
    connector: 'asana',
    action: 'list_tasks',
    auth: bearer,
    input: { project: '12' },
    credential: BEARER,
    basePath: '/api/1.0',
    serve: byCursor('offset', sizeOf('limit'), (data, offset) => ({
      data,
      next_page: offset ? { offset, path: 'x', uri: 'y' } : null,
    })),
  },
  {
    connector: 'discord',
    action: 'list_messages',
    auth: key,
    input: { channel_id: '7' },
    credential: ['authorization', 'Bot s3cret-token-value'],
    basePath: '/api/v10',
    serve: (request) => ({
      body: afterId('before', 'limit', (data) => data)(request).body ?? [],
    }),
  },
  {
    connector: 'openai',
    action: 'list_files',
    auth: bearer,
    credential: BEARER,
    basePath: '/v1',
    serve: afterId('after', 'limit', (data, has_more) => ({
      object: 'list',
      data,
      has_more,
      last_id: data.at(-1)?.id,
    })),
  },
  {
    connector: 'anthropic',
    action: 'list_batches',
    auth: key,
    credential: ['x-api-key', 's3cret-token-value'],
    basePath: '/v1',
    serve: afterId('after_id', 'limit', (data, has_more) => ({
      data,
      has_more,
      first_id: data[0]?.id,
      last_id: data.at(-1)?.id,
    })),
  },
  {
    connector: 'telegram',
    action: 'list_updates',
    auth: key,
    credential: 'base path',
    basePath: '/bots3cret-token-value',
    // The first record has number 1. An offset is the number of the next record, and skips those before it.
    serve: ({ query }) => {
      const start = whole(query.get('offset'), 1) - 1
      const result = page(start, Math.min(whole(query.get('limit'), 100), 100))
      return { body: { ok: true, result: result.map(({ number }) => ({ update_id: number })) } }
    },
  },
]
