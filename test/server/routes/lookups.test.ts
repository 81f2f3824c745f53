import { expect, test } from 'vitest'
import { aBoardsConnector, answerBoards } from '../../helpers/boards-api.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

async function setUp() {
  const app = await startTestApp()
  const api = await startThirdPartyApi(answerBoards)
  const { id, auth } = await aBoardsConnector(async (path, body) => {
    const answer = await app.call('POST', path, body)
    expect({ body, status: answer.status, json: answer.json }).toMatchObject({ status: 201 })
    return answer.json as { id: string }
  }, api.url)
  const ask = (field: string, body: object = {}, headers = {}) =>
    app.call('POST', `/v1/connectors/${id}/search`, { q: '', action: 'add_card', field, ...body }, headers)
  const labels = async (field: string, body: object = {}) => {
    const { json } = await ask(field, body)
    return (json as { label: string }[]).map(({ label }) => label)
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

test('credentials go only to the origins they were entered for, whatever address a look-up has', async () => {
  const { api, auth, ask } = await setUp()
  const other = await startThirdPartyApi(answerBoards)
  const auth_id = await auth('right')
  const lookup = (endpoint: string) => ({ lookup: { endpoint, response_jsonpath: '$.boards' }, auth_id })
  await ask('', lookup(`${api.url}/boards`))
  const elsewhere = await ask('', lookup(`${other.url}/boards`))
  const sent = (from: typeof api) => from.received.map(({ headers }) => headers.authorization)
  expect({ own: sent(api), elsewhere: elsewhere.status, other: sent(other).filter(Boolean) }).toEqual({
    own: ['Bearer right'],
    elsewhere: expect.any(Number),
    other: [],
  })
})
