/** Service nodes as actions of the built-in connectors: what is sent, and what later nodes read. */
import { describe, expect, it } from 'vitest'
import type { Action, Connector } from '../../../src/shared/contract/connectors.ts'
import { connectedPorts } from '../../../test/helpers/flow-connectors.ts'
import { aWorkflow, codeOf, hook, type Json, type NodeLike, runImported } from './n8n-workflow.ts'
import { catalogueFiles } from '../../../test/helpers/store.ts'
import { startThirdPartyApi } from '../../../test/helpers/third-party-api.ts'

interface CatalogueFile {
  readonly connector: Connector
  readonly actions: readonly Action[]
}
const files = catalogueFiles() as readonly CatalogueFile[]

type Answer = (request: string, body: unknown) => unknown

/** Runs one node after a webhook, against an imitation of its service that responds to every request. */
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
    versions: api.received.map(({ headers }) => headers['notion-version']),
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
          body: {
            chat_id: 42,
            text: 'Hello ADA',
            parse_mode: 'Markdown',
            link_preview_options: { is_disabled: true },
          },
        },
      ],
      items: [{ ok: true, result: { message_id: 7 } }],
      notes: [credentials],
    })
  })

  it("with buttons and options, and without n8n's attribution", async () => {
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
      reply_parameters: { message_id: 3 },
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

  it('posts to a channel and returns the timestamp under its n8n name', async () => {
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

  it('writes to a user, with blocks', async () => {
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

  it('fails if Slack reports an error, also on the branch for failures', async () => {
    const refused = () => ({ ok: false, error: 'channel_not_found' })
    const node = send({ select: 'channel', channelId: id, text: 'x' })
    const fails = await called(node, refused)
    const goesOn = await called({ ...node, onError: 'continueRegularOutput' }, refused)
    expect(fails.error).toContain('Slack error response: "channel_not_found"')
    expect(goesOn.items).toEqual([{ error: expect.stringContaining('channel_not_found') }])
  })
})

describe('Google Sheets', () => {
  const PLACE = {
    documentId: {
      __rl: true,
      mode: 'url',
      value: 'https://docs.google.com/spreadsheets/d/1abcdefghijklmnopqrstuvwxyz_-12/edit#gid=7',
    },
    sheetName: { __rl: true, mode: 'list', value: 7, cachedResultName: 'Old name' },
  }
  const ID = '1abcdefghijklmnopqrstuvwxyz_-12'
  const sheet = (parameters: Json, typeVersion = 4.5): NodeLike => ({
    name: 'Sheet',
    type: 'googleSheets',
    typeVersion,
    parameters: { ...PLACE, ...parameters },
  })
  const answering =
    (values: unknown): Answer =>
    (request) =>
      request.includes('fields=')
        ? {
            sheets: [
              { properties: { sheetId: 0, title: 'Other' } },
              { properties: { sheetId: 7, title: 'My rows' } },
            ],
          }
        : request.startsWith('GET')
          ? { values }
          : {}
  const LIST = { request: `GET /v4/spreadsheets/${ID}?fields=sheets.properties` }
  const columns = (value: Json, more: Json = {}) => ({
    columns: {
      mappingMode: 'defineBelow',
      value,
      schema: ['id', 'name', 'note'].map((id) => ({ id, type: 'string' })),
      matchingColumns: [],
      ...more,
    },
  })

  it('reads rows under their headers, with row numbers, without empty ones', async () => {
    const { error, sent, items } = await called(
      sheet({}),
      answering([
        ['id', '', 'name', ''],
        [1, '', 'Ada', 'x'],
        ['', ''],
        [3, '', 'Bo'],
      ]),
    )
    expect({ error, sent, items }).toEqual({
      error: null,
      sent: [
        LIST,
        {
          request: `GET /v4/spreadsheets/${ID}/values/My rows?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING`,
        },
      ],
      items: [
        { row_number: 2, id: 1, name: 'Ada', col_3: 'x' },
        { row_number: 4, id: 3, name: 'Bo', col_3: '' },
      ],
    })
  })

  it.each([
    [{}, ['1', '3'], 4.5],
    [{ options: { returnFirstMatch: true } }, ['1'], 4.5],
    [{ options: {} }, ['1'], 4.4],
    [{ options: { returnAllMatches: 'returnAllMatches' } }, ['1', '3'], 4.2],
  ])('looks rows up: %j', async (more, ids, version) => {
    const filtersUI = { values: [{ lookupColumn: 'name', lookupValue: '={{ $json.body.who }}' }] }
    const { error, items } = await called(
      sheet({ filtersUI, ...more }, version),
      answering([
        ['id', 'name'],
        ['1', 'Ada'],
        ['2', 'Bo'],
        ['3', 'Ada'],
      ]),
      { who: 'Ada' },
    )
    expect({ error, ids: (items as Json[]).map(({ id }) => id) }).toEqual({ error: null, ids })
  })

  it('an empty sheet returns no items', async () => {
    expect(await called(sheet({}), answering(undefined))).toMatchObject({ error: null, items: undefined })
  })

  it('appends a row below the last one, as n8n does', async () => {
    const { error, sent, items } = await called(
      sheet({
        operation: 'append',
        ...columns({ name: '={{ $json.body.name }}', id: '=7', note: '={{ $json.body.gone }}' }),
      }),
      answering([
        ['id', 'name', 'note'],
        ['1', 'Ada'],
        ['2', 'Bo'],
      ]),
      { name: { first: 'Cy' } },
    )
    expect({ error, sent, items }).toEqual({
      error: null,
      sent: [
        LIST,
        {
          request: `GET /v4/spreadsheets/${ID}/values/My rows?valueRenderOption=FORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING`,
        },
        {
          request: `POST /v4/spreadsheets/${ID}:batchUpdate`,
          body: { requests: [{ appendDimension: { sheetId: 7, dimension: 'ROWS', length: 1 } }] },
        },
        {
          request: `PUT /v4/spreadsheets/${ID}/values/My rows!4:4?valueInputOption=USER_ENTERED`,
          body: { values: [['7', '{"first":"Cy"}', '']] },
        },
      ],
      items: [{ name: { first: 'Cy' }, id: '7' }],
    })
  })

  it('appends whole items, adding columns for new fields', async () => {
    const { error, sent, items } = await called(
      sheet({
        operation: 'append',
        columns: { mappingMode: 'autoMapInputData' },
        options: { useAppend: true, cellFormat: 'RAW' },
      }),
      answering([['id', 'name']]),
      {},
      [codeOf('Rows', 'return [{ json: { name: "Di", age: 4 } }]')],
    )
    expect({ error, writes: sent.slice(2), items }).toEqual({
      error: null,
      writes: [
        {
          request: `PUT /v4/spreadsheets/${ID}/values/My rows!1:1?valueInputOption=RAW`,
          body: { values: [['id', 'name', 'age']] },
        },
        {
          request: `POST /v4/spreadsheets/${ID}/values/My rows:append?valueInputOption=RAW`,
          body: { values: [[null, 'Di', 4]] },
        },
      ],
      items: [{ name: 'Di', age: 4 }],
    })
  })

  it('fails if columns have been renamed since the node was created', async () => {
    const { error, sent } = await called(
      sheet({ operation: 'append', ...columns({ id: '1' }) }),
      answering([['number', 'name', 'note']]),
    )
    expect({ error, count: sent.length }).toEqual({
      error: expect.stringContaining('Column names were updated'),
      count: 2,
    })
  })

  it('updates the cells of the row it finds; without a match nothing follows', async () => {
    const update = sheet({
      operation: 'update',
      ...columns({ id: '={{ $json.body.id }}', note: 'seen' }, { matchingColumns: ['id'] }),
    })
    const rows = answering([
      ['id', 'name', 'note'],
      ['1', 'Ada'],
      ['2', 'Bo'],
    ])
    const found = await called(update, rows, { id: 2 })
    const missing = await called(update, rows, { id: 9 })
    expect([
      found.error,
      found.sent[2],
      found.items,
      missing.error,
      missing.sent.length,
      missing.items,
    ]).toEqual([
      null,
      {
        request: `POST /v4/spreadsheets/${ID}/values:batchUpdate`,
        body: { data: [{ range: 'My rows!C3', values: [['seen']] }], valueInputOption: 'USER_ENTERED' },
      },
      [{ id: 2, note: 'seen' }],
      null,
      2,
      undefined,
    ])
  })
})

describe('Airtable', () => {
  const table = (operation: string, parameters: Json, typeVersion = 2.1): NodeLike => ({
    name: 'Table',
    type: 'airtable',
    typeVersion,
    parameters: {
      operation,
      base: { __rl: true, mode: 'id', value: 'app1' },
      table: { __rl: true, mode: 'list', value: 'tbl 1' },
      options: {},
      ...parameters,
    },
  })
  const record = { id: 'r1', createdTime: 't', fields: { Name: 'Ada' } }
  const columns = (value: Json, more: Json = {}) => ({
    columns: { mappingMode: 'defineBelow', value, schema: [{ id: 'Age', type: 'number' }], ...more },
  })

  it('creates, updates and gets a record', async () => {
    const created = await called(
      table('create', columns({ Name: '={{ $json.body.name }}', Age: '={{ 4 }}' })),
      () => record,
      { name: 'Ada' },
    )
    const updated = await called(
      table('update', columns({ id: '={{ $json.body.id }}', Name: 'Bo' }, { matchingColumns: ['id'] })),
      () => record,
      { id: 'r1' },
    )
    const got = await called(table('get', { id: 'r1' }), () => record)
    expect([created.error, updated.error, got.error]).toEqual([null, null, null])
    expect([created.sent, updated.sent, got.sent]).toEqual([
      [{ request: 'POST /v0/app1/tbl 1', body: { fields: { Name: 'Ada', Age: 4 }, typecast: false } }],
      [{ request: 'PATCH /v0/app1/tbl 1/r1', body: { fields: { Name: 'Bo' }, typecast: false } }],
      [{ request: 'GET /v0/app1/tbl 1/r1' }],
    ])
    expect([created.items, updated.items, got.items]).toEqual([
      [record],
      [record],
      [{ id: 'r1', createdTime: 't', Name: 'Ada' }],
    ])
  })

  it('fails if a value does not have the type of its field', async () => {
    const { error, sent } = await called(table('create', columns({ Age: 'four' })), () => record)
    expect({ error, sent }).toEqual({ error: expect.stringContaining("'Age' expects a number"), sent: [] })
  })

  it('searches all pages, or up to a limit, and puts the fields next to the id', async () => {
    const pages: Answer = (request) =>
      request.includes('offset=2')
        ? { records: [{ ...record, id: 'r2' }] }
        : { records: [record], offset: '2' }
    const all = await called(table('search', { filterByFormula: "={Name}='{{ $json.body.name }}'" }), pages, {
      name: 'Ada',
    })
    const some = await called(table('search', { returnAll: false, limit: 1 }), () => ({ records: [record] }))
    expect([all.error, all.sent.length, all.sent[0]?.request, all.items]).toEqual([
      null,
      2,
      expect.stringContaining("filterByFormula={Name}='Ada'"),
      [
        { id: 'r1', createdTime: 't', Name: 'Ada' },
        { id: 'r2', createdTime: 't', Name: 'Ada' },
      ],
    ])
    expect(some.sent[0]?.request).toContain('maxRecords=1')
  })
})

describe('Notion', () => {
  const id = '0123456789abcdef0123456789abcdef'
  const notion = (parameters: Json, typeVersion = 2.1): NodeLike => ({
    name: 'Pages',
    type: 'notion',
    typeVersion,
    parameters,
  })
  const page = {
    object: 'page',
    id: 'p1',
    url: 'https://notion.test/p1',
    parent: { type: 'database_id', database_id: 'd1' },
    properties: {
      Name: { type: 'title', title: [{ type: 'text', plain_text: 'Ada' }] },
      'Due date': { type: 'date', date: { start: '2026-01-02', end: null } },
      openTasks: { type: 'multi_select', multi_select: [{ name: 'a' }, { name: 'b' }] },
      Sum: { type: 'rollup', rollup: { type: 'number', function: 'count', number: 3 } },
    },
  }
  const simple = {
    id: 'p1',
    name: 'Ada',
    url: 'https://notion.test/p1',
    property_name: 'Ada',
    property_due_date: { start: '2026-01-02', end: null },
    property_open_tasks: ['a', 'b'],
    property_sum: 3,
  }
  const database = { __rl: true, mode: 'list', value: 'd1' }

  it('creates a page in a database, using the name of its title property', async () => {
    const { error, sent, items, notes } = await called(
      notion({
        resource: 'databasePage',
        databaseId: database,
        title: '={{ $json.body.name }}',
        propertiesUi: {
          propertyValues: [
            { key: 'Note|rich_text', textContent: '=for {{ $json.body.name.toUpperCase() }}' },
            { key: 'Count|number', numberValue: '={{ $json.body.count }}' },
            { key: 'State|select', selectValue: 'Open' },
            { key: 'Tags|multi_select', multiSelectValue: 'a, b' },
            { key: 'Due|date', date: '2026-01-02T10:00:00', timezone: 'Europe/Berlin' },
            { key: 'Day|date', date: '2026-01-02T10:00:00.000Z', includeTime: false },
            { key: 'Link|url', ignoreIfEmpty: true },
            { key: 'Part of|relation', relationValue: [id] },
          ],
        },
        blockUi: {
          blockValues: [
            { type: 'to_do', textContent: 'Call', checked: true },
            {
              richText: true,
              text: {
                text: [{ text: 'x', isLink: true, textLink: 'https://x.test', annotationUi: { bold: true } }],
              },
            },
          ],
        },
      }),
      (request) => (request.startsWith('GET') ? { id: 'd-1', properties: { Who: { type: 'title' } } } : page),
      { name: 'Ada', count: 4 },
    )
    expect({ error, sent, items, notes }).toEqual({
      error: null,
      sent: [
        { request: 'GET /v1/databases/d1' },
        {
          request: 'POST /v1/pages',
          body: {
            parent: { database_id: 'd1' },
            properties: {
              Who: { title: [{ text: { content: 'Ada' } }] },
              Note: { rich_text: [{ text: { content: 'for ADA' } }] },
              Count: { type: 'number', number: 4 },
              State: { type: 'select', select: { name: 'Open' } },
              Tags: { type: 'multi_select', multi_select: [{ name: 'a' }, { name: 'b' }] },
              Due: { type: 'date', date: { start: '2026-01-02T10:00:00+01:00', end: null } },
              Day: { type: 'date', date: { start: '2026-01-02', end: null } },
              'Part of': { type: 'relation', relation: [{ id }] },
            },
            children: [
              {
                object: 'block',
                type: 'to_do',
                to_do: { checked: true, text: [{ text: { content: 'Call' } }] },
              },
              {
                object: 'block',
                type: 'paragraph',
                paragraph: {
                  text: [
                    {
                      type: 'text',
                      text: { content: 'x', link: { url: 'https://x.test' } },
                      annotations: { bold: true },
                    },
                  ],
                },
              },
            ],
          },
        },
      ],
      items: [simple],
      notes: [credentials],
    })
  })

  it('queries a database, all pages or up to a limit', async () => {
    const pages: Answer = (_, body) =>
      (body as Json)['start_cursor'] === undefined
        ? { results: [page], has_more: true, next_cursor: 'c2' }
        : { results: [{ ...page, id: 'p2' }], has_more: false, next_cursor: null }
    const query = (more: Json) =>
      notion({ resource: 'databasePage', operation: 'getAll', databaseId: database, ...more })
    const all = await called(
      query({
        returnAll: true,
        filterType: 'manual',
        matchType: 'allFilters',
        filters: {
          conditions: [
            { key: 'Name|title', condition: 'contains', titleValue: '={{ $json.body.name }}' },
            { key: 'Due|date', condition: 'after', date: '2026-01-02T10:00:00+01:00' },
            { key: 'Note|rich_text', condition: 'is_empty' },
          ],
        },
        options: { sort: { sortValue: [{ key: 'Name|title', direction: 'descending' }] } },
      }),
      pages,
      { name: 'A' },
    )
    const some = await called(
      query({ limit: 1, simple: false, filterType: 'json', filterJson: '{"property":"x"}' }),
      pages,
    )
    expect([all.error, all.sent[0], all.sent.length, all.items]).toEqual([
      null,
      {
        request: 'POST /v1/databases/d1/query',
        body: {
          filter: {
            and: [
              { property: 'Name', title: { contains: 'A' } },
              { property: 'Due', date: { after: '2026-01-02T09:00:00Z' } },
              { property: 'Note', text: { is_empty: true } },
            ],
          },
          sorts: [{ direction: 'descending', property: 'Name' }],
          page_size: 100,
        },
      },
      2,
      [simple, { ...simple, id: 'p2' }],
    ])
    expect([some.error, some.sent, some.items]).toEqual([
      null,
      [
        {
          request: 'POST /v1/databases/d1/query',
          body: { filter: { property: 'x' }, sorts: [], page_size: 1 },
        },
      ],
      [page],
    ])
  })

  it.each<[Json, unknown]>([
    [
      {
        resource: 'databasePage',
        operation: 'update',
        simple: false,
        pageId: { __rl: true, mode: 'url', value: '={{ $json.body.url }}' },
        propertiesUi: { propertyValues: [{ key: 'Done|checkbox', checkboxValue: true }] },
      },
      {
        request: `PATCH /v1/pages/${id}`,
        body: { properties: { Done: { type: 'checkbox', checkbox: true } } },
      },
    ],
    [
      {
        resource: 'databasePage',
        operation: 'get',
        simple: false,
        pageId: { __rl: true, mode: 'id', value: 'p1' },
      },
      { request: 'GET /v1/pages/p1' },
    ],
    [
      {
        simple: false,
        pageId: { __rl: true, mode: 'url', value: `https://www.notion.so/me/A-page-${id}` },
        title: 'New',
      },
      {
        request: 'POST /v1/pages',
        body: {
          parent: { page_id: id },
          properties: { title: [{ text: { content: 'New' } }] },
          children: [],
        },
      },
    ],
    [
      { operation: 'archive', simple: false, pageId: { __rl: true, mode: 'id', value: 'p1' } },
      { request: 'PATCH /v1/pages/p1', body: { archived: true } },
    ],
    [
      {
        resource: 'block',
        blockId: { __rl: true, mode: 'id', value: 'b1' },
        blockUi: { blockValues: [{ type: 'heading_1', textContent: 'Hi' }] },
      },
      {
        request: 'PATCH /v1/blocks/b1/children',
        body: {
          children: [
            { object: 'block', type: 'heading_1', heading_1: { text: [{ text: { content: 'Hi' } }] } },
          ],
        },
      },
    ],
    [{ resource: 'user', userId: 'u1' }, { request: 'GET /v1/users/u1' }],
  ])('%j', async (parameters, request) => {
    const { error, sent, items, versions } = await called(notion(parameters), () => page, {
      url: `https://www.notion.so/${id}`,
    })
    expect({ error, sent, items, versions }).toEqual({
      error: null,
      sent: [request],
      items: [page],
      versions: ['2021-08-16'],
    })
  })
})

describe('Gmail', () => {
  const mail = (parameters: Json, typeVersion = 2.1): NodeLike => ({
    name: 'Mail',
    type: 'gmail',
    typeVersion,
    parameters,
  })

  it('sends HTML and text to all recipients', async () => {
    const html = await called(
      mail({
        sendTo: '={{ $json.body.to }}, Bo <bo@x.test>',
        subject: 'Grüße',
        message: '= <b>{{ $json.body.name }}</b> ',
        options: { appendAttribution: false, ccList: 'c@x.test', bccList: 'd@x.test', replyTo: 'e@x.test' },
      }),
      () => ({ id: 'm1', threadId: 't1', labelIds: ['SENT'] }),
      { to: 'a@x.test', name: 'Ada' },
    )
    const text = await called(
      mail({ sendTo: 'a@x.test', emailType: 'text', subject: 'S', message: 'Hi' }),
      () => ({}),
    )
    const raw = (sent: typeof html.sent) =>
      Buffer.from(String((sent[0]?.body as Json | undefined)?.['raw']), 'base64url').toString()
    expect([html.error, html.sent[0]?.request, html.items]).toEqual([
      null,
      'POST /gmail/v1/users/me/messages/send',
      [{ id: 'm1', threadId: 't1', labelIds: ['SENT'] }],
    ])
    expect(raw(html.sent).split('\r\n')).toEqual([
      'To: <a@x.test>, Bo <bo@x.test>',
      'Cc: <c@x.test>',
      'Bcc: <d@x.test>',
      'Reply-To: <e@x.test>',
      `Subject: =?utf-8?B?${Buffer.from('Grüße').toString('base64')}?=`,
      'Content-Type: text/html; charset=utf-8',
      '',
      '<b>Ada</b>',
    ])
    expect(raw(text.sent)).toContain('Content-Type: text/plain; charset=utf-8\r\n\r\nHi')
  })

  it('changes labels', async () => {
    const added = await called(
      mail({ operation: 'addLabels', messageId: 'm1', labelIds: ['L1'] }),
      () => ({}),
    )
    const read = await called(
      mail({ operation: 'markAsRead', messageId: '={{ $json.body.id }}' }),
      () => ({}),
      { id: 'm2' },
    )
    expect([added.sent, read.sent]).toEqual([
      [{ request: 'POST /gmail/v1/users/me/messages/m1/modify', body: { addLabelIds: ['L1'] } }],
      [{ request: 'POST /gmail/v1/users/me/messages/m2/modify', body: { removeLabelIds: ['UNREAD'] } }],
    ])
  })
})

describe('GitHub and Discord', () => {
  const issue = (operation: string, parameters: Json): NodeLike => ({
    name: 'Issue',
    type: 'github',
    typeVersion: 1.1,
    parameters: {
      operation,
      owner: { __rl: true, mode: 'url', value: 'https://github.com/ada-l' },
      repository: { __rl: true, mode: 'list', value: 'engine' },
      ...parameters,
    },
  })

  it.each([
    [
      'create',
      { title: '={{ $json.body.title }}', body: 'B', labels: [{ label: 'bug' }], assignees: [] },
      {
        request: 'POST /repos/ada-l/engine/issues',
        body: { title: 'T', body: 'B', labels: ['bug'], assignees: [] },
      },
    ],
    [
      'createComment',
      { issueNumber: 3, body: 'C' },
      { request: 'POST /repos/ada-l/engine/issues/3/comments', body: { body: 'C' } },
    ],
    [
      'edit',
      { issueNumber: 3, editFields: { state: 'closed', labels: [{ label: 'done' }] } },
      { request: 'PATCH /repos/ada-l/engine/issues/3', body: { state: 'closed', labels: ['done'] } },
    ],
    ['get', { issueNumber: 3 }, { request: 'GET /repos/ada-l/engine/issues/3' }],
  ])('GitHub: %s', async (operation, parameters, request) => {
    const { error, sent, items } = await called(issue(operation, parameters), () => ({ number: 3 }), {
      title: 'T',
    })
    expect({ error, sent, items }).toEqual({ error: null, sent: [request], items: [{ number: 3 }] })
  })

  it('Discord: a message from a bot', async () => {
    const { error, sent, items } = await called(
      {
        name: 'Say',
        type: 'discord',
        typeVersion: 2,
        parameters: {
          resource: 'message',
          guildId: { __rl: true, mode: 'list', value: '1' },
          channelId: { __rl: true, mode: 'url', value: 'https://discord.com/channels/1/22' },
          content: '=Hello {{ $json.body.name }}',
          options: { tts: true },
        },
      },
      () => ({ id: '9' }),
      { name: 'Ada' },
    )
    expect({ error, sent, items }).toEqual({
      error: null,
      sent: [{ request: 'POST /api/v10/channels/22/messages', body: { content: 'Hello Ada', tts: true } }],
      items: [{ id: '9' }],
    })
  })
})

describe('what has no equivalent becomes a placeholder that says why', () => {
  it.each([
    ['telegram', 1.2, { operation: 'sendPhoto', chatId: '1', binaryData: true }, 'sends a file'],
    [
      'telegram',
      1.2,
      { chatId: '1', text: 'x', additionalFields: { new_thing: 1 } },
      'sets "additionalFields.new_thing"',
    ],
    ['telegram', 1.2, { resource: 'file', fileId: '1' }, 'downloads a file'],
    ['telegram', 1.2, { operation: '={{ $json.body.do }}' }, 'uses an expression for its operation'],
    ['googleSheets', 4.5, { operation: 'update', onError: 1 }, 'sets "onError"'],
    ['airtable', 1, { operation: 'list' }, 'has the operation "list" of "record"'],
    [
      'gmail',
      2.1,
      { sendTo: 'a@x.test', message: 'x', options: { senderName: 'Me' } },
      'sets "options.senderName"',
    ],
    ['slack', 1, { channel: 'x', text: 'x' }, 'uses node version 1'],
    ['notion', 1, { resource: 'user', userId: 'u' }, 'uses node version 1'],
    [
      'notion',
      2,
      { blockUi: { blockValues: [{ richText: true, text: { text: [{ textType: 'mention' }] } }] } },
      'mentions someone',
    ],
    [
      'notion',
      2,
      { resource: 'databasePage', operation: 'getAll', options: { downloadFiles: true } },
      'downloads files',
    ],
    ['slack', 2.2, { resource: 'star', operation: 'add' }, 'has the operation "add" of "star"'],
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

it('a service node runs once per item', async () => {
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
