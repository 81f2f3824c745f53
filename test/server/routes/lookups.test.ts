import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { type ReceivedRequest, startThirdPartyApi } from '../../helpers/third-party-api.ts'

const BOARDS = Array.from({ length: 250 }, (_, at) => ({ id: `b${at}`, name: `Board ${at}` }))
const LISTS = [
  { id: 'l1', name: 'To do', board: 'b1' },
  { id: 'l2', name: 'Done', board: 'b1' },
]

/** Boards page by page, the lists of a board, and one board by its ID. */
function answerBoards(request: ReceivedRequest, response: ServerResponse): void {
  const url = new URL(request.target, 'http://api.test')
  const send = (status: number, body: unknown) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  const [, noun, id, inner] = url.pathname.split('/')
  if (request.headers.authorization === 'Bearer wrong') return void send(401, { message: 'no' })
  if (request.headers.authorization === 'Bearer weak') return void send(403, { message: 'no' })
  if (noun === 'find')
    return void send(200, {
      hits: BOARDS.filter(({ name }) => name.includes(url.searchParams.get('term') ?? '')),
    })
  if (inner === 'lists') return void send(200, { total: 2, lists: LISTS.filter(({ board }) => board === id) })
  if (id !== undefined) {
    const board = BOARDS.find((one) => one.id === id)
    return void (board === undefined ? send(404, {}) : send(200, { board }))
  }
  const page = Number(url.searchParams.get('page') ?? 0)
  send(200, { boards: BOARDS.slice(page * 50, page * 50 + 50) })
}

const action = (name: string, endpoint: string, more: object = {}) => ({
  name,
  method: 'GET',
  endpoint,
  ...more,
})
const board = { name: 'board', label: 'Board', type: 'lookup', required: true }

async function aBoardsConnector(app: TestApp, url: string) {
  const post = async (path: string, body: object) => {
    const answer = await app.call('POST', path, body)
    expect({ body, status: answer.status, json: answer.json }).toMatchObject({ status: 201 })
    return (answer.json as { id: string }).id
  }
  const id = await post('/v1/connectors', {
    name: 'Boards',
    base_domain: url,
    pagination_config: { query: '{"page": {{ page }}}', response_jsonpath: '$.boards' },
  })
  const actions = [
    action('list_boards', 'boards', { supports_automatic_pagination: true }),
    action('get_board', 'boards/{{ input.board }}', { ui_form_schema: [board] }),
    action('list_lists', 'boards/{{ input.board }}/lists', { ui_form_schema: [board] }),
    action('add_card', 'cards', {
      method: 'POST',
      ui_form_schema: [
        { ...board, lookup: { action: 'list_boards', read: 'get_board' } },
        { name: 'list', label: 'List', type: 'lookup', lookup: { action: 'list_lists' } },
        {
          name: 'own',
          type: 'lookup',
          lookup: { endpoint: 'boards/{{ input.board }}/lists', response_jsonpath: '$.lists[*]' },
        },
        {
          name: 'found',
          type: 'lookup',
          lookup: { endpoint: 'find', query: { term: '{{ q }}' }, type: 'search' },
        },
        { name: 'broken', type: 'lookup', lookup: { action: 'list_nothing' } },
        { name: 'unread', type: 'lookup', multiple: true, lookup: { action: 'list_boards' } },
      ],
    }),
  ]
  for (const one of actions) await post('/v1/connector-actions', { ...one, connector_id: id })
  const auth = (auth_token: string) =>
    post('/v1/connector-auths', { connector_id: id, name: auth_token, auth_type: 'bearer', auth_token })
  return { id, auth }
}

async function setUp() {
  const app = await startTestApp()
  const api = await startThirdPartyApi(answerBoards)
  const { id, auth } = await aBoardsConnector(app, api.url)
  const ask = (field: string, body: object = {}, headers = {}) =>
    app.call('POST', `/v1/connectors/${id}/search`, { q: '', action: 'add_card', field, ...body }, headers)
  const labels = async (field: string, body: object = {}) => {
    const { json } = await ask(field, body)
    return Array.isArray(json) ? json.map(({ label }: { label: string }) => label) : json
  }
  return { app, api, id, auth, ask, labels }
}

