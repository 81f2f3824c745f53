import { type ApiShape, byLast, byOffset, byPage, byToken, type Cut, withHeaders } from '../shape.ts'

const usual = { size: 20, total: 45 }
const maybe = (key: string, value: unknown) => (value === null ? {} : { [key]: value })
const linked = (c: Cut, parameters: Record<string, string | number | null>, rel = 'next') =>
  c.more && `<${c.link(parameters)}>; rel="${rel}"`
/** The shape of Django REST framework. */
const django = (next: (c: Cut) => Record<string, string | number | null>) => (c: Cut) => ({
  count: c.total,
  next: c.more ? c.link(next(c)) : null,
  previous: null,
  results: c.rows,
})

/** One half of the vendors that were drawn at random. Suggestions are improved with these. */
export const DEVELOPMENT_SHAPES: readonly ApiShape[] = (
  [
    {
      name: 'Aha',
      call: 'GET api/v1/features?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          features: c.rows,
          pagination: { total_records: c.total, total_pages: c.pages, current_page: c.page },
        }),
        usual,
      ),
    },
    {
      name: 'Amazon Advertising',
      call: 'POST sp/campaigns/list',
      body: { maxResults: 20 },
      serve: byToken(
        'body.nextToken',
        (c) => ({ campaigns: c.rows, totalResults: c.total, ...maybe('nextToken', c.next) }),
        usual,
      ),
    },
    {
      name: 'AniList',
      call: 'POST graphql',
      body: {
        query:
          'query($page: Int) { Page(page: $page, perPage: 20) { pageInfo { total currentPage hasNextPage } media { id } } }',
        variables: { page: 1 },
      },
      serve: byPage(
        'body.variables.page',
        1,
        (c) => ({
          data: {
            Page: {
              pageInfo: {
                total: 5000,
                perPage: c.size,
                currentPage: c.page,
                lastPage: 250,
                hasNextPage: c.more,
              },
              media: c.rows,
            },
          },
        }),
        usual,
      ),
    },
    {
      name: 'Art Institute of Chicago',
      call: 'GET api/v1/artworks?limit=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          pagination: {
            total: c.total,
            limit: c.size,
            offset: c.start,
            total_pages: c.pages,
            current_page: c.page,
            ...(c.more ? { next_url: c.link({ page: c.page + 1 }) } : {}),
          },
          data: c.rows,
          info: { license_text: 'x' },
          config: { website_url: 'http://x.test' },
        }),
        usual,
      ),
    },
    {
      name: 'AssemblyAI',
      call: 'GET v2/transcript?limit=20',
      serve: byLast(
        'before_id',
        (c) => ({
          page_details: {
            limit: c.size,
            result_count: c.rows.length,
            current_url: c.link({}),
            prev_url: c.more ? c.link({ before_id: c.last?.id ?? '' }) : null,
            next_url: null,
          },
          transcripts: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Basecamp',
      call: 'GET 1/projects.json',
      serve: byPage(
        'page',
        1,
        (c) => withHeaders({ Link: linked(c, { page: c.page + 1 }), 'X-Total-Count': c.total }, c.rows),
        { size: 15, total: 40 },
      ),
      total: 40,
    },
    {
      name: 'Braze',
      call: 'GET campaigns/list',
      serve: byPage('page', 0, (c) => ({ message: 'success', campaigns: c.rows }), { size: 100, total: 240 }),
      total: 240,
    },
    {
      name: 'Brex',
      call: 'GET v2/cards?limit=20',
      serve: byToken('cursor', (c) => ({ next_cursor: c.next, items: c.rows }), usual),
    },
    {
      name: 'Campaign Monitor',
      call: 'GET api/v3.3/lists/1/active.json?pagesize=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          Results: c.rows,
          ResultsOrderedBy: 'email',
          OrderDirection: 'asc',
          PageNumber: c.page,
          PageSize: c.size,
          RecordsOnThisPage: c.rows.length,
          TotalNumberOfRecords: c.total,
          NumberOfPages: c.pages,
        }),
        usual,
      ),
    },
    {
      name: 'Close',
      call: 'GET api/v1/lead/?_limit=20',
      serve: byOffset('_skip', 0, (c) => ({ has_more: c.more, total_results: c.total, data: c.rows }), usual),
    },
    {
      name: 'Congress',
      call: 'GET v3/bill?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          bills: c.rows,
          pagination: {
            count: c.total,
            ...(c.nextStart === null ? {} : { next: c.link({ offset: c.nextStart }) }),
          },
          request: { contentType: 'application/json', format: 'json' },
        }),
        usual,
      ),
    },
    {
      name: 'Copper',
      call: 'POST developer_api/v1/people/search',
      body: { page_size: 20 },
      serve: byPage('body.page_number', 1, (c) => withHeaders({ 'X-PW-TOTAL': c.total }, c.rows), usual),
    },
    {
      name: 'Crowdin',
      call: 'GET api/v2/projects?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({ data: c.rows.map((data) => ({ data })), pagination: { offset: c.start, limit: c.size } }),
        usual,
      ),
    },
    {
      name: 'DPLA',
      call: 'GET v2/items?q=x&page_size=20',
      serve: byPage(
        'page',
        1,
        (c) => ({ count: c.total, start: c.start + 1, limit: c.size, docs: c.rows, facets: [] }),
        usual,
      ),
    },
    {
      name: 'DPLA with its page',
      call: 'GET v2/items?q=x&page_size=20&page=1',
      serve: byPage(
        'page',
        1,
        (c) => ({ count: c.total, start: c.start + 1, limit: c.size, docs: c.rows, facets: [] }),
        usual,
      ),
    },
    {
      name: 'Dailymotion',
      call: 'GET videos?limit=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          page: c.page,
          limit: c.size,
          explicit: false,
          total: c.total,
          has_more: c.more,
          list: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'DataCite',
      call: 'GET dois?page[size]=20',
      serve: byPage(
        'page[number]',
        1,
        (c) => ({
          data: c.rows,
          meta: { total: c.total, totalPages: c.pages, page: c.page },
          links: { self: c.link({}), ...(c.more ? { next: c.link({ 'page[number]': c.page + 1 }) } : {}) },
        }),
        usual,
      ),
    },
    {
      name: 'Deezer',
      call: 'GET search?q=x&limit=20',
      serve: byOffset(
        'index',
        0,
        (c) => ({
          data: c.rows,
          total: c.total,
          ...(c.nextStart === null ? {} : { next: c.link({ index: c.nextStart }) }),
        }),
        usual,
      ),
    },
    {
      name: 'Dixa',
      call: 'GET v1/endusers?pageLimit=20',
      serve: byToken(
        'pageKey',
        (c) => ({
          data: c.rows,
          meta: {
            previous: null,
            next: c.next === null ? null : `${c.path}?pageLimit=20&pageKey=${encodeURIComponent(c.next)}`,
          },
        }),
        usual,
      ),
    },
    {
      name: 'Docker Hub',
      call: 'GET v2/repositories/x/?page_size=20',
      serve: byPage(
        'page',
        1,
        django((c) => ({ page: c.page + 1 })),
        usual,
      ),
    },
    {
      name: 'Drip',
      call: 'GET v2/1/subscribers?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          links: { 'subscribers.account': 'https://x.test/{id}' },
          meta: { page: c.page, count: c.rows.length, total_pages: c.pages, total_count: c.total },
          subscribers: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Dwolla',
      call: 'GET customers?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          _links: {
            self: { href: c.link({}) },
            first: { href: c.link({ offset: 0 }) },
            ...(c.nextStart === null ? {} : { next: { href: c.link({ offset: c.nextStart }) } }),
          },
          _embedded: { customers: c.rows },
          total: c.total,
        }),
        usual,
      ),
    },
    {
      name: 'Dynatrace',
      call: 'GET api/v2/entities?entitySelector=x&pageSize=20',
      serve: byToken(
        'nextPageKey',
        (c) => ({
          totalCount: c.total,
          pageSize: c.size,
          ...maybe('nextPageKey', c.next),
          entities: c.rows.map(({ id, name }) => ({ entityId: id, displayName: name })),
        }),
        { ...usual, alone: true },
      ),
    },
    {
      name: 'EmailOctopus',
      call: 'GET lists?limit=20',
      serve: byToken(
        'starting_after',
        (c) => ({
          data: c.rows,
          paging: {
            next:
              c.next === null ? null : { url: c.link({ starting_after: c.next }), starting_after: c.next },
          },
        }),
        usual,
      ),
    },
    {
      name: 'Etherscan',
      call: 'GET api?module=account&action=txlist&address=x&page=1&offset=20',
      serve: byPage(
        'page',
        1,
        (c) =>
          c.rows.length === 0
            ? { status: '0', message: 'No transactions found', result: [] }
            : { status: '1', message: 'OK', result: c.rows },
        usual,
      ),
    },
    {
      name: 'Europeana',
      call: 'GET record/v2/search.json?query=x&rows=20&cursor=*',
      serve: (request) => {
        const query = new URLSearchParams(request.query)
        if (query.get('cursor') === '*') query.delete('cursor')
        return byToken(
          'cursor',
          (c) => ({
            apikey: 'k',
            success: true,
            requestNumber: 999,
            itemsCount: c.rows.length,
            totalResults: c.total,
            ...maybe('nextCursor', c.next),
            items: c.rows,
          }),
          usual,
        )({ ...request, query })
      },
    },
    {
      name: 'Fastly',
      call: 'GET resources/stores/kv?limit=20',
      serve: byToken(
        'cursor',
        (c) => ({ data: c.rows, meta: { ...maybe('next_cursor', c.next), limit: c.size } }),
        usual,
      ),
    },
    {
      name: 'Federal Register',
      call: 'GET api/v1/documents.json?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          count: c.total,
          description: 'All',
          total_pages: c.pages,
          ...(c.more ? { next_page_url: c.link({ page: c.page + 1, format: 'json' }) } : {}),
          results: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Figshare',
      call: 'GET v2/articles?page_size=20',
      serve: byPage('page', 1, (c) => c.rows, usual),
    },
    {
      name: 'Firestore',
      call: 'GET v1/projects/p/databases/d/documents/c?pageSize=20',
      serve: byToken(
        'pageToken',
        (c) => ({
          documents: c.rows.map(({ id }) => ({ name: id, fields: {}, createTime: 'x' })),
          ...maybe('nextPageToken', c.next),
        }),
        usual,
      ),
    },
    {
      name: 'Fleetio',
      call: 'GET api/v1/vehicles?per_page=20',
      serve: byToken(
        'start_cursor',
        (c) => ({
          start_cursor: null,
          next_cursor: c.next,
          per_page: c.size,
          estimated_remaining_count: 25,
          filtered_by: [],
          sorted_by: [{ id: 'asc' }],
          records: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Freshsales',
      call: 'GET api/contacts/view/1',
      serve: byPage(
        'page',
        1,
        (c) => ({ contacts: c.rows, meta: { total_pages: c.pages, total: c.total } }),
        { size: 25, total: 60 },
      ),
      total: 60,
    },
    {
      name: 'GLEIF',
      call: 'GET api/v1/lei-records?page[size]=20',
      serve: byPage(
        'page[number]',
        1,
        (c) => ({
          meta: {
            goldenCopy: { publishDate: '2020-01-01T00:00:00Z' },
            pagination: {
              currentPage: c.page,
              perPage: c.size,
              from: c.start + 1,
              to: c.start + c.rows.length,
              total: c.total,
              lastPage: c.pages,
            },
          },
          links: {
            first: c.link({ 'page[number]': 1 }),
            ...(c.more ? { next: c.link({ 'page[number]': c.page + 1 }) } : {}),
            last: c.link({ 'page[number]': c.pages }),
          },
          data: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Gitea',
      call: 'GET api/v1/repos/search?limit=20',
      serve: byPage(
        'page',
        1,
        (c) =>
          withHeaders(
            { Link: linked(c, { page: c.page + 1 }), 'X-Total-Count': c.total },
            { ok: true, data: c.rows },
          ),
        usual,
      ),
    },
    {
      name: 'Graylog',
      call: 'GET api/streams/paginated?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          query: '',
          pagination: { total: c.total, count: c.rows.length, page: c.page, per_page: c.size },
          total: c.total,
          sort: 'title',
          order: 'asc',
          streams: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Guru',
      call: 'GET api/v1/search/query',
      serve: byToken(
        'token',
        (c) => withHeaders({ Link: linked(c, { token: c.next }, 'next-page') }, c.rows),
        { size: 50, total: 120 },
      ),
      total: 120,
    },
    {
      name: 'HighLevel',
      call: 'GET contacts/?locationId=1&limit=20',
      serve: byToken(
        'startAfterId',
        (c) => ({
          contacts: c.rows,
          meta: {
            total: c.total,
            nextPageUrl: c.next === null ? null : c.link({ startAfterId: c.next }),
            startAfterId: c.next,
            startAfter: 1600000000,
            currentPage: c.page,
            nextPage: c.more ? c.page + 1 : null,
            prevPage: null,
          },
        }),
        usual,
      ),
    },
    {
      name: 'Insightly',
      call: 'GET v3.1/Contacts?top=20',
      serve: byOffset('skip', 0, (c) => c.rows.map(({ id }) => ({ CONTACT_ID: id })), usual),
    },
    {
      name: 'Jikan',
      call: 'GET v4/anime?limit=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          pagination: {
            last_visible_page: c.pages,
            has_next_page: c.more,
            current_page: c.page,
            items: { count: c.rows.length, total: c.total, per_page: c.size },
          },
          data: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Jotform',
      call: 'GET user/forms?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          responseCode: 200,
          message: 'success',
          content: c.rows,
          duration: '20ms',
          resultSet: { offset: c.start, limit: c.size, count: c.rows.length },
          'limit-left': 990,
        }),
        usual,
      ),
    },
    {
      name: 'JustCall',
      call: 'GET v2.1/calls?per_page=20',
      serve: byPage(
        'page',
        0,
        (c) => ({
          status: 'success',
          count: c.rows.length,
          next_page_link: c.more ? c.link({ page: c.page }) : null,
          prev_page_link: null,
          data: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Kit',
      call: 'GET v4/subscribers?per_page=20',
      serve: byToken(
        'after',
        (c) => ({
          subscribers: c.rows,
          pagination: {
            has_previous_page: false,
            has_next_page: c.more,
            start_cursor: 'WzE=',
            end_cursor: c.next ?? 'last',
            per_page: c.size,
          },
        }),
        usual,
      ),
    },
    {
      name: 'Launch Library',
      call: 'GET 2.2.0/launch/?limit=20',
      serve: byOffset(
        'offset',
        0,
        django((c) => ({ offset: c.start + c.size })),
        usual,
      ),
    },
    {
      name: 'Linear',
      call: 'POST graphql',
      body: {
        query:
          'query($after: String) { issues(first: 20, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      },
      serve: byToken(
        'body.variables.after',
        (c) => ({
          data: { issues: { nodes: c.rows, pageInfo: { hasNextPage: c.more, endCursor: c.next ?? 'last' } } },
        }),
        usual,
      ),
    },
    {
      name: 'Lokalise',
      call: 'GET api2/projects?limit=20',
      serve: byPage(
        'page',
        1,
        (c) =>
          withHeaders(
            {
              'X-Pagination-Total-Count': c.total,
              'X-Pagination-Page-Count': c.pages,
              'X-Pagination-Limit': c.size,
              'X-Pagination-Page': c.page,
            },
            { projects: c.rows.map(({ id }) => ({ project_id: id })) },
          ),
        usual,
      ),
    },
    {
      name: 'Luma',
      call: 'GET v1/calendar/list-events?pagination_limit=20',
      serve: byToken(
        'pagination_cursor',
        (c) => ({ entries: c.rows, has_more: c.more, next_cursor: c.next }),
        usual,
      ),
    },
    {
      name: 'MailerLite',
      call: 'GET api/subscribers?limit=20',
      serve: byToken(
        'cursor',
        (c) => ({
          data: c.rows,
          links: {
            first: null,
            last: null,
            prev: null,
            next: c.next === null ? null : c.link({ cursor: c.next }),
          },
          meta: { path: 'https://x.test', per_page: c.size, next_cursor: c.next, prev_cursor: null },
        }),
        usual,
      ),
    },
    {
      name: 'Meraki',
      call: 'GET api/v1/organizations/1/networks?perPage=20',
      serve: byLast(
        'startingAfter',
        (c) =>
          withHeaders(
            {
              Link:
                c.more &&
                `<${c.link({ startingAfter: '0' })}>; rel=first, <${c.link({ startingAfter: c.last?.id ?? '' })}>; rel=next`,
            },
            c.rows,
          ),
        usual,
      ),
    },
    {
      name: 'Merge',
      call: 'GET api/hris/v1/employees?page_size=20',
      serve: byToken('cursor', (c) => ({ next: c.next, previous: null, results: c.rows }), usual),
    },
    {
      name: 'Missive',
      call: 'GET v1/contacts?contact_book=1&limit=20',
      serve: byOffset('offset', 0, (c) => ({ contacts: c.rows }), usual),
    },
    {
      name: 'Mollie',
      call: 'GET v2/payments?limit=20',
      serve: byToken(
        'from',
        (c) => ({
          _embedded: { payments: c.rows },
          count: c.rows.length,
          _links: {
            self: { href: c.link({}), type: 'application/hal+json' },
            previous: null,
            next: c.next === null ? null : { href: c.link({ from: c.next }), type: 'application/hal+json' },
          },
        }),
        usual,
      ),
    },
    {
      name: 'Moneybird',
      call: 'GET api/v2/1/contacts.json?per_page=20',
      serve: byPage('page', 1, (c) => withHeaders({ Link: linked(c, { page: c.page + 1 }) }, c.rows), usual),
    },
    {
      name: 'Mux',
      call: 'GET data/v1/video-views?limit=20',
      serve: byPage(
        'page',
        1,
        (c) => ({ total_row_count: c.total, timeframe: [1600000000, 1600086400], data: c.rows }),
        usual,
      ),
    },
    {
      name: 'NOAA',
      call: 'GET cdo-web/api/v2/datasets?limit=20',
      serve: byOffset(
        'offset',
        1,
        (c) => ({
          metadata: { resultset: { offset: c.start + 1, count: c.total, limit: c.size } },
          results: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'NVD',
      call: 'GET rest/json/cves/2.0?resultsPerPage=20',
      serve: byOffset(
        'startIndex',
        0,
        (c) => ({
          resultsPerPage: c.rows.length,
          startIndex: c.start,
          totalResults: c.total,
          format: 'NVD_CVE',
          version: '2.0',
          timestamp: '2020-01-01T00:00:00',
          vulnerabilities: c.rows.map(({ id }) => ({ cve: { id } })),
        }),
        usual,
      ),
    },
    {
      name: 'Netlify',
      call: 'GET api/v1/sites?per_page=20',
      serve: byPage('page', 1, (c) => withHeaders({ Link: linked(c, { page: c.page + 1 }) }, c.rows), usual),
    },
    {
      name: 'ORCID',
      call: 'GET v3.0/expanded-search/?q=x&rows=20',
      serve: byOffset(
        'start',
        0,
        (c) => ({ 'expanded-result': c.rows.map(({ id }) => ({ 'orcid-id': id })), 'num-found': c.total }),
        usual,
      ),
    },
    {
      name: 'OpenAQ',
      call: 'GET v3/locations?limit=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          meta: {
            name: 'openaq-api',
            website: '/',
            page: c.page,
            limit: c.size,
            found: c.more ? '>20' : c.rows.length,
          },
          results: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'OpenProject',
      call: 'GET api/v3/work_packages?pageSize=20',
      serve: byPage(
        'offset',
        1,
        (c) => ({
          _type: 'Collection',
          total: c.total,
          count: c.rows.length,
          pageSize: c.size,
          offset: c.page,
          _links: {
            self: { href: c.link({}) },
            jumpTo: { href: `${c.path}?offset={offset}&pageSize=20`, templated: true },
            changeSize: { href: `${c.path}?offset=1&pageSize={size}`, templated: true },
            ...(c.more ? { nextByOffset: { href: c.link({ offset: c.page + 1 }) } } : {}),
          },
          _embedded: { elements: c.rows },
        }),
        usual,
      ),
    },
    {
      name: 'Oura',
      call: 'GET v2/usercollection/sleep?start_date=2020-01-01',
      serve: byToken('next_token', (c) => ({ data: c.rows, next_token: c.next }), usual),
    },
    {
      name: 'Outreach',
      call: 'GET api/v2/prospects?page[size]=20',
      serve: byToken(
        'page[after]',
        (c) => ({
          data: c.rows,
          meta: { count: c.total, count_truncated: false },
          links: {
            first: c.link({}),
            ...maybe('next', c.next === null ? null : c.link({ 'page[after]': c.next })),
          },
        }),
        usual,
      ),
    },
    {
      name: 'Paystack',
      call: 'GET transaction?perPage=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          status: true,
          message: 'Transactions retrieved',
          data: c.rows,
          meta: { total: c.total, skipped: c.start, perPage: c.size, page: c.page, pageCount: c.pages },
        }),
        usual,
      ),
    },
    {
      name: 'Pexels',
      call: 'GET v1/search?query=x&per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          page: c.page,
          per_page: c.size,
          photos: c.rows,
          total_results: c.total,
          ...(c.more ? { next_page: c.link({ page: c.page + 1 }) } : {}),
        }),
        usual,
      ),
    },
    {
      name: 'Picqer',
      call: 'GET api/v1/orders',
      serve: byOffset('offset', 0, (c) => c.rows.map(({ id }) => ({ idorder: id })), {
        size: 100,
        total: 240,
      }),
      total: 240,
    },
    {
      name: 'Pivotal Tracker',
      call: 'GET services/v5/projects/1/stories?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) =>
          withHeaders(
            {
              'X-Tracker-Pagination-Total': c.total,
              'X-Tracker-Pagination-Limit': c.size,
              'X-Tracker-Pagination-Offset': c.start,
              'X-Tracker-Pagination-Returned': c.rows.length,
            },
            c.rows,
          ),
        usual,
      ),
    },
    {
      name: 'Polygon',
      call: 'GET v3/reference/tickers?limit=20',
      serve: byToken(
        'cursor',
        (c) => ({
          results: c.rows.map(({ id }) => ({ ticker: id })),
          status: 'OK',
          request_id: 'r-x',
          count: c.rows.length,
          ...maybe('next_url', c.next === null ? null : c.link({ cursor: c.next, limit: null })),
        }),
        usual,
      ),
    },
    {
      name: 'PostHog',
      call: 'GET api/projects/1/events/?limit=20',
      serve: byToken(
        'before',
        (c) => ({ next: c.next === null ? null : c.link({ before: c.next }), results: c.rows }),
        usual,
      ),
    },
    {
      name: 'Productive',
      call: 'GET api/v2/projects?page[size]=20',
      serve: byPage(
        'page[number]',
        1,
        (c) => ({
          data: c.rows,
          links: {
            first: c.link({ 'page[number]': 1 }),
            ...(c.more ? { next: c.link({ 'page[number]': c.page + 1 }) } : {}),
          },
          meta: {
            current_page: c.page,
            total_pages: c.pages,
            total_count: c.total,
            page_size: c.size,
            max_page_size: 200,
          },
        }),
        usual,
      ),
    },
    {
      name: 'RAWG',
      call: 'GET api/games?page_size=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          ...django((cut) => ({ page: cut.page + 1 }))(c),
          seo_title: 'x',
          filters: { years: [{ from: 2000, to: 2010 }] },
        }),
        usual,
      ),
    },
    {
      name: 'Razorpay',
      call: 'GET v1/payments?count=20',
      serve: byOffset(
        'skip',
        0,
        (c) => ({ entity: 'collection', count: c.rows.length, items: c.rows }),
        usual,
      ),
    },
    {
      name: 'Re:amaze',
      call: 'GET api/v1/conversations',
      serve: byPage(
        'page',
        1,
        (c) => ({ page_size: 30, page_count: c.pages, total_count: c.total, conversations: c.rows }),
        { size: 30, total: 75 },
      ),
      total: 75,
    },
    {
      name: 'Render',
      call: 'GET v1/services?limit=20',
      serve: byLast(
        'cursor',
        (c) => c.rows.map((service) => ({ cursor: service.id, service: { name: service.name } })),
        usual,
      ),
    },
    {
      name: 'RevenueCat',
      call: 'GET v2/projects/1/customers?limit=20',
      serve: byLast(
        'starting_after',
        (c) => ({
          items: c.rows,
          next_page: c.more ? `${c.path}?limit=20&starting_after=${c.last?.id ?? ''}` : null,
          object: 'list',
          url: c.path,
        }),
        usual,
      ),
    },
    {
      name: 'Rick and Morty',
      call: 'GET api/character',
      serve: byPage(
        'page',
        1,
        (c) => ({
          info: {
            count: c.total,
            pages: c.pages,
            next: c.more ? c.link({ page: c.page + 1 }) : null,
            prev: null,
          },
          results: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Rocket.Chat',
      call: 'GET api/v1/channels.list?count=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({ channels: c.rows, offset: c.start, count: c.rows.length, total: c.total, success: true }),
        usual,
      ),
    },
    {
      name: 'SafetyCulture',
      call: 'GET feed/users',
      serve: byToken(
        'key',
        (c) => ({
          metadata: {
            next_page: c.next === null ? null : `${c.path}?key=${encodeURIComponent(c.next)}`,
            remaining_records: c.total - c.start - c.rows.length,
          },
          data: c.rows,
        }),
        { size: 25, total: 60 },
      ),
      total: 60,
    },
    {
      name: 'Scopus',
      call: 'GET content/search/scopus?query=x&count=20',
      serve: byOffset(
        'start',
        0,
        (c) => ({
          'search-results': {
            'opensearch:totalResults': String(c.total),
            'opensearch:startIndex': String(c.start),
            'opensearch:itemsPerPage': String(c.rows.length),
            'opensearch:Query': { '@role': 'request', '@searchTerms': 'x', '@startPage': String(c.start) },
            link: [
              { '@_fa': 'true', '@ref': 'self', '@href': c.link({}), '@type': 'application/json' },
              {
                '@_fa': 'true',
                '@ref': 'next',
                '@href': c.link({ start: c.start + c.size }),
                '@type': 'application/json',
              },
            ],
            entry:
              c.rows.length === 0
                ? [{ '@_fa': 'true', error: 'Result set was empty' }]
                : c.rows.map(({ id }) => ({ '@_fa': 'true', 'dc:identifier': id })),
          },
        }),
        usual,
      ),
    },
    {
      name: 'Semantic Scholar',
      call: 'GET graph/v1/paper/search?query=x&limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          total: c.total,
          offset: c.start,
          ...(c.nextStart === null ? {} : { next: c.nextStart }),
          data: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Shippo',
      call: 'GET transactions?results=20',
      serve: byPage(
        'page',
        1,
        (c) => ({ next: c.more ? c.link({ page: c.page + 1 }) : null, previous: null, results: c.rows }),
        usual,
      ),
    },
    {
      name: 'Shortcut',
      call: 'GET api/v3/search/stories?query=x&page_size=20',
      serve: byToken(
        'next',
        (c) => ({
          data: c.rows,
          next: c.next === null ? null : `${c.path}?query=x&page_size=20&next=${encodeURIComponent(c.next)}`,
          total: c.total,
        }),
        usual,
      ),
    },
    {
      name: 'Shutterstock',
      call: 'GET v2/images/search?query=x&per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          page: c.page,
          per_page: c.size,
          total_count: c.total,
          search_id: 'x',
          data: c.rows,
          spellcheck_info: {},
        }),
        usual,
      ),
    },
    {
      name: 'Simplecast',
      call: 'GET podcasts?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          href: c.link({}),
          pages: {
            total: c.pages,
            previous: null,
            next: c.nextStart === null ? null : { href: c.link({ offset: c.nextStart }) },
            limit: c.size,
            current: c.page,
          },
          count: c.total,
          collection: c.rows,
        }),
        usual,
      ),
    },
    {
      name: 'Snipe-IT',
      call: 'GET api/v1/hardware?limit=20',
      serve: byOffset('offset', 0, (c) => ({ total: c.total, rows: c.rows }), usual),
    },
    {
      name: 'Snyk',
      call: 'GET rest/orgs?version=2024-01-01&limit=20',
      serve: byToken(
        'starting_after',
        (c) => ({
          jsonapi: { version: '1.0' },
          data: c.rows,
          links: {
            ...maybe(
              'next',
              c.next === null
                ? null
                : `${c.path}?version=2024-01-01&limit=20&starting_after=${encodeURIComponent(c.next)}`,
            ),
          },
        }),
        usual,
      ),
    },
    {
      name: 'SonarQube',
      call: 'GET api/issues/search?ps=20',
      serve: byPage(
        'p',
        1,
        (c) => ({
          total: c.total,
          p: c.page,
          ps: c.size,
          paging: { pageIndex: c.page, pageSize: c.size, total: c.total },
          effortTotal: 400,
          issues: c.rows,
          components: [{ key: 'a' }],
          facets: [],
        }),
        usual,
      ),
    },
    {
      name: 'SpaceX',
      call: 'POST v4/launches/query',
      body: { query: {}, options: { limit: 20 } },
      serve: byPage(
        'body.options.page',
        1,
        (c) => ({
          docs: c.rows,
          totalDocs: c.total,
          offset: c.start,
          limit: c.size,
          totalPages: c.pages,
          page: c.page,
          pagingCounter: c.start + 1,
          hasPrevPage: c.page > 1,
          hasNextPage: c.more,
          prevPage: null,
          nextPage: c.more ? c.page + 1 : null,
        }),
        usual,
      ),
    },
    {
      name: 'Speedrun',
      call: 'GET api/v1/games?max=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          data: c.rows,
          pagination: {
            offset: c.start,
            max: c.size,
            size: c.rows.length,
            links: c.nextStart === null ? [] : [{ rel: 'next', uri: c.link({ offset: c.nextStart }) }],
          },
        }),
        usual,
      ),
    },
    {
      name: 'Split',
      call: 'GET internal/api/v2/splits/ws/1?limit=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({ objects: c.rows, offset: c.start, limit: c.size, totalCount: c.total }),
        usual,
      ),
    },
    {
      name: 'Splunk',
      call: 'GET services/search/jobs?output_mode=json&count=20',
      serve: byOffset(
        'offset',
        0,
        (c) => ({
          links: {},
          origin: 'https://x.test',
          updated: '2020',
          generator: { build: 'x', version: '9' },
          entry: c.rows,
          paging: { total: c.total, perPage: c.size, offset: c.start },
          messages: [],
        }),
        usual,
      ),
    },
    {
      name: 'StatusCake',
      call: 'GET v1/uptime?limit=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          data: c.rows,
          metadata: { page: c.page, per_page: c.size, page_count: c.pages, total_count: c.total },
        }),
        usual,
      ),
    },
    {
      name: 'Teamtailor',
      call: 'GET v1/candidates?page[size]=20',
      serve: byPage(
        'page[number]',
        1,
        (c) => ({
          data: c.rows,
          links: { first: c.link({}), ...(c.more ? { next: c.link({ 'page[number]': c.page + 1 }) } : {}) },
          meta: { 'record-count': c.total, 'page-count': c.pages },
        }),
        usual,
      ),
    },
    {
      name: 'Telnyx',
      call: 'GET v2/phone_numbers?page[size]=20',
      serve: byPage(
        'page[number]',
        1,
        (c) => ({
          data: c.rows,
          meta: { total_pages: c.pages, total_results: c.total, page_number: c.page, page_size: c.size },
        }),
        usual,
      ),
    },
    {
      name: 'Ticket Tailor',
      call: 'GET v1/events?limit=20',
      serve: byLast(
        'starting_after',
        (c) => ({
          data: c.rows,
          links: {
            next: c.more ? `${c.path}?limit=20&starting_after=${c.last?.id ?? ''}` : null,
            previous: null,
          },
        }),
        usual,
      ),
    },
    {
      name: 'USAspending',
      call: 'POST api/v2/search/spending_by_award/',
      body: { filters: { keywords: ['x'] }, fields: ['Award ID'], limit: 20, page: 1 },
      serve: byPage(
        'body.page',
        1,
        (c) => ({
          limit: c.size,
          results: c.rows,
          page_metadata: {
            page: c.page,
            hasNext: c.more,
            last_record_unique_id: 99,
            last_record_sort_value: 'x',
          },
          messages: ['x'],
        }),
        usual,
      ),
    },
    {
      name: 'Vitally',
      call: 'GET resources/accounts?limit=20',
      serve: byToken('from', (c) => ({ results: c.rows, next: c.next, atEnd: !c.more }), usual),
    },
    {
      name: 'Vultr',
      call: 'GET v2/instances?per_page=20',
      serve: byToken(
        'cursor',
        (c) => ({ instances: c.rows, meta: { total: c.total, links: { next: c.next ?? '', prev: '' } } }),
        usual,
      ),
    },
    {
      name: 'Wrike',
      call: 'GET api/v4/tasks?pageSize=20',
      serve: byToken(
        'nextPageToken',
        (c) => ({ kind: 'tasks', data: c.rows, ...maybe('nextPageToken', c.next), responseSize: c.total }),
        usual,
      ),
    },
    {
      name: 'Yotpo',
      call: 'GET v1/widget/k/products/1/reviews.json?per_page=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          status: { code: 200, message: 'OK' },
          response: {
            pagination: { page: c.page, per_page: c.size, total: c.total },
            bottomline: { total_review: c.total, star_distribution: { 1: 2 } },
            products: [{ id: 1, name: 'x' }],
            reviews: c.rows,
          },
        }),
        usual,
      ),
    },
    {
      name: 'Yousign',
      call: 'GET v3/signature_requests?limit=20',
      serve: byToken('after', (c) => ({ meta: { next_cursor: c.next }, data: c.rows }), usual),
    },
    {
      name: 'Zenodo',
      call: 'GET api/records?size=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          hits: { hits: c.rows, total: c.total },
          aggregations: { type: { buckets: [{ key: 'x', doc_count: 3 }] } },
          links: { self: c.link({}), ...(c.more ? { next: c.link({ page: c.page + 1 }) } : {}) },
        }),
        usual,
      ),
    },
    {
      name: 'Zoho Desk',
      call: 'GET api/v1/tickets?from=1&limit=20',
      serve: byOffset('from', 1, (c) => ({ data: c.rows }), usual),
    },
    {
      name: 'bol.com',
      call: 'GET retailer/orders',
      serve: byPage(
        'page',
        1,
        (c) =>
          c.rows.length === 0
            ? {}
            : { orders: c.rows.map(({ id }) => ({ orderId: id, orderItems: [{ quantity: 1 }] })) },
        { size: 50, total: 120 },
      ),
      total: 120,
    },
    {
      name: 'lemlist',
      call: 'GET api/campaigns?version=v2&limit=20',
      serve: byPage(
        'page',
        1,
        (c) => ({
          campaigns: c.rows,
          pagination: {
            totalRecords: c.total,
            currentPage: c.page,
            nextPage: c.more ? c.page + 1 : null,
            totalPage: c.pages,
          },
        }),
        usual,
      ),
    },
    {
      name: 'Elasticsearch with many shards',
      call: 'GET idx/_search?size=20',
      serve: byOffset(
        'from',
        0,
        (c) => ({
          took: 2,
          timed_out: false,
          _shards: { total: 12, successful: 12, skipped: 0, failed: 0 },
          hits: {
            total: { value: c.total, relation: 'eq' },
            max_score: 1,
            hits: c.rows.map(({ id }) => ({ _index: 'idx', _id: id, _source: {} })),
          },
        }),
        usual,
      ),
    },
    {
      name: 'Elasticsearch with many shards, from',
      call: 'POST idx/_search',
      body: { size: 20, from: 0 },
      serve: byOffset(
        'body.from',
        0,
        (c) => ({
          took: 2,
          timed_out: false,
          _shards: { total: 32, successful: 12, skipped: 0, failed: 0 },
          hits: {
            total: { value: c.total, relation: 'eq' },
            max_score: 1,
            hits: c.rows.map(({ id }) => ({ _index: 'idx', _id: id, _source: {} })),
          },
        }),
        usual,
      ),
    },
    {
      name: 'Sentry to its end',
      call: 'GET api/0/projects/o/p/issues/?limit=20',
      serve: byToken(
        'cursor',
        (c) =>
          withHeaders(
            {
              Link: `<${c.link({ cursor: 'x' })}>; rel="previous"; results="false"; cursor="x", <${c.link({ cursor: c.next ?? Buffer.from('at "45" & more+/=').toString('base64') })}>; rel="next"; results="${c.more}"; cursor="y"`,
            },
            c.rows,
          ),
        usual,
      ),
    },
  ] satisfies readonly ApiShape[]
).map((shape) => ({ total: usual.total, ...shape }))
