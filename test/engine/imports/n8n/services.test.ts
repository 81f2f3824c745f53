/** Nodes of services, as actions of the connectors that are built in: what is sent, and what later nodes read. */
import { describe, expect, it } from 'vitest'
import type { Action, Connector } from '../../../../src/shared/contract/connectors.ts'
import { connectedPorts } from '../../../helpers/flow-connectors.ts'
import {
  aWorkflow,
  codeOf,
  hook,
  type Json,
  type NodeLike,
  runImported,
} from '../../../helpers/n8n-workflow.ts'
import { catalogueFiles } from '../../../helpers/test-app.ts'
import { startThirdPartyApi } from '../../../helpers/third-party-api.ts'

interface CatalogueFile {
  readonly connector: Connector
  readonly actions: readonly Action[]
}
const files = catalogueFiles() as CatalogueFile[]

type Answer = (request: string, body: unknown) => unknown

/** Runs one node behind a webhook, against an imitation of its service that answers every request. */
async function called(node: NodeLike, answer: Answer, body: Json = {}, before: readonly NodeLike[] = []) {
  const api = await startThirdPartyApi((request, response) => {
    const text = request.body.toString()
    const given = answer(
      `${request.method} ${decodeURIComponent(request.target)}`,
      text === '' ? null : JSON.parse(text),
    )
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(given))
  })
  const nodes = [
    hook,
    ...before,
    node,
    codeOf('After', 'return [{ json: { items: items.map(({ json }) => json) } }]'),
  ]
  const ways = nodes.slice(1).map(({ name }, at) => `${nodes[at]?.name} -> ${name}`)
  const { error, results, notes, flow } = await runImported(aWorkflow(nodes, ways), body, {
    ports: {
      ...connectedPorts(),
      findAction(id, name) {
        const file = files.find(({ connector }) => connector.id === id)
        const action = file?.actions.find((one) => one.name === name)
        if (file === undefined || action === undefined) return null
        const { pathname } = new URL(file.connector.base_domain.replace('{{ token }}', 'TOKEN'))
        const base = `${api.url}${pathname === '/' ? '' : pathname}`
        return {
          connector: { ...file.connector, status: 'active', base_domain: base, allowed_origins: [] },
          action: { ...action, status: 'active' },
        }
      },
    },
  })
  const [after] = [results['after']].flat() as { items: unknown }[]
  return {
    error,
    sent: api.received.map(({ method, target, body: sent }) => ({
      request: `${method} ${decodeURIComponent(target)}`,
      ...(sent.length === 0 ? {} : { body: JSON.parse(sent.toString()) as unknown }),
    })),
    items: after?.items,
    notes: notes.filter((note) => note.startsWith(node.name)),
    flow,
  }
}

const credentials = expect.stringContaining('choose a connector auth')

describe('Telegram', () => {
  const send = (parameters: Json, typeVersion = 1.2): NodeLike => ({
    name: 'Send',
    type: 'telegram',
    typeVersion,
    parameters,
  })
  const answer = () => ({ ok: true, result: { message_id: 7 } })

  it('sends a message as n8n does', async () => {
    const { error, sent, items, notes } = await called(
      send({
        chatId: '={{ $json.body.chat }}',
        text: '=Hello {{ $json.body.name.toUpperCase() }}',
        additionalFields: { appendAttribution: false },
      }),
      answer,
      { chat: 42, name: 'ada' },
    )
    expect({ error, sent, items, notes }).toEqual({
      error: null,
      sent: [
        {
          request: 'POST /botTOKEN/sendMessage',
          body: { chat_id: 42, text: 'Hello ADA', parse_mode: 'Markdown', disable_web_page_preview: true },
        },
      ],
      items: [{ ok: true, result: { message_id: 7 } }],
      notes: [credentials],
    })
  })

  it('with buttons and options, and without the line about n8n', async () => {
    const { sent, notes } = await called(
      send(
        {
          chatId: '1',
          text: 'Choose',
          replyMarkup: 'inlineKeyboard',
          inlineKeyboard: {
            rows: [
              {
                row: {
                  buttons: [{ text: 'Yes', additionalFields: { callback_data: '={{ $json.body.id }}' } }],
                },
              },
            ],
          },
          additionalFields: { parse_mode: 'HTML', disable_notification: true, reply_to_message_id: 3 },
        },
        1.1,
      ),
      answer,
      { id: 'y1' },
    )
    expect(sent[0]?.body).toEqual({
      chat_id: '1',
      text: 'Choose',
      parse_mode: 'HTML',
      disable_notification: true,
      reply_to_message_id: 3,
      reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'y1' }]] },
    })
    expect(notes).toContainEqual(expect.stringContaining('a line about n8n'))
  })

  it.each([
    [
      'sendPhoto',
      { file: 'https://x.test/a.png', additionalFields: { caption: 'A' } },
      'sendPhoto',
      { photo: 'https://x.test/a.png', caption: 'A' },
    ],
    ['deleteMessage', { messageId: '={{ 5 }}' }, 'deleteMessage', { message_id: 5 }],
    ['sendChatAction', {}, 'sendChatAction', { action: 'typing' }],
    [
      'editMessageText',
      { messageId: 5, text: 'New', additionalFields: {} },
      'editMessageText',
      { message_id: 5, text: 'New' },
    ],
  ])('%s', async (operation, parameters, path, body) => {
    const { error, sent } = await called(send({ operation, chatId: '9', ...parameters }), answer)
    expect({ error, sent }).toEqual({
      error: null,
      sent: [{ request: `POST /botTOKEN/${path}`, body: { chat_id: '9', ...body } }],
    })
  })
})

