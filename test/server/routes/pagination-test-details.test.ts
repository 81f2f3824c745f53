import { expect, test } from 'vitest'
import type { PaginationEvent } from '../../../src/shared/contract/pagination.ts'
import { eventsOf } from '../../helpers/pagination-test-events.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import type { TestApp } from '../../helpers/test-app.ts'
import { SESSION_BEARER } from '../../helpers/test-server.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PLAYGROUND = 'f306cd0c-aa4f-4195-8fec-ae5b83201da5'

test('a plan shows which condition held, the result of each template and what will be sent, or why nothing is', async () => {
  const app = await startTestApp({ playground: true })
  const events = await eventsOf(app, {
    connector_id: PLAYGROUND,
    action: 'list_tickets',
    include: ['plan'],
  })
  const plans = events.filter((event) => event.type === 'plan')
  expect({ plans: plans.length, first: plans[0], second: plans[1], last: plans.at(-1) }).toEqual({
    plans: 8,
    first: expect.objectContaining({ page: 0, config_index: null, templates: [], stop_reason: null }),
    second: expect.objectContaining({
      page: 1,
      config_index: 2,
      conditions: [
        expect.objectContaining({ config_index: 0, holds: false }),
        expect.objectContaining({ config_index: 1, holds: false }),
        expect.objectContaining({ config_index: 2, holds: true }),
      ],
      templates: [
        {
          field: '[2].query',
          source: '{"after": "{{ previous_request.paging.next.after }}"}',
          value: { after: 'ZnJvbToxMA==' },
          taken: [{ source: 'previous_request.paging.next.after', value: 'ZnJvbToxMA==', missing: false }],
        },
        { field: '[2].response_jsonpath', source: '$.results', value: '$.results', taken: [] },
      ],
      request: expect.objectContaining({
        method: 'GET',
        url: expect.stringMatching(/\/tickets\?after=ZnJvbToxMA%3D%3D$/),
      }),
    }),
    last: expect.objectContaining({
      page: 7,
      request: null,
      stop_reason: 'no_next',
      templates: [
        expect.objectContaining({
          taken: [{ source: 'previous_request.paging.next.after', value: null, missing: true }],
        }),
        expect.anything(),
      ],
    }),
  })
})

test('with max_pages 1 the plan of page 1 is a dry run of it: shown, never sent', async () => {
  const app = await startTestApp({ playground: true })
  const events = await eventsOf(app, {
    connector_id: PLAYGROUND,
    action: 'list_orders',
    include: ['plan'],
    max_pages: 1,
  })
  const sent = events.filter((event) => event.type === 'request').length
  const plan = events.find((event) => event.type === 'plan' && event.page === 1)
  expect({ sent, plan }).toEqual({
    sent: 1,
    plan: expect.objectContaining({
      request: expect.objectContaining({ url: expect.stringMatching(/page=2$/) }),
    }),
  })
})

test('bodies include the positions of their records, also in error responses and non-JSON', async () => {
  const api = await startThirdPartyApi((request, response) => {
    if (request.target.includes('page=2')) response.writeHead(401).end('<p>no</p>')
    else response.end('{"items":[{"id":1},{"id":2,"hidden":true}],"meta":{}}')
  })
  const app = await startTestApp()
  const bodiesFor = async (path: string) => {
    const events = await eventsOf(app, {
      request: { base_url: api.url, endpoint: 'list' },
      pagination_config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: path },
      include: ['body'],
    })
    return events.filter((event) => event.type === 'body')
  }
  const page = { type: 'body', page: 0, text: expect.stringContaining('"items"'), truncated: false }
  const refusal = { type: 'body', page: 1, text: '<p>no</p>', truncated: false, lists: [], records: [] }
  expect([await bodiesFor('$.items'), await bodiesFor('$.items[?(!@.hidden)]')]).toEqual([
    [{ ...page, lists: [['items']], records: [] }, refusal],
    [{ ...page, lists: [], records: [['items', 0]] }, refusal],
  ])
})

test('a test pauses after each page until it is continued, and sends nothing in the meantime', async () => {
  const app = await startTestApp({ playground: true })
  const sent: number[] = []
  const seen: string[] = []
  let id = ''
  for await (const event of streamOf(app, {
    connector_id: PLAYGROUND,
    action: 'list_contacts',
    pause_after: 1,
  })) {
    if (event.type === 'started') id = event.id
    if (event.type === 'request') sent.push(event.page)
    if (event.type === 'paused') {
      seen.push(`${event.page} after ${sent.join()}`)
      // From the third time on, all remaining pages are read.
      await app.call('POST', `/v1/pagination-tests/${id}/continue`, { pages: event.page < 3 ? 1 : null })
    }
    if (event.type === 'done') seen.push(`${event.total_records} in the end`)
  }
  const late = await app.call('POST', `/v1/pagination-tests/${id}/continue`, { pages: 1 })
  expect({ seen, late: late.status }).toEqual({
    seen: ['1 after 0', '2 after 0,1', '3 after 0,1,2', '64 in the end'],
    late: 404,
  })
})

test('a configuration is validated without a request, each problem with its position', async () => {
  const app = await startTestApp()
  const check = async (config: unknown, names?: string[]) => {
    const body = { pagination_config: config, ...(names === undefined ? {} : { input_names: names }) }
    return (await app.call('POST', '/v1/pagination-tests/checks', body)).json
  }
  const config = [{ query: '{"limit": 500,\n "page": {{ pag }}}' }, { response_jsonpath: '$.a[' }]
  expect([await check(config), await check({ query: '{"q": "{{ city }}"}' }, ['city'])]).toEqual([
    {
      problems: expect.arrayContaining([
        expect.objectContaining({
          severity: 'error',
          code: 'template_error',
          field: '[0].query',
          line: 2,
          column: 13,
        }),
        expect.objectContaining({ severity: 'warning', code: 'page_size', field: '[0].query', line: 1 }),
        expect.objectContaining({ code: 'jsonpath_error', field: '[1].response_jsonpath', line: 1 }),
      ]),
    },
    { problems: [] },
  ])
})

async function* streamOf(app: TestApp, body: object): AsyncGenerator<PaginationEvent> {
  const response = await fetch(`http://127.0.0.1:${app.port}/v1/pagination-tests`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${SESSION_BEARER}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const lines = (rest + new TextDecoder().decode(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as PaginationEvent
  }
}