test('a list is read no further than choices are asked for, and continued for the next ones', async () => {
  const { api, labels } = await setUp()
  const first = await labels('board', { limit: 20 })
  const targets = () => api.received.splice(0).map(({ target }) => target)
  expect({ first: first.length, targets: targets() }).toEqual({ first: 20, targets: ['/boards'] })
  const next = await labels('board', { limit: 40, after: 20 })
  expect({ next: [next[0], next.length], targets: targets() }).toEqual({
    next: ['Board 20', 40],
    targets: ['/boards?page=1'],
  })
  const found = await labels('board', { q: 'BOARD 24', limit: 20 })
  const pages = ['/boards?page=2', '/boards?page=3', '/boards?page=4', '/boards?page=5']
  expect({ found: found.length, targets: targets() }).toEqual({ found: 11, targets: pages })
  expect({ byId: await labels('board', { q: 'b17' }), targets: targets() }).toEqual({
    byId: ['Board 17'],
    targets: [],
  })
})

test('a field that depends on another one uses its value, and says which one to choose first', async () => {
  const { ask, labels } = await setUp()
  const refused = async (field: string, input: object) => {
    const { status, json } = await ask(field, { input })
    return [status, (json as { data: unknown }).data]
  }
  expect({
    action: await labels('list', { input: { board: 'b1' } }),
    request: await labels('own', { input: { board: 'b1' } }),
    searched: await labels('found', { q: 'Board 249' }),
    missing: await refused('list', {}),
    ofRequest: await refused('own', { board: '' }),
    template: await refused('list', { board: '{{ web1.board }}' }),
    unknown: await refused('broken', {}),
  }).toEqual({
    action: ['To do', 'Done'],
    request: ['To do', 'Done'],
    searched: ['Board 249'],
    missing: [400, { 'input.board': ['Choose "Board" first'] }],
    ofRequest: [400, { 'input.board': ['Choose "Board" first'] }],
    template: [
      400,
      {
        'input.board': [
          '"Board" is a template, so these choices aren\'t known yet. Enter an ID, or a template here too',
        ],
      },
    ],
    unknown: [400, { 'lookup.action': ['isn\'t the name of an action of "Boards"'] }],
  })
})

test('stored values are looked up: what is gone is left out, what is too far away is not called gone', async () => {
  const { ask } = await setUp()
  const stored = async (field: string, values: unknown[], input = {}) => {
    const { json } = await ask(field, { values, input })
    return (json as { value: unknown; label: string; record: unknown }[]).map(({ value, label, record }) => [
      value,
      label,
      record === null ? 'unknown' : 'there',
    ])
  }
  expect({
    read: await stored('board', ['b7', 'gone']),
    listed: await stored('list', ['l2', 'gone'], { board: 'b1' }),
    long: await stored('unread', ['b7', 'b249']),
  }).toEqual({
    read: [['b7', 'Board 7', 'there']],
    listed: [['l2', 'Done', 'there']],
    long: [
      ['b7', 'Board 7', 'there'],
      ['b249', 'b249', 'unknown'],
    ],
  })
})

test('rejected credentials name the auth; a look-up that is not saved needs the right to create one', async () => {
  const { app, auth, ask } = await setUp()
  const codes = async (token: string) => {
    const { status, json } = await ask('board', { auth_id: await auth(token) })
    return [status, Object.keys((json as { data: object }).data)]
  }
  const token = async (scopes: string[]) => {
    const body = { expiration: null, scopes, note: 'x' }
    const { token: secret } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as {
      token: string
    }
    return { Authorization: `Bearer ${secret}` }
  }
  const unsaved = { lookup: { action: 'list_boards' }, limit: 1 }
  const viewer = await token(['connectors:view'])
  expect({
    wrong: await codes('wrong'),
    weak: await codes('weak'),
    saved: (await ask('board', { limit: 1 }, viewer)).status,
    viewer: (await ask('', unsaved, viewer)).status,
    owner: (await ask('', unsaved)).status,
  }).toEqual({ wrong: [409, ['auth_id']], weak: [409, ['auth_id']], saved: 200, viewer: 403, owner: 200 })
})
