import { type ApiShape, byLast, byOffset, byPage, byToken, type Cut, withHeaders } from './shape.ts'

/** A `Link` header; relations without a target are left out. */
const links = (targets: Record<string, string | null>) =>
  Object.entries(targets)
    .filter(([, target]) => target !== null)
    .map(([relation, target]) => `<${target}>; rel="${relation}"`)
    .join(', ') || null

const nextPage = (cut: Cut, name = 'page', first = 1) =>
  cut.more ? cut.link({ [name]: cut.page + first }) : null
const nextToken = (cut: Cut, name: string) => (cut.next === null ? null : cut.link({ [name]: cut.next }))
const nextOffset = (cut: Cut, name: string) =>
  cut.nextStart === null ? null : cut.link({ [name]: cut.nextStart })
/** The link without scheme and host. */
const relative = (link: string | null) => link?.replace(/^https?:\/\/[^/]+/, '') ?? null
/** A key that is absent on the last page. */
const maybe = (key: string, value: unknown) => (value === null ? {} : { [key]: value })

/** APIs with the URL of the next page, in the `Link` header or in the body. */
export const LINK_SHAPES: readonly ApiShape[] = [
  {
    name: 'GitHub',
    call: 'GET orgs/acme/repos?per_page=3',
    serve: byPage('page', 1, (c) =>
      withHeaders({ Link: links({ next: nextPage(c), last: c.link({ page: c.pages }) }) }, c.rows),
    ),
  },
  {
    name: 'GitLab keyset',
    call: 'GET api/v4/projects?pagination=keyset&per_page=3&order_by=id',
    serve: byToken('cursor', (c) => withHeaders({ Link: links({ next: nextToken(c, 'cursor') }) }, c.rows)),
  },
  {
    name: 'Shopify REST',
    call: 'GET admin/api/2024-01/products.json',
    serve: byToken(
      'page_info',
      (c) =>
        withHeaders(
          {
            Link: links({
              next: c.next === null ? null : `${c.base}${c.path}?page_info=${encodeURIComponent(c.next)}`,
            }),
          },
          { products: c.rows },
        ),
      { alone: true },
    ),
  },
  {
    name: 'Okta',
    call: 'GET api/v1/users?limit=3',
    serve: byToken('after', (c) =>
      withHeaders({ Link: links({ self: c.link({}), next: nextToken(c, 'after') }) }, c.rows),
    ),
  },
  {
    name: 'Canvas LMS',
    call: 'GET api/v1/courses',
    serve: byPage('page', 1, (c) =>
      withHeaders(
        { Link: links({ current: c.link({}), next: nextPage(c), first: c.link({ page: 1 }) }) },
        c.rows,
      ),
    ),
  },
  {
    name: 'WordPress',
    call: 'GET wp-json/wp/v2/posts',
    serve: byPage('page', 1, (c) =>
      withHeaders(
        { 'X-WP-Total': c.total, 'X-WP-TotalPages': c.pages, Link: links({ next: nextPage(c) }) },
        c.rows,
      ),
    ),
  },
  {
    name: 'Docker registry',
    call: 'GET v2/_catalog?n=3',
    serve: byLast('last', (c) =>
      withHeaders(
        { Link: c.more ? `</${c.path.slice(1)}?last=${c.last?.id}&n=3>; rel="next"` : null },
        {
          repositories: c.rows,
        },
      ),
    ),
  },
  {
    name: 'Sentry',
    call: 'GET api/0/projects/',
    serve: byToken('cursor', (c) =>
      withHeaders(
        {
          Link: `<${c.link({ cursor: 'x' })}>; rel="previous"; results="false"; cursor="x", <${c.link({ cursor: c.next ?? Buffer.from('at "99"').toString('base64') })}>; rel="next"; results="${c.more}"`,
        },
        c.rows,
      ),
    ),
  },
  {
    name: 'ServiceNow',
    call: 'GET api/now/table/incident?sysparm_limit=3',
    serve: byOffset('sysparm_offset', 0, (c) =>
      withHeaders(
        { 'X-Total-Count': c.total, Link: links({ next: nextOffset(c, 'sysparm_offset') }) },
        { result: c.rows },
      ),
    ),
  },
  {
    name: 'Freshdesk',
    call: 'GET api/v2/tickets?per_page=3',
    serve: byPage('page', 1, (c) => withHeaders({ link: links({ next: nextPage(c) }) }, c.rows)),
  },
  {
    name: 'Django REST, page numbers',
    call: 'GET api/books/',
    serve: byPage('page', 1, (c) => ({ count: c.total, next: nextPage(c), previous: null, results: c.rows })),
  },
  {
    name: 'Django REST, limit and offset',
    call: 'GET api/books/?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      count: c.total,
      next: nextOffset(c, 'offset'),
      previous: null,
      results: c.rows,
    })),
  },
  {
    name: 'OData v4',
    call: 'GET odata/Products',
    serve: byToken('$skiptoken', (c) => ({
      '@odata.context': '$metadata#Products',
      value: c.rows,
      ...maybe('@odata.nextLink', nextToken(c, '$skiptoken')),
    })),
  },
  {
    name: 'OData v4.01 without a prefix',
    call: 'GET odata/Products',
    serve: byToken('$skiptoken', (c) => ({
      value: c.rows,
      ...maybe('@nextLink', nextToken(c, '$skiptoken')),
    })),
  },
  {
    name: 'OData v2',
    call: 'GET sap/opu/odata/PRODUCTS?$format=json',
    serve: byToken('$skiptoken', (c) => ({
      d: { results: c.rows, ...maybe('__next', nextToken(c, '$skiptoken')) },
    })),
  },
  {
    name: 'OData v3',
    call: 'GET odata/Products',
    serve: byToken('$skiptoken', (c) => ({
      'odata.metadata': '$metadata',
      value: c.rows,
      ...maybe('odata.nextLink', nextToken(c, '$skiptoken')),
    })),
  },
  {
    name: 'Microsoft Graph',
    call: 'GET v1.0/users?$top=3',
    serve: byToken('$skiptoken', (c) => ({
      '@odata.context': '#users',
      ...maybe('@odata.nextLink', nextToken(c, '$skiptoken')),
      value: c.rows,
    })),
  },
  {
    name: 'Salesforce',
    call: 'GET services/data/v60.0/query?q=SELECT+Id+FROM+Contact',
    serve: (request) =>
      byToken('locator', (c) => ({
        totalSize: c.total,
        done: !c.more,
        ...maybe('nextRecordsUrl', relative(nextToken(c, 'locator'))),
        records: c.rows,
      }))(request),
  },
  {
    name: 'HAL',
    call: 'GET api/orders',
    serve: byPage('page', 1, (c) => ({
      _embedded: { orders: c.rows },
      _links: { self: { href: c.link({}) }, ...maybe('next', c.more ? { href: nextPage(c) } : null) },
    })),
  },
  {
    name: 'Spring Data REST',
    call: 'GET people?size=3',
    serve: byPage('page', 0, (c) => ({
      _embedded: { people: c.rows },
      _links: {
        self: { href: c.link({}) },
        ...maybe('next', c.more ? { href: nextPage(c, 'page', 0) } : null),
      },
      page: { size: 3, totalElements: c.total, totalPages: c.pages, number: c.page - 1 },
    })),
  },
  {
    name: 'JSON:API, links',
    call: 'GET articles?page[size]=3',
    serve: byPage('page[number]', 1, (c) => ({
      data: c.rows,
      links: { self: c.link({}), next: nextPage(c, 'page[number]') },
    })),
  },
  {
    name: 'JSON:API, link objects',
    call: 'GET articles',
    serve: byPage('page[number]', 1, (c) => ({
      data: c.rows,
      included: [{ id: 'x1' }, { id: 'x2' }, { id: 'x3' }, { id: 'x4' }],
      links: { next: c.more ? { href: nextPage(c, 'page[number]'), meta: {} } : null },
    })),
  },
  {
    name: 'Laravel paginator',
    call: 'GET api/users',
    serve: byPage('page', 1, (c) => ({
      current_page: c.page,
      data: c.rows,
      first_page_url: c.link({ page: 1 }),
      last_page: c.pages,
      links: [{ url: null, label: 'Previous', active: false }],
      next_page_url: nextPage(c),
      per_page: 3,
      total: c.total,
    })),
  },
  {
    name: 'Laravel resources',
    call: 'GET api/users',
    serve: byPage('page', 1, (c) => ({
      data: c.rows,
      links: { first: c.link({ page: 1 }), prev: null, next: nextPage(c) },
      meta: {
        current_page: c.page,
        last_page: c.pages,
        per_page: 3,
        total: c.total,
        links: [{ url: null, label: 'x' }],
      },
    })),
  },
  {
    name: 'Laravel cursor paginator',
    call: 'GET api/users',
    serve: byToken('cursor', (c) => ({
      data: c.rows,
      path: c.link({}),
      per_page: 3,
      next_cursor: c.next,
      next_page_url: nextToken(c, 'cursor'),
      prev_cursor: null,
    })),
  },
  {
    name: 'Hydra',
    call: 'GET api/books',
    serve: byPage('page', 1, (c) => ({
      '@context': '/contexts/Book',
      'hydra:member': c.rows,
      'hydra:totalItems': c.total,
      'hydra:view': { '@id': '/api/books?page=1', ...maybe('hydra:next', relative(nextPage(c))) },
    })),
  },
  {
    name: 'API Platform 4',
    call: 'GET api/books',
    serve: byPage('page', 1, (c) => ({
      '@type': 'Collection',
      member: c.rows,
      totalItems: c.total,
      view: { '@id': '/api/books', ...maybe('next', relative(nextPage(c))) },
    })),
  },
  {
    name: 'FHIR',
    call: 'GET fhir/Patient?_count=3',
    serve: byToken('_page', (c) => ({
      resourceType: 'Bundle',
      total: c.total,
      link: [
        { relation: 'self', url: c.link({}) },
        ...(c.more ? [{ relation: 'next', url: nextToken(c, '_page') }] : []),
      ],
      entry: c.rows.map((resource) => ({ fullUrl: 'x', resource })),
    })),
  },
  {
    name: 'PayPal invoices',
    call: 'GET v2/invoicing/invoices?page_size=3',
    serve: byPage('page', 1, (c) => ({
      total_items: c.total,
      items: c.rows,
      links: [
        { href: c.link({}), rel: 'self', method: 'GET' },
        ...(c.more ? [{ href: nextPage(c), rel: 'next', method: 'GET' }] : []),
      ],
    })),
  },
  {
    name: 'Oracle ORDS',
    call: 'GET ords/hr/employees/?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      items: c.rows,
      hasMore: c.more,
      limit: 3,
      offset: c.start,
      count: c.rows.length,
      links: [
        { rel: 'self', href: c.link({}) },
        ...(c.more ? [{ rel: 'next', href: nextOffset(c, 'offset') }] : []),
      ],
    })),
  },
  {
    name: 'Zendesk, cursor',
    call: 'GET api/v2/tickets.json?page[size]=3',
    serve: byToken('page[after]', (c) => ({
      tickets: c.rows,
      meta: { has_more: c.more, after_cursor: c.next, before_cursor: 'b' },
      links: { prev: null, next: nextToken(c, 'page[after]') },
    })),
  },
  {
    name: 'Zendesk, offset',
    call: 'GET api/v2/users.json',
    serve: byPage('page', 1, (c) => ({
      users: c.rows,
      next_page: nextPage(c),
      previous_page: null,
      count: c.total,
    })),
  },
  {
    name: 'Zendesk, incremental export',
    call: 'GET api/v2/incremental/tickets/cursor.json?start_time=1332034771',
    serve: byToken('cursor', (c) => ({
      tickets: c.rows,
      after_url: c.link({ cursor: c.next ?? Buffer.from('at "6"').toString('base64') }),
      after_cursor: c.next ?? Buffer.from('at "6"').toString('base64'),
      before_url: null,
      end_of_stream: !c.more,
    })),
  },
  {
    name: 'Twilio',
    call: 'GET 2010-04-01/Accounts/AC1/Messages.json?PageSize=3',
    serve: byToken('PageToken', (c) => ({
      messages: c.rows,
      page: c.page - 1,
      page_size: 3,
      first_page_uri: '/first',
      uri: '/this',
      next_page_uri: relative(nextToken(c, 'PageToken')),
    })),
  },
  {
    name: 'Twilio v1 resources',
    call: 'GET v1/Services?PageSize=3',
    serve: byToken('PageToken', (c) => ({
      services: c.rows,
      meta: {
        page: 0,
        page_size: 3,
        first_page_url: c.link({}),
        next_page_url: nextToken(c, 'PageToken'),
        key: 'services',
      },
    })),
  },
  {
    name: 'Facebook Graph',
    call: 'GET v19.0/me/posts?limit=3',
    serve: byToken('after', (c) => ({
      data: c.rows,
      paging: {
        cursors: { before: 'QVFI', after: c.next ?? Buffer.from('at "6"').toString('base64') },
        ...maybe('next', nextToken(c, 'after')),
      },
    })),
  },
  {
    name: 'PokeAPI',
    call: 'GET api/v2/pokemon',
    serve: byOffset('offset', 0, (c) => ({
      count: c.total,
      next: nextOffset(c, 'offset'),
      previous: null,
      results: c.rows,
    })),
  },
  {
    name: 'Confluence Cloud v2',
    call: 'GET wiki/api/v2/pages?limit=3',
    serve: byToken('cursor', (c) => ({
      results: c.rows,
      _links: { base: c.base, ...maybe('next', relative(nextToken(c, 'cursor'))) },
    })),
  },
  {
    name: 'Confluence v1',
    call: 'GET rest/api/content?limit=3',
    serve: byOffset('start', 0, (c) => ({
      results: c.rows,
      start: c.start,
      limit: 3,
      size: c.rows.length,
      _links: { base: c.base, context: '', ...maybe('next', relative(nextOffset(c, 'start'))) },
    })),
  },
  {
    name: 'Bitbucket Cloud',
    call: 'GET 2.0/repositories/acme?pagelen=3',
    serve: byPage('page', 1, (c) => ({
      pagelen: 3,
      values: c.rows,
      page: c.page,
      size: c.total,
      ...maybe('next', nextPage(c)),
    })),
  },
  {
    name: 'Asana',
    call: 'GET api/1.0/tasks?project=1&limit=3',
    serve: byToken('offset', (c) => ({
      data: c.rows,
      next_page: c.more
        ? { offset: c.next, path: relative(nextToken(c, 'offset')), uri: nextToken(c, 'offset') }
        : null,
    })),
  },
  {
    name: 'Spotify',
    call: 'GET v1/me/tracks?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      href: c.link({}),
      items: c.rows,
      limit: 3,
      next: nextOffset(c, 'offset'),
      offset: c.start,
      previous: null,
      total: c.total,
    })),
  },
  {
    name: 'Spotify search',
    call: 'GET v1/search?q=bach&type=album&limit=3',
    serve: byOffset('offset', 0, (c) => ({
      albums: {
        href: c.link({}),
        items: c.rows,
        limit: 3,
        next: nextOffset(c, 'offset'),
        offset: c.start,
        total: c.total,
      },
    })),
  },
  {
    name: 'SendGrid marketing',
    call: 'GET v3/marketing/lists?page_size=3',
    serve: byToken('page_token', (c) => ({
      result: c.rows,
      _metadata: { self: c.link({}), count: c.total, ...maybe('next', nextToken(c, 'page_token')) },
    })),
  },
  {
    name: 'Mailgun events',
    call: 'GET v3/acme/events?limit=3',
    serve: byToken('page', (c) => ({
      items: c.rows,
      paging: {
        first: c.link({ page: null }),
        previous: c.link({ page: null }),
        next: nextToken(c, 'page') ?? c.link({ page: Buffer.from('at "99"').toString('base64') }),
      },
    })),
  },
  {
    name: 'Calendly',
    call: 'GET scheduled_events?count=3',
    serve: byToken('page_token', (c) => ({
      collection: c.rows,
      pagination: {
        count: 3,
        next_page: nextToken(c, 'page_token'),
        next_page_token: c.next,
        previous_page: null,
      },
    })),
  },
  {
    name: 'Azure Resource Manager',
    call: 'GET subscriptions?api-version=2022-12-01',
    serve: byToken('$skiptoken', (c) => ({
      value: c.rows,
      count: { type: 'Total', value: c.total },
      ...maybe('nextLink', nextToken(c, '$skiptoken')),
    })),
  },
  {
    name: 'Klaviyo',
    call: 'GET api/profiles?page[size]=3',
    serve: byToken('page[cursor]', (c) => ({
      data: c.rows,
      links: { self: c.link({}), next: nextToken(c, 'page[cursor]'), prev: null },
    })),
  },
  {
    name: 'DigitalOcean',
    call: 'GET v2/droplets?per_page=3',
    serve: byPage('page', 1, (c) => ({
      droplets: c.rows,
      links: { pages: { ...maybe('next', nextPage(c)), last: c.link({ page: c.pages }) } },
      meta: { total: c.total },
    })),
  },
  {
    name: 'Adyen management',
    call: 'GET v3/merchants?pageSize=3',
    serve: byPage('pageNumber', 1, (c) => ({
      _links: {
        self: { href: c.link({}) },
        ...maybe('next', c.more ? { href: nextPage(c, 'pageNumber') } : null),
      },
      itemsTotal: c.total,
      pagesTotal: c.pages,
      data: c.rows,
    })),
  },
  {
    name: 'Coinbase',
    call: 'GET v2/accounts',
    serve: byLast('starting_after', (c) => ({
      pagination: {
        ending_before: null,
        limit: 3,
        order: 'desc',
        previous_uri: null,
        next_uri: c.more ? `${c.path}?starting_after=${c.last?.id}` : null,
      },
      data: c.rows,
    })),
  },
  {
    name: 'Recurly',
    call: 'GET accounts?limit=3',
    serve: byToken('cursor', (c) => ({
      object: 'list',
      has_more: c.more,
      next: relative(nextToken(c, 'cursor')),
      data: c.rows,
    })),
  },
  {
    name: 'eBay inventory',
    call: 'GET sell/inventory/v1/inventory_item?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      href: c.link({}),
      limit: 3,
      ...maybe('next', nextOffset(c, 'offset')),
      size: c.rows.length,
      total: c.total,
      inventoryItems: c.rows,
    })),
  },
  {
    name: 'Prismic',
    call: 'GET api/v2/documents/search?pageSize=3',
    serve: byPage('page', 1, (c) => ({
      page: c.page,
      results_per_page: 3,
      results_size: c.rows.length,
      total_results_size: c.total,
      total_pages: c.pages,
      next_page: nextPage(c),
      prev_page: null,
      results: c.rows,
    })),
  },
  {
    name: 'BigCommerce v3',
    call: 'GET v3/catalog/products?limit=3',
    serve: byPage('page', 1, (c) => ({
      data: c.rows,
      meta: {
        pagination: {
          total: c.total,
          count: c.rows.length,
          per_page: 3,
          current_page: c.page,
          total_pages: c.pages,
          links: {
            current: '?page=1&limit=3',
            ...maybe('next', c.more ? `?page=${c.page + 1}&limit=3` : null),
          },
        },
      },
    })),
  },
  {
    name: 'Opsgenie',
    call: 'GET v2/alerts?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      data: c.rows,
      paging: { first: c.link({ offset: 0 }), ...maybe('next', nextOffset(c, 'offset')) },
      took: 0.2,
      requestId: 'abc',
    })),
  },
  {
    name: 'Travis CI',
    call: 'GET repos?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      '@type': 'repositories',
      '@pagination': {
        limit: 3,
        offset: c.start,
        count: c.total,
        is_last: !c.more,
        next: c.more ? { '@href': relative(nextOffset(c, 'offset')), offset: c.nextStart, limit: 3 } : null,
      },
      repositories: c.rows,
    })),
  },
  {
    name: 'crates.io',
    call: 'GET api/v1/crates?per_page=3',
    serve: byPage('page', 1, (c) => ({
      crates: c.rows,
      meta: { total: c.total, next_page: c.more ? `?per_page=3&page=${c.page + 1}` : null, prev_page: null },
    })),
  },
  {
    name: 'Discogs',
    call: 'GET artists/1/releases?per_page=3',
    serve: byPage('page', 1, (c) => ({
      pagination: {
        page: c.page,
        pages: c.pages,
        per_page: 3,
        items: c.total,
        urls: { ...maybe('next', nextPage(c)), last: c.link({ page: c.pages }) },
      },
      releases: c.rows,
    })),
  },
  {
    name: 'Help Scout',
    call: 'GET v2/conversations',
    serve: byPage('page', 1, (c) => ({
      _embedded: { conversations: c.rows },
      _links: {
        self: { href: c.link({}) },
        first: { href: c.link({ page: 1 }) },
        ...maybe('next', c.more ? { href: nextPage(c) } : null),
      },
      page: { size: 3, totalElements: c.total, totalPages: c.pages, number: c.page },
    })),
  },
  {
    name: 'Front',
    call: 'GET conversations?limit=3',
    serve: byToken('page_token', (c) => ({
      _pagination: { next: nextToken(c, 'page_token') },
      _links: { self: c.link({}) },
      _results: c.rows,
    })),
  },
  {
    name: 'Zendesk Sell',
    call: 'GET v2/contacts?per_page=3',
    serve: byPage('page', 1, (c) => ({
      items: c.rows.map((data) => ({ data, meta: { type: 'contact' } })),
      meta: {
        type: 'collection',
        count: c.rows.length,
        links: { self: c.link({}), ...maybe('next_page', nextPage(c)) },
      },
    })),
  },
  {
    name: 'Workable',
    call: 'GET spi/v3/jobs?limit=3',
    serve: byToken('since_id', (c) => ({
      jobs: c.rows,
      paging: { ...maybe('next', nextToken(c, 'since_id')) },
    })),
  },
  {
    name: 'NetSuite',
    call: 'GET services/rest/record/v1/customer?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      links: [
        { rel: 'self', href: c.link({}) },
        ...(c.more ? [{ rel: 'next', href: nextOffset(c, 'offset') }] : []),
        { rel: 'last', href: c.link({ offset: 6 }) },
      ],
      count: c.rows.length,
      hasMore: c.more,
      items: c.rows,
      offset: c.start,
      totalResults: c.total,
    })),
  },
  {
    name: 'LaunchDarkly',
    call: 'GET api/v2/flags/default?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      _links: {
        self: { href: '/x', type: 'application/json' },
        ...maybe(
          'next',
          c.more ? { href: relative(nextOffset(c, 'offset')), type: 'application/json' } : null,
        ),
      },
      totalCount: c.total,
      items: c.rows,
    })),
  },
  {
    name: 'Figma',
    call: 'GET v1/teams/1/components?page_size=3',
    serve: byToken('after', (c) => ({
      status: 200,
      error: false,
      meta: { components: c.rows },
      pagination: { prev_page: null, ...maybe('next_page', nextToken(c, 'after')) },
    })),
  },
  {
    name: 'Squarespace',
    call: 'GET 1.0/commerce/orders?modifiedAfter=2024-01-01',
    serve: byToken(
      'cursor',
      (c) => ({
        result: c.rows,
        pagination: {
          hasNextPage: c.more,
          nextPageCursor: c.next,
          nextPageUrl: c.next === null ? null : `${c.base}${c.path}?cursor=${encodeURIComponent(c.next)}`,
        },
      }),
      { alone: true },
    ),
  },
  {
    name: 'Harvest',
    call: 'GET v2/time_entries?per_page=3',
    serve: byPage('page', 1, (c) => ({
      time_entries: c.rows,
      per_page: 3,
      total_pages: c.pages,
      total_entries: c.total,
      next_page: c.more ? c.page + 1 : null,
      page: c.page,
      links: { first: c.link({ page: 1 }), next: nextPage(c), last: c.link({ page: c.pages }) },
    })),
  },
  {
    name: 'Amadeus',
    call: 'GET v1/reference-data/locations?page[limit]=3',
    serve: byOffset('page[offset]', 0, (c) => ({
      meta: { count: c.total, links: { self: c.link({}), ...maybe('next', nextOffset(c, 'page[offset]')) } },
      data: c.rows,
    })),
  },
  {
    name: 'Dynamics 365',
    call: 'GET api/data/v9.2/accounts',
    serve: byToken('$skiptoken', (c) => ({
      '@odata.context': '#accounts',
      '@Microsoft.Dynamics.CRM.totalrecordcount': -1,
      value: c.rows,
      ...maybe('@odata.nextLink', nextToken(c, '$skiptoken')),
    })),
  },
  {
    name: 'SharePoint',
    call: 'GET _api/web/lists?$top=3',
    serve: byToken('$skiptoken', (c) => ({
      d: { results: c.rows, ...maybe('__next', nextToken(c, '$skiptoken')) },
    })),
  },
  {
    name: 'Contentful sync',
    call: 'GET spaces/s/sync?initial=true',
    serve: byToken(
      'sync_token',
      (c) => ({
        sys: { type: 'Array' },
        items: c.rows,
        ...maybe(
          'nextPageUrl',
          c.next === null ? null : `${c.base}${c.path}?sync_token=${encodeURIComponent(c.next)}`,
        ),
        ...maybe('nextSyncUrl', c.more ? null : `${c.base}${c.path}?sync_token=zz`),
      }),
      { alone: true },
    ),
  },
  {
    name: 'Eventyay, first-class relations',
    call: 'GET v1/events',
    serve: byPage('page[number]', 1, (c) => ({
      data: c.rows,
      meta: { count: c.total },
      links: {
        self: '/v1/events',
        first: '/v1/events?page[number]=1',
        ...maybe('next', c.more ? `/v1/events?page%5Bnumber%5D=${c.page + 1}` : null),
      },
    })),
  },
  {
    name: 'Discourse topics',
    call: 'GET latest.json',
    serve: byPage('page', 0, (c) => ({
      users: [{ id: 1 }],
      topic_list: {
        can_create_topic: true,
        ...maybe('more_topics_url', c.more ? `/latest.json?page=${c.page}` : null),
        per_page: 3,
        topics: c.rows,
      },
    })),
  },
  {
    name: 'a header with the address',
    call: 'GET v1/reports',
    serve: byToken('position', (c) => withHeaders({ 'X-Next-Url': nextToken(c, 'position') }, c.rows)),
  },
]
