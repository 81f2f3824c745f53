import {
  type ApiShape,
  byLast,
  byOffset,
  byPage,
  byToken,
  type Cut,
  type ShapeAnswer,
  withHeaders,
} from '../shape.ts'

const usual = { size: 20, total: 45 }
const maybe = (key: string, value: unknown) => (value === null ? {} : { [key]: value })
const linked = (c: Cut, parameters: Record<string, string | number | null>, rel = 'next') =>
  c.more && `<${c.link(parameters)}>; rel="${rel}"`
const wrong: ShapeAnswer = { status: 404, body: { message: 'not found' } }
/** Other paths return 404, so a link that leads there doesn't work. */
const onlyAt =
  (path: string, serve: ApiShape['serve']): ApiShape['serve'] =>
  (request) =>
    request.path === path ? serve(request) : wrong

/** The other half of the same vendors. Many need what only their documentation says. */
export const HELD_OUT_SHAPES: readonly ApiShape[] = (
  [
    {
      name: 'Aircall',
      call: 'GET v1/calls?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          meta: {
            count: c.rows.length,
            total: c.total,
            current_page: c.page,
            per_page: c.size,
            next_page_link: c.more ? c.link({ page: c.page + 1 }) : null,
            previous_page_link: null,
          },
          calls: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Allegro',
      call: 'GET sale/offers?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({ offers: c.rows, count: c.rows.length, totalCount: c.total }),
        usual,
      ),
    },
    {
      name: 'AppVeyor',
      call: 'GET api/projects/a/b/history?recordsNumber=20',
      serve: byLast(
        'startBuildId',
        (c) => ({
          project: { projectId: 1 },
          builds: c.rows.map(({ id, name }) => ({ buildId: id, version: name })),
        }),
        usual,
      ),
    },
    {
      name: 'Ashby',
      call: 'POST candidate.list',
      body: { limit: 20 },
      serve: byToken(
        'body.cursor',
        (c) => ({
          success: true,
          results: c.rows,
          moreDataAvailable: c.more,
          ...maybe('nextCursor', c.next),
          syncToken: 'sync1',
        }),
        usual,
      ),
    },
    {
      name: 'Bitrise',
      call: 'GET v0.1/apps?limit=20',
      serve: byToken(
        'next',
        (c) => ({
          data: c.rows,
          paging: { total_item_count: c.total, page_item_limit: c.size, ...maybe('next', c.next) },
        }),
        usual,
      ),
    },
    {
      name: 'Bluesky',
      call: 'GET xrpc/app.bsky.feed.getAuthorFeed?actor=a&limit=20',
      serve: byToken(
        'cursor',
        (c) => ({ feed: c.rows.map((post) => ({ post })), ...maybe('cursor', c.next) }),
        usual,
      ),
    },
    {
      name: 'Brightcove',
      call: 'GET v1/accounts/1/videos?limit=20',
      serve: byOffset('offset', 0, (c) => c.rows, usual),
    },
    {
      name: 'Bugsnag',
      call: 'GET organizations/1/projects?per_page=20',
      serve: byLast(
        'offset',
        (c) =>
          withHeaders({ Link: linked(c, { offset: c.last?.id ?? '' }), 'X-Total-Count': c.total }, c.rows),
        usual,
      ),
    },
    {
      name: 'Buildkite',
      call: 'GET v2/organizations/x/pipelines?per_page=20',
      serve: byPage('page', 1, (c) => withHeaders({ Link: linked(c, { page: c.page + 1 }) }, c.rows), usual),
    },
    {
      name: 'Bunny',
      call: 'GET pullzone?page=1&perPage=20',
      serve: byPage(
        'page',
        1,
        (c) => ({ Items: c.rows, CurrentPage: c.page, TotalItems: c.total, HasMoreItems: c.more }),
        usual,
      ),
    },
    {
      name: 'CKAN datastore',
      call: 'GET api/3/action/datastore_search?resource_id=a&limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          help: `${c.base}/api/3/action/help_show?name=datastore_search`,
          success: true,
          result: {
            include_total: true,
            resource_id: 'a',
            fields: [
              { id: '_id', type: 'int' },
              { id: 'name', type: 'text' },
            ],
            records_format: 'objects',
            records: c.rows,
            _links: {
              start: `${c.path}?resource_id=a&limit=20`,
              next: `${c.path}?resource_id=a&limit=20&offset=${c.start + c.size}`,
            },
            total: c.total,
            total_was_estimated: false,
          },
        }),
        usual,
      ),
    },
    {
      name: 'CORE',
      call: 'GET v3/search/works?q=x&limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          totalHits: c.total,
          limit: c.size,
          offset: c.start,
          scrollId: null,
          results: c.rows,
          searchId: 'x',
        }),
        usual,
      ),
    },
    {
      name: 'Canny',
      call: 'POST api/v1/posts/list',
      body: { apiKey: 'k', limit: 20 },
      serve: byOffset('body.skip', 0, (c) => ({ hasMore: c.more, posts: c.rows }), usual),
    },
    {
      name: 'Checkout',
      call: 'GET disputes?limit=20',
      serve: byOffset(
        'skip',
        0,
        (c) => ({
          limit: c.size,
          skip: c.start,
          from: '2020-01-01T00:00:00Z',
          to: '2021-01-01T00:00:00Z',
          total_count: c.total,
          data: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'ClinicalTrials',
      call: 'GET api/v2/studies?pageSize=20',
      serve: byToken(
        'pageToken',
        (c) => ({
          studies: c.rows.map(({ id }) => ({ protocolSection: { identificationModule: { nctId: id } } })),
          ...maybe('nextPageToken', c.next),
        }),
        usual,
      ),
    },
    {
      name: 'Cloudinary',
      call: 'GET v1_1/demo/resources/image?max_results=20',
      serve: byToken('next_cursor', (c) => ({ resources: c.rows, ...maybe('next_cursor', c.next) }), usual),
    },
    {
      name: 'Codecov',
      call: 'GET api/v2/github/x/repos?page_size=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          count: c.total,
          next: c.more ? c.link({ page: c.page + 1 }) : null,
          previous: null,
          results: c.rows,
          total_pages: c.pages,
        }),
        usual,
      ),
    },
    {
      name: 'CoinGecko',
      call: 'GET api/v3/coins/bitcoin/tickers',
      serve: byPage(
        'page',
        1,
        (c) =>
          withHeaders(
            { Total: c.total, 'Per-Page': 100 },
            { name: 'Bitcoin', tickers: c.rows.map(({ id }) => ({ base: 'BTC', target: id })) },
          ),
        { size: 100, total: 240 },
      ),
      total: 240,
    },
    {
      name: 'Companies House',
      call: 'GET search/companies?q=x&items_per_page=20',
      serve: byOffset(
        'start_index',
        0,
        (c) => ({
          kind: 'search#companies',
          items_per_page: c.size,
          start_index: c.start,
          total_results: c.total,
          page_number: c.page,
          items: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Customer.io',
      call: 'GET v1/messages?limit=20',
      serve: byToken('start', (c) => ({ messages: c.rows, next: c.next ?? '' }), usual),
    },
    {
      name: 'FEC',
      call: 'GET v1/candidates/?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          api_version: '1.0',
          pagination: {
            count: c.total,
            is_count_exact: true,
            page: c.page,
            pages: c.pages,
            per_page: c.size,
          },
          results: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Factorial',
      call: 'GET api/2025-01-01/resources/employees/employees?limit=20',
      serve: byToken(
        'after_id',
        (c) => ({
          data: c.rows,
          meta: {
            limit: c.size,
            total: c.total,
            has_next_page: c.more,
            has_previous_page: false,
            start_cursor: 'MQ==',
            end_cursor: c.next ?? 'last',
          },
        }),
        usual,
      ),
    },
    {
      name: 'Freshservice',
      call: 'GET api/v2/tickets?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => withHeaders({ Link: linked(c, { page: c.page + 1 }) }, { tickets: c.rows }),
        usual,
      ),
    },
    {
      name: 'Gerrit',
      call: 'GET changes/?q=status:open&n=20',
      serve: byOffset(
        'S',
        0,
        (c) =>
          c.rows.map((row, index) =>
            c.more && index === c.rows.length - 1 ? { ...row, _more_changes: true } : row,
          ),
        usual,
      ),
    },
    {
      name: 'GitBook',
      call: 'GET v1/orgs/1/spaces?limit=20',
      serve: byToken(
        'page',
        (c) => ({
          items: c.rows,
          count: c.total,
          ...maybe('next', c.next === null ? null : { page: c.next }),
        }),
        usual,
      ),
    },
    {
      name: 'GoCardless',
      call: 'GET payments?limit=20',
      serve: byToken(
        'after',
        (c) => ({ payments: c.rows, meta: { cursors: { before: null, after: c.next }, limit: c.size } }),
        usual,
      ),
    },
    {
      name: 'GoDaddy',
      call: 'GET v1/domains?limit=20',
      serve: byLast(
        'marker',
        (c) => c.rows.map(({ id }, index) => ({ domainId: index + 1000, domain: id, status: 'ACTIVE' })),
        usual,
      ),
    },
    {
      name: 'Greenhouse',
      call: 'GET v1/candidates?per_page=20',
      serve: byPage('page', 1, (c) => withHeaders({ Link: linked(c, { page: c.page + 1 }) }, c.rows), usual),
    },
    {
      name: 'Harbor',
      call: 'GET api/v2.0/projects?page_size=20',
      serve: byPage(
        'page',
        1,
        (c) => withHeaders({ Link: linked(c, { page: c.page + 1 }), 'X-Total-Count': c.total }, c.rows),
        usual,
      ),
    },
    {
      name: 'Harvard Art Museums',
      call: 'GET object?apikey=k&size=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          info: {
            totalrecordsperquery: c.size,
            totalrecords: c.total,
            pages: c.pages,
            page: c.page,
            ...(c.more ? { next: c.link({ page: c.page + 1 }) } : {}),
            responsetime: '5 ms',
          },
          records: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Hugging Face rows',
      call: 'GET rows?dataset=a&config=b&split=train&offset=0&length=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          features: [{ feature_idx: 0, name: 'text' }],
          rows: c.rows.map((row, index) => ({ row_idx: c.start + index, row, truncated_cells: [] })),
          num_rows_total: c.total,
          num_rows_per_page: 100,
          partial: false,
        }),
        usual,
      ),
    },
    { name: 'ImageKit', call: 'GET v1/files?limit=20', serve: byOffset('skip', 0, (c) => c.rows, usual) },
    {
      name: 'Imgur',
      call: 'GET 3/account/me/images?perPage=20',
      serve: byPage('page', 0, (c) => ({ data: c.rows, success: true, status: 200 }), usual),
    },
    {
      name: 'Increase',
      call: 'GET accounts?limit=20',
      serve: byToken('cursor', (c) => ({ data: c.rows, next_cursor: c.next }), usual),
    },
    {
      name: 'Jamf',
      call: 'GET api/v1/computers-inventory?page-size=20',
      serve: byPage('page', 0, (c) => ({ totalCount: c.total, results: c.rows }), usual),
    },
    {
      name: 'Judge.me',
      call: 'GET api/v1/reviews?per_page=20',
      serve: byPage('page', 1, (c) => ({ current_page: c.page, per_page: c.size, reviews: c.rows }), usual),
    },
    {
      name: 'Kustomer',
      call: 'GET v1/customers?pageSize=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          meta: { page: c.page, pageSize: c.size },
          links: {
            self: `${c.path}?page=${c.page}`,
            first: `${c.path}?page=1&pageSize=20`,
            prev: null,
            next: c.more ? `${c.path}?page=${c.page + 1}&pageSize=20` : null,
          },
          data: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Lightspeed',
      call: 'GET api/2.0/products?page_size=20',
      serve: byOffset(
        'after',
        0,
        (c) => ({
          data: c.rows.map((row, index) => ({ ...row, version: c.start + index + 1 })),
          version: {
            min: c.rows.length > 0 ? c.start + 1 : null,
            max: c.rows.length > 0 ? c.start + c.rows.length : null,
          },
        }),
        usual,
      ),
    },
    {
      name: 'Lob',
      call: 'GET v1/addresses?limit=20',
      serve: byToken(
        'after',
        (c) => ({
          data: c.rows,
          object: 'list',
          next_url: c.next === null ? null : c.link({ after: c.next }),
          previous_url: null,
          count: c.rows.length,
        }),
        usual,
      ),
    },
    {
      name: 'Looker',
      call: 'GET api/4.0/looks?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) =>
          withHeaders({ 'X-Total-Count': c.total, Link: linked(c, { offset: c.start + c.size }) }, c.rows),
        usual,
      ),
    },
    {
      name: 'Marqeta',
      call: 'GET v3/users?count=20',
      serve: byOffset(
        'start_index',
        0,
        (c) => ({
          count: c.rows.length,
          start_index: c.start,
          end_index: c.start + c.rows.length - 1,
          is_more: c.more,
          data: c.rows.map(({ id, name }) => ({ token: id, name })),
        }),
        usual,
      ),
    },
    {
      name: 'Mastodon',
      call: 'GET api/v1/timelines/public?limit=20',
      serve: byLast(
        'max_id',
        (c) => withHeaders({ Link: linked(c, { max_id: c.last?.id ?? '' }) }, c.rows),
        usual,
      ),
    },
    {
      name: 'Mattermost',
      call: 'GET api/v4/users?per_page=20',
      serve: byPage('page', 0, (c) => c.rows, usual),
    },
    {
      name: 'Maxio',
      call: 'GET subscriptions.json?per_page=20',
      serve: byPage('page', 1, (c) => c.rows.map((subscription) => ({ subscription })), usual),
    },
    {
      name: 'Mercado Libre',
      call: 'GET sites/MLA/search?q=x&limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          site_id: 'MLA',
          query: 'x',
          paging: { total: c.total, primary_results: c.total, offset: c.start, limit: c.size },
          results: c.rows,
          sort: { id: 'relevance', name: 'x' },
          available_sorts: [{ id: 'price_asc', name: 'x' }],
          filters: [],
          available_filters: [{ id: 'category', name: 'x', values: [] }],
        }),
        usual,
      ),
    },
    {
      name: 'Mercury',
      call: 'GET api/v1/account/1/transactions?limit=20',
      serve: byOffset('offset', 0, (c) => ({ total: c.total, transactions: c.rows }), usual),
    },
    {
      name: 'MessageBird',
      call: 'GET messages?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          offset: c.start,
          limit: c.size,
          count: c.rows.length,
          totalCount: c.total,
          links: {
            first: c.link({ offset: 0 }),
            previous: null,
            next: c.nextStart === null ? null : c.link({ offset: c.nextStart }),
            last: c.link({ offset: 40 }),
          },
          items: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Mixmax',
      call: 'GET v1/contacts?limit=20',
      serve: byToken(
        'next',
        (c) => ({
          results: c.rows,
          ...maybe('next', c.next),
          hasNext: c.more,
          previous: 'x',
          hasPrevious: false,
        }),
        usual,
      ),
    },
    {
      name: 'Mixpanel',
      call: 'GET api/query/engage?project_id=1',
      total: 240,
      serve(request) {
        if (request.query.has('page') && request.query.get('session_id') !== 'session-1')
          return { status: 400, body: { error: 'session_id is missing' } }
        return byPage(
          'page',
          0,
          (c) => ({
            page: c.page - 1,
            page_size: 100,
            session_id: 'session-1',
            status: 'ok',
            total: c.total,
            results: c.rows.map(({ id }) => ({ $distinct_id: id, $properties: {} })),
          }),
          { size: 100, total: 240 },
        )(request)
      },
    },
    {
      name: 'New Relic',
      call: 'POST graphql',
      body: {
        query:
          'query($cursor: String) { actor { entitySearch(query: "x") { count results(cursor: $cursor) { nextCursor entities { guid name } } } } }',
      },
      serve: byToken(
        'body.variables.cursor',
        (c) => ({
          data: {
            actor: { entitySearch: { count: c.total, results: { nextCursor: c.next, entities: c.rows } } },
          },
        }),
        { size: 200, total: 450 },
      ),
      total: 450,
    },
    { name: 'NinjaOne', call: 'GET v2/devices?pageSize=20', serve: byLast('after', (c) => c.rows, usual) },
    {
      name: 'Nylas',
      call: 'GET v3/grants/1/messages?limit=20',
      serve: byToken(
        'page_token',
        (c) => ({ request_id: 'r-x', data: c.rows, ...maybe('next_cursor', c.next) }),
        usual,
      ),
    },
    {
      name: 'OMDb',
      call: 'GET ?apikey=k&s=batman',
      serve: byPage(
        'page',
        1,
        (c) =>
          c.rows.length === 0
            ? { Response: 'False', Error: 'Movie not found!' }
            : {
                Search: c.rows.map(({ id, name }) => ({ Title: name, imdbID: id })),
                totalResults: String(c.total),
                Response: 'True',
              },
        { size: 10, total: 24 },
      ),
      total: 24,
    },
    {
      name: 'Octopus Deploy',
      call: 'GET api/Spaces-1/projects?take=20',
      serve: byOffset(
        'skip',
        0,
        (c) => ({
          ItemType: 'Project',
          TotalResults: c.total,
          ItemsPerPage: c.size,
          NumberOfPages: c.pages,
          LastPageNumber: c.pages - 1,
          Items: c.rows,
          Links: {
            Self: `${c.path}?skip=${c.start}&take=20`,
            Template: `${c.path}{?skip,take}`,
            ...(c.nextStart === null ? {} : { 'Page.Next': `${c.path}?skip=${c.nextStart}&take=20` }),
          },
        }),
        usual,
      ),
    },
    {
      name: 'OnePageCRM',
      call: 'GET api/v3/contacts.json?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          status: 0,
          message: 'OK',
          timestamp: 1600000000,
          data: {
            contacts: c.rows.map((contact) => ({ contact })),
            total_count: c.total,
            page: c.page,
            per_page: c.size,
            max_page: c.pages,
          },
        }),
        usual,
      ),
    },
    {
      name: 'OneSignal',
      call: 'GET notifications?app_id=1&limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({ total_count: c.total, offset: c.start, limit: c.size, notifications: c.rows }),
        usual,
      ),
    },
    {
      name: 'Onfleet',
      call: 'GET api/v2/tasks/all?from=1455072025000',
      serve: byToken('lastId', (c) => ({ ...maybe('lastId', c.next), tasks: c.rows }), {
        size: 64,
        total: 150,
      }),
      total: 150,
    },
    {
      name: 'Orb',
      call: 'GET v1/customers?limit=20',
      serve: byToken(
        'cursor',
        (c) => ({ data: c.rows, pagination_metadata: { has_more: c.more, next_cursor: c.next } }),
        usual,
      ),
    },
    {
      name: 'PandaDoc',
      call: 'GET public/v1/documents?count=20',
      serve: byPage('page', 1, (c) => ({ results: c.rows }), usual),
    },
    {
      name: 'PartnerStack',
      call: 'GET api/v2/partnerships?limit=20',
      serve: byLast(
        'starting_after',
        (c) => ({
          data: { items: c.rows.map(({ id }) => ({ key: id, created_at: 1 })), has_more: c.more },
          message: 'Ok',
          status: 200,
        }),
        usual,
      ),
    },
    {
      name: 'Perigon',
      call: 'GET v1/all?size=20',
      serve: byPage('page', 0, (c) => ({ status: 200, numResults: c.total, articles: c.rows }), usual),
    },
    {
      name: 'Phrase',
      call: 'GET v2/projects?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) =>
          withHeaders(
            {
              Link: linked(c, { page: c.page + 1 }),
              Pagination: JSON.stringify({ total_count: c.total, current_page: c.page }),
            },
            c.rows,
          ),
        usual,
      ),
    },
    {
      name: 'Pinterest',
      call: 'GET v5/boards?page_size=20',
      serve: byToken('bookmark', (c) => ({ items: c.rows, bookmark: c.next }), usual),
    },
    {
      name: 'Plivo',
      call: 'GET v1/Account/1/Message/?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          api_id: 'x',
          meta: {
            limit: c.size,
            next: c.nextStart === null ? null : `${c.path}?limit=20&offset=${c.nextStart}`,
            offset: c.start,
            previous: null,
            total_count: c.total,
          },
          objects: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'PrestaShop',
      call: 'GET api/products?output_format=JSON&limit=20',
      serve(request) {
        const [start = '', size] = (request.query.get('limit') ?? '').split(',')
        const at = size === undefined ? 0 : Number(start)
        const query = new URLSearchParams({ at: String(at) })
        return byOffset(
          'at',
          0,
          (c) => (c.rows.length === 0 ? [] : { products: c.rows }),
          usual,
        )({ ...request, query })
      },
    },
    {
      name: 'Printify',
      call: 'GET v1/shops/1/products.json?limit=20',
      serve: onlyAt(
        'v1/shops/1/products.json',
        byPage(
          'page',
          1,
          (c) => ({
            current_page: c.page,
            data: c.rows,
            first_page_url: '/?page=1',
            from: c.start + 1,
            last_page: c.pages,
            last_page_url: `/?page=${c.pages}`,
            next_page_url: c.more ? `/?page=${c.page + 1}` : null,
            path: '/',
            per_page: c.size,
            prev_page_url: null,
            to: c.start + c.rows.length,
            total: c.total,
          }),
          usual,
        ),
      ),
    },
    {
      name: 'Productboard',
      call: 'GET features?pageLimit=20',
      serve: byToken(
        'pageCursor',
        (c) => ({
          data: c.rows,
          links: { ...maybe('next', c.next === null ? null : c.link({ pageCursor: c.next })) },
        }),
        usual,
      ),
    },
    {
      name: 'Quay',
      call: 'GET api/v1/repository?namespace=x',
      serve: byToken('next_page', (c) => ({ repositories: c.rows, ...maybe('next_page', c.next) }), {
        size: 100,
        total: 240,
      }),
      total: 240,
    },
    {
      name: 'Ramp',
      call: 'GET developer/v1/transactions?page_size=20',
      serve: byToken(
        'start',
        (c) => ({ data: c.rows, page: { next: c.next === null ? null : c.link({ start: c.next }) } }),
        usual,
      ),
    },
    {
      name: 'Redmine',
      call: 'GET issues.json?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({ issues: c.rows, total_count: c.total, offset: c.start, limit: c.size }),
        usual,
      ),
    },
    {
      name: 'RingCentral',
      call: 'GET restapi/v1.0/account/~/call-log?perPage=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          uri: c.link({}),
          records: c.rows,
          paging: { page: c.page, perPage: c.size, pageStart: c.start, pageEnd: c.start + c.rows.length - 1 },
          navigation: {
            ...(c.more ? { nextPage: { uri: c.link({ page: c.page + 1 }) } } : {}),
            firstPage: { uri: c.link({ page: 1 }) },
          },
        }),
        usual,
      ),
    },
    {
      name: 'Roblox',
      call: 'GET v1/groups/1/users?limit=20',
      serve: byToken(
        'cursor',
        (c) => ({
          previousPageCursor: null,
          nextPageCursor: c.next,
          data: c.rows.map((user) => ({ user, role: { id: 1 } })),
        }),
        usual,
      ),
    },
    {
      name: 'Rollbar',
      call: 'GET api/1/items',
      serve: byPage(
        'page',
        1,
        (c) => ({ err: 0, result: { page: c.page, items: c.rows, total_count: c.total } }),
        { size: 100, total: 240 },
      ),
      total: 240,
    },
    {
      name: 'Sage Accounting',
      call: 'GET v3.1/contacts?items_per_page=20',
      serve: onlyAt(
        'v3.1/contacts',
        byPage(
          'page',
          1,
          (c) => ({
            $total: c.total,
            $page: c.page,
            $next: c.more ? `/contacts?page=${c.page + 1}&items_per_page=20` : null,
            $back: null,
            $itemsPerPage: c.size,
            $items: c.rows,
          }),
          usual,
        ),
      ),
    },
    {
      name: 'Sendbird',
      call: 'GET v3/users?limit=20',
      serve: byToken(
        'token',
        (c) => ({ users: c.rows.map(({ id }) => ({ user_id: id })), next: c.next ?? '' }),
        usual,
      ),
    },
    {
      name: 'Short.io',
      call: 'GET api/links?domain_id=1&limit=20',
      serve: byToken('pageToken', (c) => ({ links: c.rows, count: c.total, nextPageToken: c.next }), usual),
    },
    {
      name: 'Sigma',
      call: 'GET v2/workbooks?limit=20',
      serve: byOffset(
        'page',
        0,
        (c) => ({
          entries: c.rows,
          hasMore: c.more,
          total: c.total,
          nextPage: c.nextStart === null ? null : String(c.nextStart),
        }),
        usual,
      ),
    },
    {
      name: 'SignNow',
      call: 'GET v2/documents?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          data: c.rows,
          meta: {
            pagination: {
              total: c.total,
              count: c.rows.length,
              per_page: c.size,
              current_page: c.page,
              total_pages: c.pages,
              links: c.more ? { next: c.link({ page: c.page + 1 }) } : {},
            },
          },
        }),
        usual,
      ),
    },
    {
      name: 'SoundCloud',
      call: 'GET tracks?q=x&limit=20&linked_partitioning=true',
      serve: byToken(
        'cursor',
        (c) => ({ collection: c.rows, next_href: c.next === null ? null : c.link({ cursor: c.next }) }),
        usual,
      ),
    },
    {
      name: 'SparkPost',
      call: 'GET api/v1/events/message?per_page=20',
      serve: byToken(
        'cursor',
        (c) => ({
          results: c.rows,
          total_count: c.total,
          links:
            c.next === null ? {} : { next: `${c.path}?cursor=${encodeURIComponent(c.next)}&per_page=20` },
        }),
        usual,
      ),
    },
    {
      name: 'Stack Exchange',
      call: 'GET 2.3/questions?site=stackoverflow&pagesize=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          items: c.rows.map(({ id }) => ({ question_id: id, owner: { user_id: 1 } })),
          has_more: c.more,
          quota_max: 300,
          quota_remaining: 299,
        }),
        usual,
      ),
    },
    {
      name: 'Statuspage',
      call: 'GET v1/pages/1/incidents?limit=20',
      serve: byPage('page', 1, (c) => c.rows, usual),
    },
    {
      name: 'Steam',
      call: 'GET IStoreService/GetAppList/v1/?key=k&max_results=20',
      serve: byLast(
        'last_appid',
        (c) => ({
          response: {
            apps: c.rows.map(({ id, name }) => ({ appid: id, name })),
            ...(c.more ? { have_more_results: true, last_appid: c.last?.id } : {}),
          },
        }),
        usual,
      ),
    },
    {
      name: 'Strava',
      call: 'GET api/v3/athlete/activities?per_page=20',
      serve: byPage('page', 1, (c) => c.rows, usual),
    },
    {
      name: 'Svix',
      call: 'GET api/v1/app?limit=20',
      serve: byToken(
        'iterator',
        (c) => ({ data: c.rows, iterator: c.next ?? 'iter_end', prevIterator: '-iter_start', done: !c.more }),
        usual,
      ),
    },
    {
      name: 'TVMaze',
      call: 'GET shows',
      serve: (request) => {
        const answer = byPage('page', 0, (c) => c.rows, { size: 250, total: 610 })(request)
        return Array.isArray(answer.body) && answer.body.length === 0 ? wrong : answer
      },
      total: 610,
    },
    {
      name: 'Taiga',
      call: 'GET api/v1/projects?page_size=20',
      serve: byPage(
        'page',
        1,
        (c) =>
          withHeaders(
            {
              'X-Paginated': 'true',
              'X-Paginated-By': c.size,
              'X-Pagination-Count': c.total,
              'X-Pagination-Current': c.page,
              'X-Pagination-Next': c.more && c.link({ page: c.page + 1 }),
            },
            c.rows,
          ),
        usual,
      ),
    },
    {
      name: 'Tempo',
      call: 'GET 4/worklogs?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          self: c.link({}),
          metadata: {
            count: c.rows.length,
            offset: c.start,
            limit: c.size,
            ...(c.nextStart === null ? {} : { next: c.link({ offset: c.nextStart }) }),
          },
          results: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Terraform Cloud',
      call: 'GET api/v2/organizations/x/workspaces?page[size]=20',
      serve: byPage(
        'page[number]',
        1,
        (c) => ({
          data: c.rows,
          links: {
            self: c.link({ 'page[number]': c.page }),
            first: c.link({ 'page[number]': 1 }),
            prev: null,
            next: c.more ? c.link({ 'page[number]': c.page + 1 }) : null,
            last: c.link({ 'page[number]': c.pages }),
          },
          meta: {
            pagination: {
              'current-page': c.page,
              'page-size': c.size,
              'prev-page': null,
              'next-page': c.more ? c.page + 1 : null,
              'total-pages': c.pages,
              'total-count': c.total,
            },
          },
        }),
        usual,
      ),
    },
    {
      name: 'TestRail',
      call: 'GET index.php?/api/v2/get_cases/1&limit=20',
      serve: onlyAt(
        'index.php',
        byOffset(
          'offset',
          0,
          (c) => ({
            offset: c.start,
            limit: c.size,
            size: c.rows.length,
            _links: {
              next: c.nextStart === null ? null : `/api/v2/get_cases/1&limit=20&offset=${c.nextStart}`,
              prev: null,
            },
            cases: c.rows,
          }),
          usual,
        ),
      ),
    },
    {
      name: 'Tremendous',
      call: 'GET api/v2/orders?limit=20',
      serve: byOffset('offset', 0, (c) => ({ orders: c.rows, total_count: c.total }), usual),
    },
    {
      name: 'Trove',
      call: 'GET v3/result?category=book&q=x&s=*&n=20',
      serve: (request) => {
        const query = new URLSearchParams(request.query)
        if (query.get('s') === '*') query.delete('s')
        return byToken(
          's',
          (c) => ({
            query: 'x',
            category: [
              {
                code: 'book',
                name: 'Books',
                records: {
                  s: '*',
                  n: c.size,
                  total: c.total,
                  ...(c.next === null ? {} : { next: c.link({ s: c.next }), nextStart: c.next }),
                  work: c.rows,
                },
              },
            ],
          }),
          usual,
        )({ ...request, query })
      },
    },
    {
      name: 'Trustpilot',
      call: 'GET v1/business-units/1/reviews?perPage=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          links: [
            ...(c.more ? [{ href: c.link({ page: c.page + 1 }), method: 'GET', rel: 'next-page' }] : []),
            { href: c.link({}), method: 'GET', rel: 'self' },
          ],
          reviews: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Typeform',
      call: 'GET forms/1/responses?page_size=20',
      serve: byLast(
        'before',
        (c) => ({
          total_items: c.total,
          page_count: c.pages,
          items: c.rows.map(({ id }) => ({
            landing_id: `l-${id.slice(1)}`,
            token: id,
            landed_at: '2020-01-01T00:00:00Z',
          })),
        }),
        usual,
      ),
    },
    {
      name: 'UptimeRobot',
      call: 'POST v2/getMonitors',
      body: { api_key: 'k', format: 'json', limit: 20 },
      serve: byOffset(
        'body.offset',
        0,
        (c) => ({
          stat: 'ok',
          pagination: { offset: c.start, limit: c.size, total: c.total },
          monitors: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Vimeo',
      call: 'GET me/videos?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          total: c.total,
          page: c.page,
          per_page: c.size,
          paging: {
            next: c.more ? `${c.path}?per_page=20&page=${c.page + 1}` : null,
            previous: null,
            first: `${c.path}?per_page=20&page=1`,
            last: `${c.path}?per_page=20&page=${c.pages}`,
          },
          data: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Walmart',
      call: 'GET v3/items?limit=20',
      serve: byToken(
        'nextCursor',
        (c) => ({ ItemResponse: c.rows, totalItems: c.total, ...maybe('nextCursor', c.next) }),
        usual,
      ),
    },
    {
      name: 'Wistia',
      call: 'GET v1/medias.json?per_page=20',
      serve: byPage('page', 1, (c) => c.rows, usual),
    },
    {
      name: 'Wufoo',
      call: 'GET api/v3/forms/1/entries.json?pageSize=20',
      serve: byOffset('pageStart', 0, (c) => ({ Entries: c.rows }), usual),
    },
    {
      name: 'YouTrack',
      call: 'GET api/issues?fields=id,summary&$top=20',
      serve: byOffset('$skip', 0, (c) => c.rows, usual),
    },
    {
      name: 'Zuora',
      call: 'GET object-query/accounts?pageSize=20',
      serve: byToken('cursor', (c) => ({ ...maybe('nextPage', c.next), data: c.rows }), usual),
    },
    { name: 'dev.to', call: 'GET api/articles?per_page=20', serve: byPage('page', 1, (c) => c.rows, usual) },
    {
      name: 'e-conomic',
      call: 'GET customers?pagesize=20',
      serve: byPage(
        'skippages',
        0,
        (c) => ({
          collection: c.rows,
          pagination: {
            maxPageSizeAllowed: 1000,
            skipPages: c.page - 1,
            pageSize: c.size,
            results: c.total,
            resultsWithoutFilter: c.total,
            firstPage: c.link({ skippages: 0 }),
            ...(c.more ? { nextPage: c.link({ skippages: c.page }) } : {}),
            lastPage: c.link({ skippages: c.pages - 1 }),
          },
          self: c.link({}),
        }),
        usual,
      ),
    },
    {
      name: 'incident.io',
      call: 'GET v2/incidents?page_size=20',
      serve: byLast(
        'after',
        (c) => ({
          incidents: c.rows,
          pagination_meta: {
            ...(c.more ? { after: c.last?.id } : {}),
            page_size: c.size,
            total_record_count: c.total,
          },
        }),
        usual,
      ),
    },
    {
      name: 'lexoffice',
      call: 'GET v1/voucherlist?size=20',
      serve: byPage(
        'page',
        0,
        (c) => ({
          content: c.rows,
          first: c.start === 0,
          last: !c.more,
          totalPages: c.pages,
          totalElements: c.total,
          numberOfElements: c.rows.length,
          size: c.size,
          number: c.page - 1,
          sort: [{ property: 'date', direction: 'ASC' }],
        }),
        usual,
      ),
    },
    {
      name: 'n8n',
      call: 'GET api/v1/workflows?limit=20',
      serve: byToken('cursor', (c) => ({ data: c.rows, nextCursor: c.next }), usual),
    },
    {
      name: 'sevDesk',
      call: 'GET api/v1/Contact?limit=20',
      serve: byOffset('offset', 0, (c) => ({ objects: c.rows }), usual),
    },
  ] satisfies readonly ApiShape[]
).map((shape) => ({ total: usual.total, ...shape }))