describe('Slack', () => {
  const send = (parameters: Json, typeVersion = 2.2): NodeLike => ({
    name: 'Send',
    type: 'slack',
    typeVersion,
    parameters,
  })
  const id = { __rl: true, mode: 'id', value: 'C1' }

  it('posts to a channel, and gives the time of the message under the name it has in n8n', async () => {
    const { error, sent, items } = await called(
      send({
        select: 'channel',
        channelId: { __rl: true, mode: 'url', value: 'https://app.slack.com/client/T1/C77' },
        text: '={{ $json.body.text }}',
        otherOptions: {
          includeLinkToWorkflow: false,
          thread_ts: { replyValues: { thread_ts: '={{ $json.body.ts }}' } },
          unfurl_links: false,
        },
      }),
      () => ({ ok: true, channel: 'C77', ts: '1.2', message: { text: 'Hi' } }),
      { text: 'Hi', ts: '1.1' },
    )
    expect({ error, sent, items }).toEqual({
      error: null,
      sent: [
        {
          request: 'POST /api/chat.postMessage',
          body: { channel: 'C77', text: 'Hi', thread_ts: '1.1', unfurl_links: false },
        },
      ],
      items: [{ ok: true, channel: 'C77', message_timestamp: '1.2', message: { text: 'Hi' } }],
    })
  })

  it('writes to a user, in blocks', async () => {
    const blocks = [{ type: 'divider' }]
    const written = await called(
      send({
        select: 'user',
        user: { __rl: true, mode: 'username', value: 'ada' },
        messageType: 'block',
        blocksUi: JSON.stringify({ blocks }),
        text: 'Short',
      }),
      () => ({ ok: true }),
    )
    const calculated = await called(
      send({
        select: 'channel',
        channelId: id,
        messageType: 'block',
        blocksUi: '={{ JSON.stringify({ blocks: $json.body.blocks }) }}',
      }),
      () => ({ ok: true }),
      { blocks },
    )
    expect([written.error, calculated.error, written.sent[0]?.body, calculated.sent[0]?.body]).toEqual([
      null,
      null,
      { channel: '@ada', blocks, text: 'Short' },
      { channel: 'C1', blocks },
    ])
  })

  it('fails where Slack refuses, also on the way for failures', async () => {
    const refused = () => ({ ok: false, error: 'channel_not_found' })
    const node = send({ select: 'channel', channelId: id, text: 'x' })
    const fails = await called(node, refused)
    const goesOn = await called({ ...node, onError: 'continueRegularOutput' }, refused)
    expect(fails.error).toContain('Slack error response: "channel_not_found"')
    expect(goesOn.items).toEqual([{ error: expect.stringContaining('channel_not_found') }])
  })
})

describe('what cannot be the same stays a placeholder that says why', () => {
  it.each([
    ['telegram', 1.2, { operation: 'sendPhoto', chatId: '1', binaryData: true }, 'sends a file'],
    [
      'telegram',
      1.2,
      { chatId: '1', text: 'x', additionalFields: { new_thing: 1 } },
      'sets "additionalFields.new_thing"',
    ],
    ['telegram', 1.2, { resource: 'file', fileId: '1' }, 'downloads a file'],
    ['telegram', 1.2, { operation: '={{ $json.body.do }}' }, 'calculates what it does'],
    ['slack', 1, { channel: 'x', text: 'x' }, 'is of version 1'],
    ['slack', 2.2, { resource: 'star', operation: 'add' }, 'does "add" with "star"'],
  ])('%s %d %j', async (type, typeVersion, parameters, why) => {
    const { error, sent, notes, flow } = await called(
      { name: 'Node', type, typeVersion, parameters },
      () => ({}),
    )
    expect({ error, sent, notes }).toEqual({
      error: expect.stringContaining(why),
      sent: [],
      notes: [expect.stringContaining(why)],
    })
    const kept = flow?.steps.find((step) => step.type.startsWith('n8n-nodes-base'))
    expect(kept?.config).toMatchObject({ n8n: { not_translated: expect.stringContaining(why) } })
  })
})

it('a node of a service runs once for each item', async () => {
  const rows = codeOf('Rows', 'return [1, 2].map((n) => ({ json: { n } }))')
  const { error, sent, items } = await called(
    { name: 'Send', type: 'telegram', typeVersion: 1, parameters: { chatId: '={{ $json.n }}', text: 'x' } },
    (_, body) => ({ ok: true, result: (body as Json)['chat_id'] }),
    {},
    [rows],
  )
  expect({ error, chats: sent.map(({ body }) => (body as Json)['chat_id']), items }).toEqual({
    error: null,
    chats: [1, 2],
    items: [
      { ok: true, result: 1 },
      { ok: true, result: 2 },
    ],
  })
})
