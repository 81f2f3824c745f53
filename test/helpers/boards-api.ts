import type { ServerResponse } from 'node:http'
import type { ReceivedRequest } from './third-party-api.ts'

const BOARDS = Array.from({ length: 250 }, (_, at) => ({ id: `b${at}`, name: `Board ${at}` }))
const LISTS = [
  { id: 'l1', name: 'To do', board: 'b1' },
  { id: 'l2', name: 'Done', board: 'b1' },
]

/** An API with pages of boards, the lists of a board, and one board by its ID. */
export function answerBoards(
  request: Pick<ReceivedRequest, 'target' | 'headers'>,
  response: ServerResponse,
): void {
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

type Send = (path: string, body: object) => Promise<{ id: string }>

const action = (name: string, endpoint: string, more: object = {}) => ({
  name,
  method: 'GET',
  endpoint,
  ...more,
})
const board = { name: 'board', label: 'Board', type: 'lookup', required: true }

/** A connector for it, whose action `add_card` looks up boards and their lists. */
export async function aBoardsConnector(send: Send, url: string) {
  const post = async (path: string, body: object) => (await send(path, body)).id
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
