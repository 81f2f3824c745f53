import { type ApiShape, byLast, byOffset, byPage, byToken, type Cut, withHeaders } from './shape.ts'

/** A key that is absent on the last page. */
const maybe = (key: string, value: unknown) => (value === null ? {} : { [key]: value })
/** A Relay connection. */
const connection = (c: Cut) => ({
  edges: c.rows.map((node) => ({ cursor: node.id, node })),
  pageInfo: {
    hasNextPage: c.more,
    hasPreviousPage: c.start > 0,
    endCursor: c.next ?? 'last',
    startCursor: 'x',
  },
})

/** APIs that use a cursor, or continue after the last record. */
export const CURSOR_SHAPES: readonly ApiShape[] = [
  {
    name: 'Stripe',
    call: 'GET v1/charges?limit=3',
    serve: byLast('starting_after', (c) => ({
      object: 'list',
      url: '/v1/charges',
      has_more: c.more,
      data: c.rows,
    })),
  },
  {
    name: 'Stripe search',
    call: 'GET v1/charges/search?query=amount>1',
    serve: byToken('page', (c) => ({
      object: 'search_result',
      url: '/v1/charges/search',
      has_more: c.more,
      data: c.rows,
      next_page: c.next,
    })),
  },
  {
    name: 'Slack',
    call: 'GET api/conversations.list?limit=3',
    serve: byToken('cursor', (c) => ({
      ok: true,
      channels: c.rows,
      response_metadata: { next_cursor: c.next ?? '' },
    })),
  },
  {
    name: 'Notion',
    call: 'POST v1/databases/d/query',
    body: { page_size: 3 },
    serve: byToken('body.start_cursor', (c) => ({
      object: 'list',
      results: c.rows,
      next_cursor: c.next,
      has_more: c.more,
      type: 'page_or_database',
    })),
  },
  {
    name: 'Notion users',
    call: 'GET v1/users?page_size=3',
    serve: byToken('start_cursor', (c) => ({
      object: 'list',
      results: c.rows,
      next_cursor: c.next,
      has_more: c.more,
    })),
  },
  {
    name: 'Airtable',
    call: 'GET v0/app1/Table?pageSize=3',
    serve: byToken('offset', (c) => ({ records: c.rows, ...maybe('offset', c.next) })),
  },
  {
    name: 'HubSpot v3',
    call: 'GET crm/v3/objects/contacts?limit=3',
    serve: byToken('after', (c) => ({
      results: c.rows,
      ...maybe(
        'paging',
        c.next === null ? null : { next: { after: c.next, link: c.link({ after: c.next }) } },
      ),
    })),
  },
  {
    name: 'HubSpot search',
    call: 'POST crm/v3/objects/contacts/search',
    body: { filterGroups: [], limit: 3 },
    serve: byToken('body.after', (c) => ({
      total: c.total,
      results: c.rows,
      ...maybe('paging', c.next === null ? null : { next: { after: c.next } }),
    })),
  },
  {
    name: 'HubSpot v1 contacts',
    call: 'GET contacts/v1/lists/all/contacts/all?count=3',
    serve: byOffset('vidOffset', 0, (c) => ({
      contacts: c.rows,
      'has-more': c.more,
      'vid-offset': c.start + 3,
    })),
  },
  {
    name: 'HubSpot v1 companies',
    call: 'GET companies/v2/companies/paged?limit=3',
    serve: byOffset('offset', 0, (c) => ({ companies: c.rows, 'has-more': c.more, offset: c.start + 3 })),
  },
  {
    name: 'Intercom contacts',
    call: 'GET contacts?per_page=3',
    serve: byToken('starting_after', (c) => ({
      type: 'list',
      data: c.rows,
      total_count: c.total,
      pages: {
        type: 'pages',
        page: c.page,
        per_page: 3,
        total_pages: c.pages,
        ...maybe('next', c.next === null ? null : { page: c.page + 1, starting_after: c.next }),
      },
    })),
  },
  {
    name: 'Intercom search',
    call: 'POST contacts/search',
    body: { query: { field: 'role', operator: '=', value: 'user' }, pagination: { per_page: 3 } },
    serve: byToken('body.pagination.starting_after', (c) => ({
      type: 'list',
      data: c.rows,
      total_count: c.total,
      pages: {
        type: 'pages',
        page: c.page,
        per_page: 3,
        total_pages: c.pages,
        ...maybe('next', c.next === null ? null : { starting_after: c.next }),
      },
    })),
  },
  {
    name: 'MediaWiki',
    call: 'GET w/api.php?action=query&list=allpages&aplimit=3&format=json',
    serve: byToken('apcontinue', (c) => ({
      ...maybe('continue', c.next === null ? null : { apcontinue: c.next, continue: '-||' }),
      query: { allpages: c.rows },
    })),
  },
  {
    name: 'Wikidata search',
    call: 'GET w/api.php?action=wbsearchentities&search=bach&language=en&format=json',
    serve: byOffset('continue', 0, (c) => ({
      searchinfo: { search: 'bach' },
      search: c.rows,
      ...maybe('search-continue', c.nextStart),
      success: 1,
    })),
  },
  {
    name: 'DynamoDB',
    call: 'POST',
    body: { TableName: 'things', Limit: 3 },
    serve: (request) => {
      const key = (request.body as { ExclusiveStartKey?: { id: { S: string } } }).ExclusiveStartKey?.id.S
      return byLast('body.key', (c) => ({
        Items: c.rows,
        Count: c.rows.length,
        ScannedCount: c.rows.length,
        ...maybe('LastEvaluatedKey', c.more ? { id: { S: c.last?.id } } : null),
      }))({ ...request, body: { key } })
    },
  },
  {
    name: 'AWS JSON',
    call: 'POST',
    body: { MaxResults: 3 },
    serve: byToken('body.NextToken', (c) => ({ SecretList: c.rows, ...maybe('NextToken', c.next) })),
  },
  {
    name: 'AWS ECS',
    call: 'POST',
    body: { maxResults: 3 },
    serve: byToken('body.nextToken', (c) => ({ clusterArns: c.rows, ...maybe('nextToken', c.next) })),
  },
  {
    name: 'Amazon Cognito',
    call: 'POST',
    body: { UserPoolId: 'p', Limit: 3 },
    serve: byToken('body.PaginationToken', (c) => ({ Users: c.rows, ...maybe('PaginationToken', c.next) })),
  },
  {
    name: 'AWS Lambda',
    call: 'GET 2015-03-31/functions/?MaxItems=3',
    serve: byToken('Marker', (c) => ({ Functions: c.rows, NextMarker: c.next })),
  },
  {
    name: 'Amazon Selling Partner orders',
    call: 'GET orders/v0/orders?MarketplaceIds=A1',
    serve: byToken('NextToken', (c) => ({
      payload: { Orders: c.rows, CreatedBefore: 'x', ...maybe('NextToken', c.next) },
    })),
  },
  {
    name: 'Elasticsearch search_after',
    call: 'POST things/_search',
    body: { size: 3, sort: [{ id: 'asc' }] },
    serve: (request) => {
      const after = (request.body as { search_after?: string[] }).search_after?.[0]
      return byLast('body.key', (c) => ({
        took: 3,
        timed_out: false,
        hits: {
          total: { value: c.total, relation: 'eq' },
          hits: c.rows.map((row) => ({ _id: row.id, _source: row, sort: [row.id] })),
        },
      }))({ ...request, body: { key: after } })
    },
  },
  {
    name: 'Elasticsearch scroll',
    call: 'POST things/_search?scroll=1m',
    body: { size: 3 },
    serve: byToken(
      'body.scroll_id',
      (c) => ({
        _scroll_id: c.next ?? Buffer.from('at "99"').toString('base64'),
        took: 1,
        hits: { total: { value: c.total }, hits: c.rows },
      }),
      { path: '_search/scroll' },
    ),
  },
  {
    name: 'a scroll with its parameter in the query',
    call: 'GET companies/scroll',
    serve: byToken('scroll_param', (c) => ({
      type: 'list',
      data: c.rows,
      scroll_param: c.next ?? Buffer.from('at "99"').toString('base64'),
    })),
  },
  {
    name: 'Solr, cursor mark',
    call: 'GET solr/things/select?q=*:*&rows=3&sort=id+asc&cursorMark=*',
    serve: (request) => {
      const mark = request.query.get('cursorMark')
      if (mark === '*') request.query.delete('cursorMark')
      return byToken('cursorMark', (c) => ({
        response: { numFound: c.total, start: 0, docs: c.rows },
        nextCursorMark: c.next ?? mark,
      }))(request)
    },
  },
  {
    name: 'Europe PMC',
    call: 'GET europepmc/webservices/rest/search?query=malaria&format=json&pageSize=3',
    serve: byToken('cursorMark', (c) => ({
      version: '6.9',
      hitCount: c.total,
      ...maybe('nextCursorMark', c.next),
      resultList: { result: c.rows },
    })),
  },
  {
    name: 'Mango of CouchDB',
    call: 'POST db/_find',
    body: { selector: {}, limit: 3 },
    serve: byToken('body.bookmark', (c) => ({
      docs: c.rows,
      bookmark: c.next ?? Buffer.from('at "99"').toString('base64'),
    })),
  },
  {
    name: 'Reddit',
    call: 'GET r/all/new?limit=3',
    serve: byToken('after', (c) => ({
      kind: 'Listing',
      data: { after: c.next, before: null, dist: 3, children: c.rows.map((data) => ({ kind: 't3', data })) },
    })),
  },
  {
    name: 'X v2',
    call: 'GET 2/users/1/tweets?max_results=3',
    serve: byToken('pagination_token', (c) => ({
      data: c.rows,
      meta: { result_count: 3, newest_id: 'r1', ...maybe('next_token', c.next) },
    })),
  },
  {
    name: 'X v1, ended by 0',
    call: 'GET 1.1/followers/list.json?count=3',
    serve: byOffset('cursor', -1, (c) => ({
      users: c.rows,
      next_cursor: c.nextStart === null ? 0 : c.nextStart - 1,
      next_cursor_str: c.nextStart === null ? '0' : String(c.nextStart - 1),
      previous_cursor: 0,
    })),
  },
  {
    name: 'YouTube',
    call: 'GET youtube/v3/search?part=snippet&maxResults=3',
    serve: byToken('pageToken', (c) => ({
      kind: 'youtube#list',
      ...maybe('nextPageToken', c.next),
      pageInfo: { totalResults: c.total, resultsPerPage: 3 },
      items: c.rows,
    })),
  },
  {
    name: 'Google Drive',
    call: 'GET drive/v3/files',
    serve: byToken('pageToken', (c) => ({
      ...maybe('nextPageToken', c.next),
      kind: 'drive#fileList',
      incompleteSearch: false,
      files: c.rows,
    })),
  },
  {
    name: 'Google Cloud with a token in the body',
    call: 'POST v1/customers/1/googleAds:search',
    body: { query: 'SELECT campaign.id FROM campaign', pageSize: 3 },
    serve: byToken('body.pageToken', (c) => ({
      results: c.rows,
      ...maybe('nextPageToken', c.next),
      fieldMask: 'campaign.id',
    })),
  },
  {
    name: 'BigQuery',
    call: 'GET bigquery/v2/projects/p/datasets?maxResults=3',
    serve: byToken('pageToken', (c) => ({
      kind: 'bigquery#datasetList',
      etag: 'x',
      ...maybe('nextPageToken', c.next),
      datasets: c.rows,
    })),
  },
  {
    name: 'Google Places',
    call: 'GET maps/api/place/textsearch/json?query=bar',
    serve: byToken('pagetoken', (c) => ({
      html_attributions: [],
      ...maybe('next_page_token', c.next),
      results: c.rows,
      status: 'OK',
    })),
  },
  {
    name: 'Kubernetes',
    call: 'GET api/v1/pods?limit=3',
    serve: byToken('continue', (c) => ({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '1', ...maybe('continue', c.next), remainingItemCount: 5 },
      items: c.rows,
    })),
  },
  {
    name: 'Jira search, tokens',
    call: 'GET rest/api/3/search/jql?jql=project=A&maxResults=3',
    serve: byToken('nextPageToken', (c) => ({
      issues: c.rows,
      isLast: !c.more,
      ...maybe('nextPageToken', c.next),
    })),
  },
  {
    name: 'Zoom',
    call: 'GET v2/users?page_size=3',
    serve: byToken('next_page_token', (c) => ({
      page_count: 3,
      page_size: 3,
      total_records: c.total,
      next_page_token: c.next ?? '',
      users: c.rows,
    })),
  },
  {
    name: 'Box, marker',
    call: 'GET 2.0/folders/0/items?usemarker=true&limit=3',
    serve: byToken('marker', (c) => ({ entries: c.rows, limit: 3, next_marker: c.next ?? '' })),
  },
  {
    name: 'Dropbox',
    call: 'POST 2/files/list_folder',
    body: { path: '' },
    serve: (request) =>
      request.path === '2/files/list_folder/continue' &&
      Object.keys(request.body as object).join() !== 'cursor'
        ? { status: 400, body: 'only cursor' }
        : byToken('body.cursor', (c) => ({ entries: c.rows, cursor: c.next ?? 'end', has_more: c.more }), {
            path: '2/files/list_folder/continue',
          })(request),
  },
  {
    name: 'Square',
    call: 'GET v2/payments?limit=3',
    serve: byToken('cursor', (c) => ({ payments: c.rows, ...maybe('cursor', c.next) })),
  },
  {
    name: 'Square search',
    call: 'POST v2/orders/search',
    body: { location_ids: ['L'], limit: 3 },
    serve: byToken('body.cursor', (c) => ({ orders: c.rows, ...maybe('cursor', c.next) })),
  },
  {
    name: 'Twitch',
    call: 'GET helix/streams?first=3',
    serve: byToken('after', (c) => ({ data: c.rows, pagination: c.next === null ? {} : { cursor: c.next } })),
  },
  {
    name: 'TikTok',
    call: 'POST v2/video/list/',
    body: { max_count: 3 },
    serve: byOffset('body.cursor', 0, (c) => ({
      data: { videos: c.rows, cursor: c.start + 3, has_more: c.more },
      error: { code: 'ok', message: '' },
    })),
  },
  {
    name: 'Chargebee',
    call: 'GET api/v2/customers?limit=3',
    serve: byToken('offset', (c) => ({
      list: c.rows.map((customer) => ({ customer })),
      ...maybe('next_offset', c.next),
    })),
  },
  {
    name: 'Plaid, sync',
    call: 'POST transactions/sync',
    body: { client_id: 'c', secret: 's', access_token: 't', count: 3 },
    serve: byToken('body.cursor', (c) => ({
      added: c.rows,
      modified: [],
      removed: [],
      next_cursor: c.next ?? 'end',
      has_more: c.more,
      request_id: 'q',
    })),
  },
  {
    name: 'Wise-like list with an ending cursor',
    call: 'GET v1/activities?size=3',
    serve: byToken('nextCursor', (c) => ({ cursor: c.next, activities: c.rows })),
  },
  {
    name: 'Auth0 checkpoint',
    call: 'GET api/v2/logs?take=3',
    serve: byToken('from', (c) => ({ organizations: c.rows, ...maybe('next', c.next) })),
  },
  {
    name: 'Datadog v2',
    call: 'GET api/v2/logs/events?page[limit]=3',
    serve: byToken('page[cursor]', (c) => ({
      data: c.rows,
      meta: { elapsed: 1, status: 'done', ...maybe('page', c.next === null ? null : { after: c.next }) },
    })),
  },
  {
    name: 'Datadog v2, body',
    call: 'POST api/v2/logs/events/search',
    body: { filter: { query: '*' }, page: { limit: 3 } },
    serve: byToken('body.page.cursor', (c) => ({
      data: c.rows,
      meta: { ...maybe('page', c.next === null ? null : { after: c.next }) },
    })),
  },
  {
    name: 'Cloudflare, cursors',
    call: 'GET client/v4/accounts/a/storage/kv/namespaces/n/keys?limit=10',
    serve: byToken('cursor', (c) => ({
      result: c.rows,
      success: true,
      errors: [],
      messages: [],
      result_info: { count: 3, cursor: c.next ?? '' },
    })),
  },
  {
    name: 'Vercel',
    call: 'GET v6/deployments?limit=3',
    serve: byOffset('until', 0, (c) => ({
      deployments: c.rows,
      pagination: { count: 3, next: c.nextStart, prev: 1 },
    })),
  },
  {
    name: 'CircleCI',
    call: 'GET api/v2/pipeline?org-slug=gh/acme',
    serve: byToken('page-token', (c) => ({ items: c.rows, next_page_token: c.next })),
  },
  {
    name: 'Crossref',
    call: 'GET works?rows=3&cursor=*',
    serve: (request) => {
      if (request.query.get('cursor') === '*') request.query.delete('cursor')
      return byToken('cursor', (c) => ({
        status: 'ok',
        message: {
          'next-cursor': c.next ?? Buffer.from('at "99"').toString('base64'),
          'total-results': c.total,
          items: c.rows,
        },
      }))(request)
    },
  },
  {
    name: 'OpenAlex',
    call: 'GET works?per-page=3&cursor=*',
    serve: (request) => {
      if (request.query.get('cursor') === '*') request.query.delete('cursor')
      return byToken('cursor', (c) => ({
        meta: { count: c.total, per_page: 3, next_cursor: c.next },
        results: c.rows,
        group_by: [],
      }))(request)
    },
  },
  {
    name: 'Duffel',
    call: 'GET air/airports?limit=3',
    serve: byToken('after', (c) => ({ data: c.rows, meta: { limit: 3, after: c.next, before: null } })),
  },
  {
    name: 'Segment',
    call: 'GET sources?pagination[count]=3',
    serve: byToken('pagination[cursor]', (c) => ({
      data: {
        sources: c.rows,
        pagination: { current: 'x', ...maybe('next', c.next), totalEntries: c.total },
      },
    })),
  },
  {
    name: 'Gorgias',
    call: 'GET api/tickets?limit=3',
    serve: byToken('cursor', (c) => ({
      object: 'list',
      uri: '/api/tickets',
      data: c.rows,
      meta: { prev_cursor: null, next_cursor: c.next },
    })),
  },
  {
    name: 'Gong',
    call: 'GET v2/calls?fromDateTime=2024-01-01',
    serve: byToken('cursor', (c) => ({
      requestId: 'x',
      records: { totalRecords: c.total, currentPageSize: 3, ...maybe('cursor', c.next) },
      calls: c.rows,
    })),
  },
  {
    name: 'Lever',
    call: 'GET v1/opportunities?limit=3',
    serve: byToken('offset', (c) => ({ data: c.rows, hasNext: c.more, ...maybe('next', c.next) })),
  },
  {
    name: 'Databricks',
    call: 'GET api/2.1/jobs/list?limit=3',
    serve: byToken('page_token', (c) => ({
      jobs: c.rows,
      has_more: c.more,
      ...maybe('next_page_token', c.next),
    })),
  },
  {
    name: 'Fivetran',
    call: 'GET v1/groups?limit=3',
    serve: byToken('cursor', (c) => ({
      code: 'Success',
      data: { items: c.rows, ...maybe('next_cursor', c.next) },
    })),
  },
  {
    name: 'Coda',
    call: 'GET apis/v1/docs?limit=3',
    serve: byToken('pageToken', (c) => ({
      items: c.rows,
      href: 'https://coda.io/x',
      ...maybe('nextPageToken', c.next),
    })),
  },
  {
    name: 'Miro',
    call: 'GET v2/boards/b/items?limit=10',
    serve: byToken('cursor', (c) => ({
      size: 3,
      limit: 10,
      total: c.total,
      data: c.rows,
      ...maybe('cursor', c.next),
      links: { self: 'https://api.miro.com/x' },
      type: 'cursor-list',
    })),
  },
  {
    name: 'Wix',
    call: 'POST stores/v1/products/query',
    body: { query: { cursorPaging: { limit: 3 } } },
    serve: byToken('body.query.cursorPaging.cursor', (c) => ({
      items: c.rows,
      pagingMetadata: { count: 3, cursors: { next: c.next }, hasNext: c.more },
    })),
  },
  {
    name: 'Todoist',
    call: 'GET api/v1/tasks?limit=3',
    serve: byToken('cursor', (c) => ({ results: c.rows, next_cursor: c.next })),
  },
  {
    name: 'Shopify GraphQL',
    call: 'POST admin/api/2024-01/graphql.json',
    body: {
      query:
        'query($n: Int!, $after: String) { products(first: $n, after: $after) { edges { node { id name } } pageInfo { hasNextPage endCursor } } }',
      variables: { n: 3 },
    },
    serve: byToken('body.variables.after', (c) => ({
      data: { products: connection(c) },
      extensions: { cost: { requestedQueryCost: 5 } },
    })),
  },
  {
    name: 'GitHub GraphQL, nodes',
    call: 'POST graphql',
    body: {
      query:
        'query($cursor: String) { viewer { repositories(first: 3, after: $cursor) { nodes { id } pageInfo { endCursor hasNextPage } } } }',
      variables: {},
    },
    serve: byToken('body.variables.cursor', (c) => ({
      data: {
        viewer: {
          repositories: { nodes: c.rows, pageInfo: { endCursor: c.next ?? 'x', hasNextPage: c.more } },
        },
      },
    })),
  },
  {
    name: 'Relay without variables yet',
    call: 'POST graphql',
    body: {
      query:
        'query Issues($after: String) { issues(first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }',
    },
    serve: byToken('body.variables.after', (c) => ({
      data: { issues: { nodes: c.rows, pageInfo: { hasNextPage: c.more, endCursor: c.next } } },
    })),
  },
  {
    name: 'a GraphQL list with a cursor of its own',
    call: 'POST v2',
    body: {
      query:
        'query ($cursor: String) { boards(ids: 1) { items_page(limit: 3, cursor: $cursor) { cursor items { id } } } }',
      variables: {},
    },
    serve: byToken('body.variables.cursor', (c) => ({
      data: { board: { items_page: { cursor: c.next, items: c.rows } } },
    })),
  },
  {
    name: 'Azure DevOps',
    call: 'GET org/_apis/projects?api-version=7.1',
    serve: byToken('continuationToken', (c) =>
      withHeaders({ 'x-ms-continuationtoken': c.next }, { count: 3, value: c.rows }),
    ),
  },
  {
    name: 'Azure Cosmos DB',
    call: 'GET dbs/d/colls/c/docs',
    headers: { 'x-ms-max-item-count': '3' },
    serve: byToken('header.x-ms-continuation', (c) =>
      withHeaders(
        { 'x-ms-continuation': c.next, 'x-ms-item-count': 3 },
        { _rid: 'x', Documents: c.rows, _count: 3 },
      ),
    ),
  },
  {
    name: 'a cursor in a header',
    call: 'GET v1/events?limit=3',
    serve: byToken('cursor', (c) => withHeaders({ 'X-Next-Cursor': c.next }, c.rows)),
  },
  {
    name: 'a page token in a header',
    call: 'GET v1/events?page_size=3',
    serve: byToken('page_token', (c) => withHeaders({ 'Next-Page-Token': c.next ?? '' }, { events: c.rows })),
  },
  {
    name: 'Eventbrite',
    call: 'GET v3/users/me/orders/',
    serve: byToken('continuation', (c) => ({
      pagination: {
        object_count: c.total,
        page_number: c.page,
        page_size: 3,
        page_count: c.pages,
        ...maybe('continuation', c.next),
        has_more_items: c.more,
      },
      orders: c.rows,
    })),
  },
  {
    name: 'Nexus repository',
    call: 'GET service/rest/v1/components?repository=r',
    serve: byToken('continuationToken', (c) => ({ items: c.rows, continuationToken: c.next })),
  },
  {
    name: 'a cursor that is a number',
    call: 'GET v1/rows?limit=3',
    serve: byOffset('after', 0, (c) => ({
      rows: c.rows,
      cursor: { before: null, ...maybe('after', c.nextStart) },
    })),
  },
  {
    name: 'next_starting_after',
    call: 'GET v1/orders?limit=3',
    serve: byToken('starting_after', (c) => ({ orders: c.rows, next_starting_after: c.next })),
  },
  {
    name: 'endingCursor',
    call: 'GET v1/orders?first=3',
    serve: byToken('after', (c) => ({
      orders: c.rows,
      paging: { endingCursor: c.next ?? 'x', hasNextPage: c.more },
    })),
  },
  {
    name: 'Azure Table storage',
    call: 'GET things()?$top=3',
    serve: byToken('NextPartitionKey', (c) =>
      withHeaders({ 'x-ms-continuation-NextPartitionKey': c.next }, { value: c.rows }),
    ),
  },
  {
    name: 'Toggl-like, before an id',
    call: 'GET v1/audit?limit=3',
    serve: byLast('after_id', (c) => ({
      data: c.rows,
      first_id: c.rows[0]?.id,
      last_id: c.last?.id,
      has_more: c.more,
    })),
  },
  {
    name: 'OpenAI',
    call: 'GET v1/assistants?limit=3',
    serve: byLast('after', (c) => ({
      object: 'list',
      data: c.rows,
      first_id: c.rows[0]?.id,
      last_id: c.last?.id,
      has_more: c.more,
    })),
  },
  {
    name: 'Lago-like last id under another name',
    call: 'GET v1/messages?limit=3',
    serve: byToken('last_message_id', (c) => ({
      messages: c.rows,
      last_message_id: c.next,
      has_more: c.more,
    })),
  },
  {
    name: 'Discord',
    call: 'GET api/v10/channels/1/messages?limit=3',
    serve: byLast('before', (c) => c.rows),
  },
  {
    name: 'Telegram',
    call: 'GET bot1/getUpdates?limit=3',
    serve: byLast('offset', (c) => ({ ok: true, result: c.rows })),
  },
  {
    name: 'Trello',
    call: 'GET 1/boards/b/actions?limit=3',
    serve: byLast('before', (c) => c.rows),
  },
  {
    name: 'Heroku',
    call: 'GET apps',
    serve: byToken('header.range', (c) =>
      withHeaders({ 'Next-Range': c.next, 'Accept-Ranges': 'id, name' }, c.rows),
    ),
  },
  {
    name: 'Monzo-like, since the last record',
    call: 'GET transactions?limit=3',
    serve: byLast('since', (c) => ({ transactions: c.rows })),
  },
  {
    name: 'Keycloak',
    call: 'GET admin/realms/r/users?first=0&max=3',
    serve: byOffset('first', 0, (c) => c.rows),
  },
  {
    name: 'Xero',
    total: 230,
    call: 'GET api.xro/2.0/Invoices',
    serve: byPage('page', 1, (c) => ({ Id: 'x', Status: 'OK', ProviderName: 'p', Invoices: c.rows }), {
      size: 100,
      total: 230,
    }),
  },
]
