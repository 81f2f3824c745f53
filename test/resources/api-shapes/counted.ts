import { type ApiShape, byOffset, byPage, type Cut, withHeaders } from './shape.ts'

const usual = { size: 20, total: 45 }
/** The keys that most APIs repeat for an offset. */
const window = (c: Cut) => ({ offset: c.start, limit: c.size, total: c.total })

/** APIs with page numbers or offsets. */
export const COUNTED_SHAPES: readonly ApiShape[] = [
  {
    name: 'Jira',
    call: 'GET rest/api/2/search?jql=project=A',
    serve: byOffset('startAt', 0, (c) => ({
      expand: 'names',
      startAt: c.start,
      maxResults: 3,
      total: c.total,
      issues: c.rows,
    })),
  },
  {
    name: 'Jira Agile',
    call: 'GET rest/agile/1.0/board?maxResults=3',
    serve: byOffset('startAt', 0, (c) => ({
      maxResults: 3,
      startAt: c.start,
      isLast: !c.more,
      values: c.rows,
    })),
  },
  {
    name: 'Jira search by POST',
    call: 'POST rest/api/2/search',
    body: { jql: 'project=A', startAt: 0, maxResults: 3 },
    serve: byOffset('body.startAt', 0, (c) => ({
      startAt: c.start,
      maxResults: 3,
      total: c.total,
      issues: c.rows,
    })),
  },
  {
    name: 'Bitbucket Server',
    call: 'GET rest/api/1.0/projects?limit=3',
    serve: byOffset('start', 0, (c) => ({
      size: 3,
      limit: 3,
      isLastPage: !c.more,
      values: c.rows,
      start: c.start,
      nextPageStart: c.nextStart,
    })),
  },
  {
    name: 'Mailchimp',
    call: 'GET 3.0/lists?count=3',
    serve: byOffset('offset', 0, (c) => ({
      lists: c.rows,
      total_items: c.total,
      _links: [{ rel: 'self', href: 'https://x.test' }],
    })),
  },
  {
    name: 'ActiveCampaign',
    call: 'GET api/3/contacts?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      contacts: c.rows,
      meta: { total: String(c.total), page_input: { limit: 3, offset: c.start } },
    })),
  },
  {
    name: 'LinkedIn',
    call: 'GET v2/organizations?q=x&count=3',
    serve: byOffset('start', 0, (c) => ({
      paging: { start: c.start, count: 3, total: c.total, links: [] },
      elements: c.rows,
    })),
  },
  {
    name: 'SCIM',
    call: 'GET scim/v2/Users?count=3',
    serve: byOffset('startIndex', 1, (c) => ({
      schemas: ['urn:x'],
      totalResults: c.total,
      itemsPerPage: 3,
      startIndex: c.start + 1,
      Resources: c.rows,
    })),
  },
  {
    name: 'Contentful',
    call: 'GET spaces/s/entries?limit=3',
    serve: byOffset('skip', 0, (c) => ({
      sys: { type: 'Array' },
      total: c.total,
      skip: c.start,
      limit: 3,
      items: c.rows,
      includes: { Asset: [{ id: 1 }] },
    })),
  },
  {
    name: 'Contentstack',
    call: 'GET v3/content_types/c/entries?limit=3&include_count=true',
    serve: byOffset('skip', 0, (c) => ({ entries: c.rows, count: c.total })),
  },
  {
    name: 'Strapi, pages',
    call: 'GET api/articles?pagination[pageSize]=3',
    serve: byPage('pagination[page]', 1, (c) => ({
      data: c.rows,
      meta: { pagination: { page: c.page, pageSize: 3, pageCount: c.pages, total: c.total } },
    })),
  },
  {
    name: 'Strapi, offset',
    call: 'GET api/articles?pagination[limit]=3',
    serve: byOffset('pagination[start]', 0, (c) => ({
      data: c.rows,
      meta: { pagination: { start: c.start, limit: 3, total: c.total } },
    })),
  },
  {
    name: 'Directus',
    call: 'GET items/articles?limit=3&meta=filter_count',
    serve: byOffset('offset', 0, (c) => ({ meta: { filter_count: c.total }, data: c.rows })),
  },
  {
    name: 'Storyblok',
    call: 'GET v2/cdn/stories?per_page=3',
    serve: byPage('page', 1, (c) =>
      withHeaders({ total: c.total, 'per-page': 3 }, { stories: c.rows, cv: 1, rels: [], links: [] }),
    ),
  },
  {
    name: 'Ghost',
    call: 'GET ghost/api/content/posts/?limit=3',
    serve: byPage('page', 1, (c) => ({
      posts: c.rows,
      meta: {
        pagination: {
          page: c.page,
          limit: 3,
          pages: c.pages,
          total: c.total,
          next: c.more ? c.page + 1 : null,
          prev: null,
        },
      },
    })),
  },
  {
    name: 'Algolia',
    call: 'POST 1/indexes/i/query',
    body: { query: '', hitsPerPage: 3 },
    serve: byPage('body.page', 0, (c) => ({
      hits: c.rows,
      nbHits: c.total,
      page: c.page - 1,
      nbPages: c.pages,
      hitsPerPage: 3,
      params: 'x',
    })),
  },
  {
    name: 'Hacker News search',
    call: 'GET api/v1/search?query=x',
    serve: byPage('page', 0, (c) => ({
      hits: c.rows,
      nbHits: c.total,
      page: c.page - 1,
      nbPages: c.pages,
      hitsPerPage: 3,
    })),
  },
  {
    name: 'Elasticsearch, from and size',
    call: 'POST things/_search',
    body: { from: 0, size: 3 },
    serve: byOffset('body.from', 0, (c) => ({
      took: 1,
      hits: {
        total: { value: c.total, relation: 'eq' },
        max_score: 1,
        hits: c.rows.map((row) => ({ _id: row.id, _source: row })),
      },
    })),
  },
  {
    name: 'Elasticsearch, size alone',
    call: 'POST things/_search',
    body: { size: 3 },
    serve: byOffset('body.from', 0, (c) => ({
      took: 1,
      hits: {
        total: { value: c.total, relation: 'eq' },
        max_score: 1,
        hits: c.rows.map((row) => ({ _id: row.id, _source: row })),
      },
    })),
  },
  {
    name: 'Solr',
    call: 'GET solr/things/select?q=*:*&rows=3',
    serve: byOffset('start', 0, (c) => ({
      responseHeader: { status: 0 },
      response: { numFound: c.total, start: c.start, docs: c.rows },
    })),
  },
  {
    name: 'Meilisearch',
    call: 'GET indexes/i/search?q=a&limit=3',
    serve: byOffset('offset', 0, (c) => ({
      hits: c.rows,
      query: 'a',
      limit: 3,
      offset: c.start,
      estimatedTotalHits: c.total,
    })),
  },
  {
    name: 'Meilisearch documents',
    call: 'GET indexes/i/documents?limit=3',
    serve: byOffset('offset', 0, (c) => ({ results: c.rows, ...window(c) })),
  },
  {
    name: 'Typesense',
    call: 'GET collections/c/documents/search?q=*&per_page=3',
    serve: byPage('page', 1, (c) => ({
      facet_counts: [],
      found: c.total,
      out_of: 99,
      page: c.page,
      hits: c.rows.map((document) => ({ document })),
    })),
  },
  {
    name: 'CouchDB',
    call: 'GET db/_all_docs?limit=3',
    serve: byOffset('skip', 0, (c) => ({ total_rows: c.total, offset: c.start, rows: c.rows })),
  },
  { name: 'BigCommerce v2', call: 'GET v2/orders?limit=3', serve: byPage('page', 1, (c) => c.rows) },
  {
    name: 'WooCommerce',
    call: 'GET wp-json/wc/v3/products?per_page=3',
    serve: byPage('page', 1, (c) =>
      withHeaders({ 'X-WP-Total': c.total, 'X-WP-TotalPages': c.pages }, c.rows),
    ),
  },
  {
    name: 'Magento',
    call: 'GET rest/V1/products?searchCriteria[pageSize]=3',
    serve: byPage('searchCriteria[currentPage]', 1, (c) =>
      c.page > c.pages
        ? { items: [], total_count: c.total }
        : { items: c.rows, search_criteria: { filter_groups: [], page_size: 3 }, total_count: c.total },
    ),
  },
  {
    name: 'Shopware',
    call: 'POST api/search/product',
    body: { page: 1, limit: 3 },
    serve: byPage('body.page', 1, (c) => ({ total: c.total, data: c.rows, aggregations: [] })),
  },
  {
    name: 'Etsy',
    call: 'GET v3/application/listings/active?limit=3',
    serve: byOffset('offset', 0, (c) => ({ count: c.total, results: c.rows })),
  },
  {
    name: 'Auth0',
    call: 'GET api/v2/users?per_page=3&page=0&include_totals=true',
    serve: byPage('page', 0, (c) => ({
      start: c.start,
      limit: 3,
      length: c.rows.length,
      users: c.rows,
      total: c.total,
    })),
  },
  {
    name: 'PagerDuty',
    call: 'GET incidents?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      incidents: c.rows,
      limit: 3,
      offset: c.start,
      total: null,
      more: c.more,
    })),
  },
  {
    name: 'Cloudflare',
    call: 'GET client/v4/zones?per_page=3',
    serve: byPage('page', 1, (c) => ({
      result: c.rows,
      result_info: {
        page: c.page,
        per_page: 3,
        count: c.rows.length,
        total_count: c.total,
        total_pages: c.pages,
      },
      success: true,
      errors: [],
      messages: [],
    })),
  },
  {
    name: 'Hetzner',
    call: 'GET v1/servers?per_page=3',
    serve: byPage('page', 1, (c) => ({
      servers: c.rows,
      meta: {
        pagination: {
          page: c.page,
          per_page: 3,
          previous_page: null,
          next_page: c.more ? c.page + 1 : null,
          last_page: c.pages,
          total_entries: c.total,
        },
      },
    })),
  },
  {
    name: 'Linode',
    call: 'GET v4/linode/instances',
    serve: byPage('page', 1, (c) => ({ data: c.rows, page: c.page, pages: c.pages, results: c.total })),
  },
  {
    name: 'Scaleway',
    call: 'GET instance/v1/zones/z/servers?per_page=3',
    serve: byPage('page', 1, (c) => withHeaders({ 'x-total-count': c.total }, { servers: c.rows })),
  },
  {
    name: 'npm search',
    call: 'GET -/v1/search?text=x&size=3',
    serve: byOffset('from', 0, (c) => ({ objects: c.rows, total: c.total, time: 'x' })),
  },
  {
    name: 'Maven Central',
    call: 'GET solrsearch/select?q=x&rows=3&wt=json',
    serve: byOffset('start', 0, (c) => ({
      responseHeader: {},
      response: { numFound: c.total, start: c.start, docs: c.rows },
    })),
  },
  {
    name: 'Open Library',
    call: 'GET search.json?q=x&limit=3',
    serve: byOffset('offset', 0, (c) => ({
      numFound: c.total,
      start: c.start,
      numFoundExact: true,
      docs: c.rows,
      q: 'x',
      offset: c.start,
    })),
  },
  {
    name: 'PubMed',
    call: 'GET entrez/eutils/esearch.fcgi?db=pubmed&term=x&retmode=json&retmax=3',
    serve: byOffset('retstart', 0, (c) => ({
      header: { type: 'esearch' },
      esearchresult: {
        count: String(c.total),
        retmax: '3',
        retstart: String(c.start),
        idlist: c.rows.map(({ id }) => id),
        translationset: [],
      },
    })),
  },
  {
    name: 'GBIF',
    call: 'GET v1/species/search?q=x&limit=3',
    serve: byOffset('offset', 0, (c) => ({
      offset: c.start,
      limit: 3,
      endOfRecords: !c.more,
      count: c.total,
      results: c.rows,
      facets: [],
    })),
  },
  {
    name: 'iNaturalist',
    call: 'GET v1/observations?per_page=3',
    serve: byPage('page', 1, (c) => ({ total_results: c.total, page: c.page, per_page: 3, results: c.rows })),
  },
  { name: 'Socrata', call: 'GET resource/abcd.json?$limit=3', serve: byOffset('$offset', 0, (c) => c.rows) },
  {
    name: 'OData by $top',
    call: 'GET odata/Things?$top=3&$count=true',
    serve: byOffset('$skip', 0, (c) => ({ '@odata.context': 'x', '@odata.count': c.total, value: c.rows })),
  },
  {
    name: 'OData v2, inline count',
    call: 'GET odata/Things?$top=3&$inlinecount=allpages&$format=json',
    serve: byOffset('$skip', 0, (c) => ({ d: { __count: String(c.total), results: c.rows } })),
  },
  {
    name: 'CKAN',
    call: 'GET api/3/action/package_search?rows=3',
    serve: byOffset('start', 0, (c) => ({
      help: 'x',
      success: true,
      result: { count: c.total, facets: {}, results: c.rows, sort: 'x', search_facets: {} },
    })),
  },
  {
    name: 'openFDA',
    call: 'GET drug/event.json?limit=3',
    serve: byOffset('skip', 0, (c) => ({
      meta: { disclaimer: 'x', results: { skip: c.start, limit: 3, total: c.total } },
      results: c.rows,
    })),
  },
  {
    name: 'World Bank',
    call: 'GET v2/country?format=json&per_page=3',
    serve: byPage('page', 1, (c) => [
      { page: c.page, pages: c.pages, per_page: '3', total: c.total },
      c.rows,
    ]),
  },
  {
    name: 'TMDB',
    call: 'GET 3/movie/popular',
    serve: byPage('page', 1, (c) => ({
      page: c.page,
      results: c.rows,
      total_pages: c.pages,
      total_results: c.total,
    })),
  },
  {
    name: 'Trakt',
    call: 'GET movies/popular?limit=3',
    serve: byPage('page', 1, (c) =>
      withHeaders(
        {
          'X-Pagination-Page': c.page,
          'X-Pagination-Limit': 3,
          'X-Pagination-Page-Count': c.pages,
          'X-Pagination-Item-Count': c.total,
        },
        c.rows,
      ),
    ),
  },
  {
    name: 'Unsplash without its links',
    call: 'GET photos?per_page=3',
    serve: byPage('page', 1, (c) => withHeaders({ 'X-Total': c.total, 'X-Per-Page': 3 }, c.rows)),
  },
  {
    name: 'Flickr',
    call: 'GET services/rest/?method=x&format=json&per_page=3',
    serve: byPage('page', 1, (c) => ({
      photos: { page: c.page, pages: c.pages, perpage: 3, total: c.total, photo: c.rows },
      stat: 'ok',
    })),
  },
  {
    name: 'Giphy',
    call: 'GET v1/gifs/trending?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      data: c.rows,
      pagination: { offset: c.start, total_count: c.total, count: c.rows.length },
      meta: { status: 200 },
    })),
  },
  {
    name: 'NewsAPI',
    call: 'GET v2/everything?q=x&pageSize=3',
    serve: byPage('page', 1, (c) => ({ status: 'ok', totalResults: c.total, articles: c.rows })),
  },
  {
    name: 'Guardian',
    call: 'GET search?q=x&page-size=3',
    serve: byPage('page', 1, (c) => ({
      response: {
        status: 'ok',
        total: c.total,
        startIndex: c.start + 1,
        pageSize: 3,
        currentPage: c.page,
        pages: c.pages,
        results: c.rows,
      },
    })),
  },
  {
    name: 'Yelp',
    call: 'GET v3/businesses/search?location=x&limit=3',
    serve: byOffset('offset', 0, (c) => ({
      businesses: c.rows,
      total: c.total,
      region: { center: { latitude: 1 } },
    })),
  },
  {
    name: 'Ticketmaster',
    call: 'GET discovery/v2/events?size=3',
    serve: byPage('page', 0, (c) => ({
      _embedded: { events: c.rows },
      page: { size: 3, totalElements: c.total, totalPages: c.pages, number: c.page - 1 },
    })),
  },
  {
    name: 'Spring Data page',
    call: 'GET api/people',
    serve: byPage('page', 0, (c) => ({
      content: c.rows,
      pageable: { pageNumber: c.page - 1, pageSize: 3, offset: c.start },
      totalPages: c.pages,
      totalElements: c.total,
      last: !c.more,
      size: 3,
      number: c.page - 1,
      first: c.page === 1,
    })),
  },
  {
    name: 'Spring Data slice',
    call: 'GET api/people?size=3',
    serve: byPage('page', 0, (c) => ({
      content: c.rows,
      pageable: { pageNumber: c.page - 1, pageSize: 3 },
      last: !c.more,
      size: 3,
      number: c.page - 1,
      first: c.page === 1,
      numberOfElements: c.rows.length,
    })),
  },
  {
    name: 'Mailjet',
    call: 'GET v3/REST/contact?Limit=3',
    serve: byOffset('Offset', 0, (c) => ({ Count: c.rows.length, Data: c.rows, Total: c.total })),
  },
  {
    name: 'Postmark',
    call: 'GET messages/outbound?count=3&offset=0',
    serve: byOffset('offset', 0, (c) => ({ TotalCount: c.total, Messages: c.rows })),
  },
  {
    name: 'Brevo',
    call: 'GET v3/contacts?limit=3',
    serve: byOffset('offset', 0, (c) => ({ contacts: c.rows, count: c.total })),
  },
  {
    name: 'Apollo',
    call: 'POST api/v1/mixed_people/search',
    body: { page: 1, per_page: 3 },
    serve: byPage('body.page', 1, (c) => ({
      breadcrumbs: [],
      people: c.rows,
      pagination: { page: c.page, per_page: 3, total_entries: c.total, total_pages: c.pages },
    })),
  },
  {
    name: 'Workday',
    call: 'GET ccx/api/v1/t/workers?limit=3',
    serve: byOffset('offset', 0, (c) => ({ total: c.total, data: c.rows })),
  },
  {
    name: 'Personio',
    call: 'GET v1/company/employees?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      success: true,
      metadata: { total_elements: c.total, current_page: c.page - 1, total_pages: c.pages },
      offset: String(c.start),
      limit: '3',
      data: c.rows,
    })),
  },
  {
    name: 'Tableau',
    call: 'GET api/3.22/sites/s/users?pageSize=3',
    serve: byPage('pageNumber', 1, (c) => ({
      pagination: { pageNumber: String(c.page), pageSize: '3', totalAvailable: String(c.total) },
      users: { user: c.rows },
    })),
  },
  {
    name: 'Smartsheet',
    call: 'GET 2.0/sheets?pageSize=3',
    serve: byPage('page', 1, (c) => ({
      pageNumber: c.page,
      pageSize: 3,
      totalPages: c.pages,
      totalCount: c.total,
      data: c.rows,
    })),
  },
  {
    name: 'Metabase',
    call: 'GET api/user?limit=3&offset=0',
    serve: byOffset('offset', 0, (c) => ({ data: c.rows, ...window(c) })),
  },
  {
    name: 'Webflow',
    call: 'GET v2/collections/c/items?limit=3',
    serve: byOffset('offset', 0, (c) => ({ items: c.rows, pagination: window(c) })),
  },
  {
    name: 'Ecwid',
    call: 'GET api/v3/1/products?limit=3',
    serve: byOffset('offset', 0, (c) => ({
      total: c.total,
      count: c.rows.length,
      offset: c.start,
      limit: 3,
      items: c.rows,
    })),
  },
  {
    name: 'Clockify',
    call: 'GET api/v1/workspaces/w/users?page-size=3',
    serve: byPage('page', 1, (c) => withHeaders({ 'Last-Page': String(!c.more) }, c.rows)),
  },
  {
    name: 'FreshBooks',
    call: 'GET accounting/account/a/invoices/invoices',
    serve: byPage('page', 1, (c) => ({
      response: { result: { invoices: c.rows, page: c.page, pages: c.pages, per_page: 3, total: c.total } },
    })),
  },
  {
    name: 'Gusto',
    call: 'GET v1/companies/c/employees?per=3',
    serve: byPage('page', 1, (c) =>
      withHeaders(
        { 'X-Page': c.page, 'X-Total-Pages': c.pages, 'X-Total-Count': c.total, 'X-Per-Page': 3 },
        c.rows,
      ),
    ),
  },
  {
    name: 'ShipStation',
    call: 'GET orders?pageSize=3',
    serve: byPage('page', 1, (c) => ({ orders: c.rows, total: c.total, page: c.page, pages: c.pages })),
  },
  {
    name: 'Slack, the old way',
    call: 'GET api/files.list?count=3',
    serve: byPage('page', 1, (c) => ({
      ok: true,
      files: c.rows,
      paging: { count: 3, total: c.total, page: c.page, pages: c.pages },
    })),
  },
  {
    name: 'ClickUp',
    call: 'GET api/v2/list/1/task?page=0',
    serve: byPage('page', 0, (c) => ({ tasks: c.rows, last_page: !c.more })),
  },
  {
    name: 'DocuSign',
    call: 'GET restapi/v2.1/accounts/a/envelopes?count=3',
    serve: byOffset('start_position', 0, (c) => ({
      resultSetSize: String(c.rows.length),
      totalSetSize: String(c.total),
      startPosition: String(c.start),
      endPosition: String(c.start + 2),
      envelopes: c.rows,
    })),
  },
  {
    name: 'Zoho CRM',
    call: 'GET crm/v2/Leads?per_page=3',
    serve: byPage('page', 1, (c) => ({
      data: c.rows,
      info: { per_page: 3, count: 3, page: c.page, more_records: c.more },
    })),
  },
  {
    name: 'Zoho Books',
    call: 'GET books/v3/invoices?per_page=3',
    serve: byPage('page', 1, (c) => ({
      code: 0,
      message: 'success',
      invoices: c.rows,
      page_context: { page: c.page, per_page: 3, has_more_page: c.more, sort_column: 'date' },
    })),
  },
  {
    name: 'Pipedrive v1',
    call: 'GET v1/deals?limit=3',
    serve: byOffset('start', 0, (c) => ({
      success: true,
      data: c.rows,
      additional_data: {
        pagination: {
          start: c.start,
          limit: 3,
          more_items_in_collection: c.more,
          ...(c.more ? { next_start: c.nextStart } : {}),
        },
      },
    })),
  },
  {
    name: 'Plaid, get',
    call: 'POST transactions/get',
    body: { access_token: 't', options: { count: 3, offset: 0 } },
    serve: byOffset('body.options.offset', 0, (c) => ({
      accounts: [{ id: 'a' }],
      transactions: c.rows,
      total_transactions: c.total,
      request_id: 'x',
    })),
  },
  {
    name: 'Google Analytics Data',
    call: 'POST v1beta/properties/1:runReport',
    body: { limit: 3, offset: 0, metrics: [] },
    serve: byOffset('body.offset', 0, (c) => ({
      dimensionHeaders: [{ name: 'a' }],
      rows: c.rows,
      rowCount: c.total,
      kind: 'x',
    })),
  },
  {
    name: 'Teamwork',
    call: 'GET projects/api/v3/tasks.json?pageSize=3',
    serve: byPage('page', 1, (c) => ({
      tasks: c.rows,
      meta: { page: { pageOffset: c.page - 1, pageSize: 3, count: c.rows.length, hasMore: c.more } },
      included: {},
    })),
  },
  {
    name: 'Dropbox Sign',
    call: 'GET v3/signature_request/list?page_size=3',
    serve: byPage('page', 1, (c) => ({
      list_info: { page: c.page, num_pages: c.pages, num_results: c.total, page_size: 3 },
      signature_requests: c.rows,
    })),
  },
  {
    name: 'MusicBrainz',
    call: 'GET ws/2/release?artist=x&fmt=json&limit=3',
    serve: byOffset('offset', 0, (c) => ({
      'release-count': c.total,
      'release-offset': c.start,
      releases: c.rows,
    })),
  },
  {
    name: 'Last.fm',
    call: 'GET 2.0/?method=x&format=json&limit=3',
    serve: byPage('page', 1, (c) => ({
      topartists: {
        artist: c.rows,
        '@attr': { page: String(c.page), perPage: '3', totalPages: String(c.pages), total: String(c.total) },
      },
    })),
  },
  {
    name: 'NYT article search',
    call: 'GET svc/search/v2/articlesearch.json?q=x&page=0',
    serve: byPage('page', 0, (c) => ({
      status: 'OK',
      response: { docs: c.rows, meta: { hits: c.total, offset: c.start, time: 4 } },
    })),
  },
  {
    name: 'Salesloft',
    call: 'GET v2/people?per_page=3',
    serve: byPage('page', 1, (c) => ({
      metadata: {
        filtering: {},
        paging: { per_page: 3, current_page: c.page, next_page: c.more ? c.page + 1 : null, prev_page: null },
        sorting: {},
      },
      data: c.rows,
    })),
  },
  {
    name: 'NetBox without links',
    call: 'GET api/dcim/devices/?limit=3',
    serve: byOffset('offset', 0, (c) => ({ count: c.total, results: c.rows })),
  },
  {
    name: 'a header with the next page',
    call: 'GET api/v4/issues?per_page=3',
    serve: byPage('page', 1, (c) =>
      withHeaders(
        { 'X-Page': c.page, 'X-Next-Page': c.more ? c.page + 1 : '', 'X-Total-Pages': c.pages },
        c.rows,
      ),
    ),
  },
  {
    name: 'JSON:API, numbers',
    call: 'GET api/items?page[size]=3',
    serve: byPage('page[number]', 1, (c) => ({
      data: c.rows,
      meta: { page: { currentPage: c.page, lastPage: c.pages, perPage: 3, total: c.total } },
    })),
  },
  {
    name: 'JSON:API, offset',
    call: 'GET api/items?page[limit]=3',
    serve: byOffset('page[offset]', 0, (c) => ({ data: c.rows, meta: { totalResourceCount: c.total } })),
  },
  {
    name: 'a prefix of its own',
    call: 'GET api/items?pg[limit]=3',
    serve: byOffset('pg[offset]', 0, (c) => ({ items: c.rows, total: c.total })),
  },
  {
    name: 'a POST with its limit in the query',
    call: 'POST api/items/search?limit=3',
    body: { filter: { state: 'open' } },
    serve: byOffset('offset', 0, (c) => ({ items: c.rows, total: c.total })),
  },
  {
    name: 'PascalCase',
    call: 'GET api/Items?PageSize=3&PageNumber=1',
    serve: byPage('PageNumber', 1, (c) => ({
      Items: c.rows,
      TotalCount: c.total,
      PageNumber: c.page,
      TotalPages: c.pages,
      HasNextPage: c.more,
    })),
  },
  {
    name: 'PascalCase, size alone',
    call: 'GET api/Items?PageSize=3',
    serve: byPage('PageNumber', 1, (c) => ({
      Items: c.rows,
      PageNumber: c.page,
      PageSize: 3,
      TotalPages: c.pages,
    })),
  },
  {
    name: 'DataTables',
    call: 'GET api/table?draw=1&start=0&length=3',
    serve: byOffset('start', 0, (c) => ({
      draw: 1,
      recordsTotal: c.total,
      recordsFiltered: c.total,
      data: c.rows,
    })),
  },
  {
    name: 'ABP',
    call: 'GET api/app/book?MaxResultCount=3',
    serve: byOffset('SkipCount', 0, (c) => ({ totalCount: c.total, items: c.rows })),
  },
  {
    name: 'Grafana',
    call: 'GET api/teams/search?perpage=3',
    serve: byPage('page', 1, (c) => ({ totalCount: c.total, teams: c.rows, page: c.page, perPage: 3 })),
  },
  {
    name: 'a usual page of 20 and nothing else',
    total: 45,
    call: 'GET api/things',
    serve: byPage('page', 1, (c) => ({ things: c.rows }), usual),
  },
  {
    name: 'a total and nothing else',
    total: 45,
    call: 'GET api/things',
    serve: byPage('page', 1, (c) => ({ things: c.rows, total: c.total }), usual),
  },
]
