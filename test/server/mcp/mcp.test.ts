import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ApiCall } from '../../../src/shared/contract/logs.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { type FlowApp, type FlowAppOptions, startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { connectEarlierMcp, connectMcp } from '../../helpers/mcp-client.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PATH = '/v1/mcp'
const ALL = ['automation', 'connectors']

const startApp = (options: FlowAppOptions = {}) =>
  startFlowApp({ ...options, settings: { mcp_server: true, ...options.settings } })

async function tokenFor(app: FlowApp, scopes: readonly string[]): Promise<IssuedToken> {
  const body = { expiration: null, scopes, note: 'AI client' }
  return (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
}

async function connect(app: FlowApp, scopes: readonly string[] = ALL) {
  const { token } = await tokenFor(app, scopes)
  return connectMcp(app.port, `Bearer ${token}`)
}

const webhook = (config: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'order',
  type: 'webhook',
  config,
})
const set = (values: Record<string, unknown>): StepInput => ({
  ref_id: 'sum',
  type: 'set',
  config: { values },
})
const tool = { mcp_tool: { input_schema: null } }

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

async function post(app: FlowApp, token: string, body: unknown, headers: Record<string, string> = {}) {
  return callHttp(app.port, {
    method: 'POST',
    path: PATH,
    headers: { authorization: `Bearer ${token}`, ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** A message of the current protocol, in which each request says who sends it. */
function current(method: string, params: object = {}, id = 2) {
  const about = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: about } }
}

const CURRENT = { 'mcp-protocol-version': '2026-07-28' }

test('MCP is off until it is switched on, and needs a token', async () => {
  const app = await startFlowApp()
  const { token } = await tokenFor(app, ALL)
  const off = await post(app, token, INITIALIZE)
  const byToken = await callHttp(app.port, {
    method: 'PUT',
    path: '/v1/settings',
    headers: { authorization: `Bearer ${(await tokenFor(app, ['company'])).token}`, ...HEADERS },
    body: '{"mcp_server": true}',
  })
  await app.call('PUT', '/v1/settings', { mcp_server: true })
  const on = await post(app, token, INITIALIZE)
  const unknown = await post(app, 'mr_pat_x', INITIALIZE)
  const { client } = await connect(app)
  const { closed } = await client.listen({ toolsListChanged: true })
  await app.call('PUT', '/v1/settings', { mcp_server: false })
  expect({
    off: [off.status, off.json],
    byToken: byToken.status,
    on: [on.status, on.headers['content-type']],
    unknown: unknown.status,
    ended: await closed,
  }).toEqual({
    off: [
      403,
      expect.objectContaining({
        message: 'The MCP server is off; switch it on in Settings, under AI clients',
      }),
    ],
    byToken: 403,
    on: [200, 'text/event-stream'],
    unknown: 401,
    ended: 'remote',
  })
})

test('other websites, host names, methods and paths are rejected as everywhere', async () => {
  const app = await startApp()
  const { token } = await tokenFor(app, ALL)
  const from = async (headers: Record<string, string>) => (await post(app, token, INITIALIZE, headers)).status
  const authorization = `Bearer ${token}`
  expect({
    website: await from({ origin: 'https://evil.example' }),
    rebound: await from({ host: 'evil.example' }),
    proxied: await from({ 'x-forwarded-for': '203.0.113.7' }),
    put: (await callHttp(app.port, { method: 'PUT', path: PATH, headers: { authorization } })).status,
    below: (await callHttp(app.port, { path: `${PATH}/more`, headers: { authorization } })).status,
    type: await from({ 'content-type': 'text/plain' }),
    accept: await from({ accept: 'text/html' }),
  }).toEqual({ website: 403, rebound: 403, proxied: 403, put: 405, below: 404, type: 415, accept: 406 })
})

test('malformed messages get errors of JSON-RPC', async () => {
  const app = await startApp()
  const { token } = await tokenFor(app, ALL)
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const outcome = async (body: unknown, headers: Record<string, string> = {}) => {
    const { status, json } = await post(app, token, body, headers)
    return [status, (json as { error: { code: number } }).error.code]
  }
  const next = current('tools/list')
  expect({
    notJson: await outcome('{"jsonrpc":'),
    notRpc: await outcome({ hello: 1 }),
    version: await outcome(list, { 'mcp-protocol-version': '1.0' }),
    noVersion: await outcome(next, { 'mcp-method': 'tools/list' }),
    noMethod: await outcome(next, CURRENT),
    otherMethod: await outcome(next, { ...CURRENT, 'mcp-method': 'tools/call' }),
    noEnvelope: await outcome(list, { ...CURRENT, 'mcp-method': 'tools/list' }),
    unknown: await outcome(current('nothing/like_it'), { ...CURRENT, 'mcp-method': 'nothing/like_it' }),
    fine: (await post(app, token, next, { ...CURRENT, 'mcp-method': 'tools/list' })).status,
  }).toEqual({
    notJson: [400, -32_700],
    notRpc: [400, -32_600],
    version: [400, -32_000],
    noVersion: [400, -32_020],
    noMethod: [400, -32_020],
    otherMethod: [400, -32_020],
    noEnvelope: [400, -32_602],
    unknown: [404, -32_601],
    fine: 200,
  })
  expect((await post(app, token, { ...list, method: 'nothing/like_it' })).text).toContain('-32601')
})

test('clients of the earlier protocol use the same tools, without a session', async () => {
  const app = await startApp()
  await app.addFlow([webhook(), set({ total: '{{ order.amount }}' })], { name: 'Total', settings: tool })
  const { token } = await tokenFor(app, ALL)
  const [earlier, now] = [
    await connectEarlierMcp(app.port, `Bearer ${token}`),
    await connectMcp(app.port, `Bearer ${token}`),
  ]
  const listed = (await earlier.client.listTools()).tools
  expect({
    session: (await post(app, token, INITIALIZE)).headers['mcp-session-id'],
    about: [earlier.client.getServerVersion()?.name, earlier.client.getInstructions()],
    changes: [earlier, now].map(({ client }) => client.getServerCapabilities()?.tools?.listChanged),
    tools: listed,
    output: (await earlier.callTool('total', { amount: 7 })).value['output'],
    protocol: now.client.getNegotiatedProtocolVersion(),
  }).toEqual({
    session: undefined,
    about: ['millrace', now.client.getInstructions()],
    changes: [undefined, true],
    tools: (await now.client.listTools()).tools,
    output: { total: 7 },
    protocol: '2026-07-28',
  })
})

test('a token sees the tools that its scopes allow, and no others can be called', async () => {
  const app = await startApp()
  const { flow } = await app.addFlow([webhook(), set({ total: 1 })], { name: 'Total', settings: tool })
  await app.addFlow([set({ total: 2 })], { name: 'Nightly', settings: tool })
  await app.addFlow([webhook()], { name: 'Not offered' })
  await app.addFlow([webhook()], { name: 'Paused', status: 'paused', settings: tool })
  const names = async (...scopes: string[]) => (await connect(app, scopes)).toolNames()
  const reader = [
    'list_flows',
    'read_flow',
    'check_flow',
    'diff_flow',
    'list_runs',
    'read_run',
    'search_docs',
  ]
  expect({
    all: (await names(...ALL)).toSorted(),
    view: (await names('automation:view')).toSorted(),
    start: (await names('automation:webhook_run')).toSorted(),
    other: (await names('company')).toSorted(),
  }).toEqual({
    all: [
      ...reader,
      'cancel_run',
      'create_flow',
      'create_connector',
      'list_connectors',
      'look_up',
      'nightly',
      'patch_flow',
      'record_test',
      'restore_flow',
      'run_flow',
      'suggest_pagination',
      'test_flow',
      'total',
      'try_pagination',
      'try_step',
    ].toSorted(),
    view: reader.toSorted(),
    start: ['search_docs', 'total'],
    other: ['search_docs'],
  })
  const starter = await connect(app, ['automation:webhook_run'])
  const viewer = await connect(app, ['automation:view'])
  expect({
    run: await viewer.callTool('run_flow', { flow_id: flow.id }),
    flow: await viewer.callTool('total').catch(String),
    hidden: await starter.callTool('not_offered').catch(String),
    manual: await starter.callTool('nightly').catch(String),
    read: (await starter.callTool('read_flow', { flow_id: flow.id })).isError,
  }).toEqual({
    run: {
      isError: true,
      text: 'Missing permission to create flows, which needs the scope automation:manage; the token has automation:view',
      value: { error: expect.objectContaining({ code: 'forbidden' }) },
    },
    flow: expect.stringContaining('There is no tool "total"'),
    hidden: expect.stringContaining('There is no tool "not_offered"'),
    manual: expect.stringContaining('There is no tool "nightly"'),
    read: true,
  })
  expect(app.runs()).toEqual([])
})

test('a flow is a tool with its name, notes and input schema; its input is checked, its output returned', async () => {
  const app = await startApp()
  const input_schema = {
    type: 'object',
    properties: { order_id: { type: 'integer', description: 'Number of the order' } },
    required: ['order_id'],
    additionalProperties: false,
  }
  const total = await app.addFlow([webhook({ response_body: '{"total": {{ order.order_id * 2 }}}' })], {
    name: 'Größe & Preis!',
    description: 'Total of an order',
    settings: { mcp_tool: { input_schema } },
  })
  const more = { created_at: '2099-01-01T00:00:00.000Z', settings: tool }
  const same = await app.addFlow([set({ key: '{{ input }}' })], { ...more, name: 'grosse preis' })
  const taken = await app.addFlow([set({ done: true })], { ...more, name: 'Run flow' })
  const foreign = await app.addFlow([set({ done: true })], { ...more, name: '注文' })
  const { client, callTool } = await connect(app)
  const { tools } = await client.listTools()
  const own = tools.slice(-4).map(({ name }) => name)
  const good = await callTool('grosse_preis', { order_id: 21 })
  const bad = await callTool('grosse_preis', { order_id: 'x', more: 1 })
  const plain = await callTool(`run_flow_${taken.flow.id.slice(0, 8)}`, { anything: [1] })
  const run = app.runs().find(({ flow_id: id }) => id === total.flow.id)
  expect({ own, described: tools.find(({ name }) => name === 'grosse_preis'), good, bad, plain }).toEqual({
    own: expect.arrayContaining([
      'grosse_preis',
      `grosse_preis_${same.flow.id.slice(0, 8)}`,
      `run_flow_${taken.flow.id.slice(0, 8)}`,
      `flow_${foreign.flow.id.slice(0, 8)}`,
    ]),
    described: {
      name: 'grosse_preis',
      title: 'Größe & Preis!',
      description: 'Total of an order',
      inputSchema: input_schema,
      annotations: { title: 'Größe & Preis!', readOnlyHint: false },
    },
    good: {
      isError: false,
      text: expect.stringContaining('"output":{"total":42}'),
      value: {
        flow_run_id: run?.id,
        status: 'success',
        duration_ms: expect.any(Number),
        output: { total: 42 },
      },
    },
    bad: {
      isError: true,
      text: expect.stringContaining('order_id'),
      value: {
        error: expect.objectContaining({
          code: 'validation',
          data: { order_id: [expect.any(String)], more: [expect.any(String)] },
        }),
      },
    },
    plain: expect.objectContaining({ value: expect.objectContaining({ output: { done: true } }) }),
  })
})

test('an input schema that no client could use is rejected when the flow is saved', async () => {
  const app = await startApp()
  const save = async (input_schema: unknown) => {
    const settings = { mcp_tool: { input_schema } }
    const { status, json } = await app.call('POST', '/v1/flows', { name: 'Tool', settings })
    return [status, Object.keys((json as { data?: object }).data ?? {})]
  }
  const field = 'settings.mcp_tool.input_schema'
  expect({
    type: await save({ type: 'array' }),
    unknown: await save({ properties: { id: { type: 'strin' } } }),
    properties: await save({ properties: [] }),
    required: await save({ required: 'id' }),
    good: (await save({ properties: { id: { type: 'string' } } }))[0],
    none: (await save(null))[0],
  }).toEqual({
    type: [400, [`${field}.type`]],
    unknown: [400, [field]],
    properties: [400, [`${field}.properties`]],
    required: [400, [`${field}.required`]],
    good: 201,
    none: 201,
  })
})

test('a flow whose list is in doubt says so next to its output', async () => {
  const api = await startThirdPartyApi((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"d":[{"id":1}],"next":"b"}')
  })
  const app = await startApp()
  const pagination = { response_jsonpath: '$.d', query: '{"after": "{{ previous_request.nxt }}"}' }
  const { flow } = await app.addFlow([
    { ref_id: 'list', type: 'rest', config: { url: `${api.url}/items`, pagination } },
  ])
  const { callTool } = await connect(app)
  const { value, text } = await callTool('run_flow', { flow_id: flow.id })
  expect({ value, text }).toMatchObject({
    value: {
      status: 'success',
      output: [{ id: 1 }],
      warnings: expect.arrayContaining([
        expect.objectContaining({ code: 'cursor_never_seen', in_doubt: true }) as unknown,
      ]) as unknown,
    },
    text: expect.stringContaining('cursor_never_seen') as string,
  })
})

test('flows are listed, read without their webhook token, checked and run', async () => {
  const app = await startApp()
  const { flow, token } = await app.addFlow([webhook(), set({ total: '{{ order.amount }}' })], {
    name: 'Total',
  })
  await app.addFlow([set({ at: 1 })], { name: 'Nightly', status: 'draft' })
  const { callTool } = await connect(app)
  const listed = await callTool('list_flows', { name: 'tot', status: 'active' })
  const read = await callTool('read_flow', { flow_id: flow.id })
  const checked = await callTool('check_flow', {
    flow_id: flow.id,
    steps: [{ ref_id: 'call', type: 'rest', config: {} }],
  })
  const fine = await callTool('check_flow', { flow_id: flow.id })
  const ran = await callTool('run_flow', { flow_id: flow.id, input: { amount: 7 } })
  const none = await callTool('read_flow', { flow_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' })
  const wrong = await callTool('run_flow', { flow: flow.id })
  expect({
    listed: listed.value,
    read: [
      read.value['name'],
      read.text.includes(token),
      (read.value['webhook'] as object | undefined) ?? {},
    ],
    checked: JSON.stringify(checked.value).includes('steps[0].config'),
    fine: fine.value,
    ran: ran.value['output'],
    none: [none.isError, none.text],
    wrong: [wrong.isError, (wrong.value['error'] as { data: object }).data],
  }).toEqual({
    listed: {
      flows: [expect.objectContaining({ id: flow.id, name: 'Total', starts_by: 'webhook' })],
      total: 1,
      page: 1,
    },
    read: ['Total', false, { url: `http://127.0.0.1:4747/v1/flow-webhook/${flow.id}`, public_url: null }],
    checked: true,
    fine: { problems: [] },
    ran: { total: 7 },
    none: [true, expect.stringContaining('7c9e6679-7425-40de-944b-e07fc1f90ae7')],
    wrong: [true, { flow_id: ['is required'], flow: [expect.stringContaining('is unknown')] }],
  })
})

test('runs are read with their steps, secrets hidden; a failed run is an error with its reason', async () => {
  const app = await startApp()
  await app.call('POST', '/v1/env-variables', {
    name: 'api_key',
    type: 'text',
    value: 'planted-secret',
    secret: true,
  })
  const { flow } = await app.addFlow(
    [
      set({ key: 'is {{ api_key }}' }),
      { ref_id: 'halt', type: 'stop', config: { status: 'error', message: 'No stock' } },
    ],
    { name: 'Fails' },
  )
  const leaky = await app.addFlow([set({ key: 'is {{ api_key }}' })], { name: 'Leaks', settings: tool })
  const { callTool } = await connect(app)
  const failed = await callTool('run_flow', { flow_id: flow.id })
  const id = String(failed.value['flow_run_id'])
  const runs = await callTool('list_runs', { flow_id: flow.id, status: 'error' })
  const run = await callTool('read_run', { flow_run_id: id })
  const leaks = await callTool('leaks')
  const found = await callTool('list_runs', { text: 'stock' })
  expect({
    failed: [failed.isError, failed.text, (failed.value['error'] as { ref_id: string }).ref_id],
    runs: (runs.value['runs'] as { id: string }[]).map((one) => one.id),
    steps: (run.value['steps'] as { ref_id: string }[]).map(({ ref_id: ref }) => ref),
    leaks: leaks.value['output'],
    found: (found.value['runs'] as unknown[]).length,
    secret: [failed, runs, run, leaks].some((answer) => JSON.stringify(answer).includes('planted-secret')),
    flow: leaky.flow.name,
  }).toEqual({
    failed: [true, `The run ${id} failed: Step "halt": No stock`, 'halt'],
    runs: [id],
    steps: ['sum', 'halt'],
    leaks: { key: 'is ***' },
    found: 1,
    secret: false,
    flow: 'Leaks',
  })
})

test('a long run reports progress, continues after the maximum wait, and is cancelled with its call', async () => {
  const app = await startApp()
  const { flow } = await app.addFlow([{ ref_id: 'wait', type: 'delay', config: { seconds: 50 } }])
  const { callTool } = await connect(app)
  const waited = await callTool('run_flow', { flow_id: flow.id, wait_seconds: 0 })
  const id = String(waited.value['flow_run_id'])
  const cancelled = await callTool('cancel_run', { flow_run_id: id })
  const stop = new AbortController()
  const messages: string[] = []
  const stopped = callTool(
    'run_flow',
    { flow_id: flow.id },
    {
      signal: stop.signal,
      onprogress({ message }) {
        messages.push(message ?? '')
        stop.abort('The user pressed stop')
      },
    },
  ).catch(String)
  const answer = await stopped
  const ended = await app.until((run) => run.id !== id && run.status === 'cancelled')
  expect({
    waited: waited.value,
    cancelled: (cancelled.value['run'] as { status: string }).status,
    messages,
    answer,
    ended: ended.flow_id,
  }).toEqual({
    waited: {
      flow_run_id: id,
      status: expect.stringMatching(/queued|running/),
      duration_ms: null,
      message: 'The run continues after 0 seconds; read its result later with read_run',
    },
    cancelled: 'cancelled',
    messages: [expect.stringMatching(/^The run continues after \d s; \d steps so far$/)],
    answer: expect.stringContaining('The user pressed stop'),
    ended: flow.id,
  })
})

test('a lost connection cancels the run in the current protocol alone, and never if Millrace ends it', async () => {
  const app = await startApp()
  const gate = Promise.withResolvers<void>()
  const api = await startThirdPartyApi((_request, response) => {
    void gate.promise.then(() => response.writeHead(200).end('"late"'))
  })
  const { flow } = await app.addFlow([
    { ref_id: 'call', type: 'rest', config: { method: 'GET', url: api.url } },
  ])
  const params = { name: 'run_flow', arguments: { flow_id: flow.id } }
  const reached = async (count: number): Promise<void> => {
    await expect.poll(() => api.received.length).toBe(count)
  }
  const send = async (message: object, more: Record<string, string>) => {
    const headers = { authorization: `Bearer ${(await tokenFor(app, ALL)).token}`, ...HEADERS, ...more }
    const leaving = new AbortController()
    const init = { method: 'POST', headers, body: JSON.stringify(message), signal: leaving.signal }
    const sent = fetch(`http://127.0.0.1:${app.port}${PATH}`, init).then((answer) => answer.text())
    return async () => {
      leaving.abort()
      await sent.catch(() => undefined)
    }
  }
  const leave = await send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, {})
  await reached(1)
  await leave()
  const issued = await tokenFor(app, ALL)
  const revoked = await connectMcp(app.port, `Bearer ${issued.token}`)
  const ending = revoked.callTool('run_flow', { flow_id: flow.id }).catch(() => 'ended')
  await reached(2)
  await app.call('DELETE', `/v1/personal-access-tokens/${issued.id}`)
  const ended = await ending
  const headers = { ...CURRENT, 'mcp-method': 'tools/call', 'mcp-name': 'run_flow' }
  const cancel = await send(current('tools/call', params), headers)
  await reached(3)
  await cancel()
  await app.until((run) => run.status === 'cancelled')
  gate.resolve()
  await expect.poll(() => app.runs().filter((run) => run.status === 'success').length).toBe(2)
  expect({ ended, runs: app.runs().length }).toEqual({ ended: 'ended', runs: 3 })
})

test('long outputs keep their structure and say that they are shortened', async () => {
  const app = await startApp()
  const { flow } = await app.addFlow([
    {
      ref_id: 'many',
      type: 'code',
      config: {
        source: 'return Array.from({ length: 9000 }, (_, id) => ({ id, text: "x".repeat(50) }))',
      },
    },
  ])
  const { callTool } = await connect(app)
  const { value, text, isError } = await callTool('run_flow', { flow_id: flow.id })
  const output = value['output'] as { id: number }[]
  expect({
    isError,
    first: output[0],
    isShort: output.length < 9_000 && text.length <= 100_000,
    shortened: value['shortened'],
  }).toEqual({
    isError: false,
    first: { id: 0, text: 'x'.repeat(50) },
    isShort: true,
    shortened: {
      characters: expect.any(Number),
      message: expect.stringContaining('values are cut'),
      cut: expect.arrayContaining([expect.objectContaining({ path: expect.stringMatching(/^output/) })]),
    },
  })
})

test('pagination is tried page by page, and the documentation is searched', async () => {
  const api = await startThirdPartyApi(({ target }, response) => {
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 1)
    const items = page > 3 ? [] : [{ id: page * 2 - 1 }, { id: page * 2 }]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ items }))
  })
  const path = new URL('../../../docs/reference/pagination.md', import.meta.url)
  const app = await startApp({ docs: new Map([['pagination', readFileSync(path, 'utf8')]]) })
  const { callTool } = await connect(app)
  const request = { base_url: api.url, endpoint: '/orders' }
  const pagination_config = { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' }
  const progress: (string | undefined)[] = []
  const read = await callTool(
    'try_pagination',
    { request, pagination_config, max_pages: 10 },
    { onprogress: ({ message }) => progress.push(message) },
  )
  const broken = await callTool('try_pagination', { request, pagination_config: { query: '{{ page' } })
  const neither = await callTool('try_pagination', {})
  const docs = await callTool('search_docs', { query: 'response_jsonpath' })
  const asked = await callTool('search_docs', { query: 'how can I use a cursor for the next page?' })
  expect({
    total: read.value['total_records'],
    pages: (read.value['pages'] as { records: number }[]).map(({ records }) => records),
    first: (read.value['first_records'] as unknown[])[0],
    progress: progress[0],
    broken: [broken.isError, (broken.value['error'] as { code: string }).code],
    neither: neither.isError,
    docs: (docs.value['sections'] as { document: string }[])[0]?.document,
    asked: (asked.value['sections'] as unknown[]).length,
  }).toEqual({
    total: 6,
    pages: [2, 2, 2, 0],
    first: { id: 1 },
    progress: 'Page 1: 2 records',
    broken: [true, 'template_error'],
    neither: true,
    docs: 'pagination',
    asked: 5,
  })
})

test('clients hear of changed tools until their token is revoked', async () => {
  const app = await startApp()
  const issued = await tokenFor(app, ALL)
  const { client, toolNames } = await connectMcp(app.port, `Bearer ${issued.token}`)
  const changed = Promise.withResolvers<void>()
  client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve())
  const { closed } = await client.listen({ toolsListChanged: true })
  const before = await toolNames()
  const { json } = await app.call('POST', '/v1/flows', { name: 'New tool', settings: tool })
  await changed.promise
  const after = await toolNames()
  await app.call('PUT', `/v1/flows/${(json as { id: string }).id}`, { settings: { mcp_tool: null } })
  const withdrawn = await toolNames()
  await app.call('DELETE', `/v1/personal-access-tokens/${issued.id}`)
  const revoked = await client.listTools().catch(String)
  expect({
    before: before.includes('new_tool'),
    after: after.includes('new_tool'),
    withdrawn,
    revoked,
    closed: await closed,
  }).toEqual({
    before: false,
    after: true,
    withdrawn: before,
    revoked: expect.stringContaining('Unknown token'),
    closed: 'remote',
  })
})

test('each call is in the call log under its tool, with its token and its status', async () => {
  const app = await startApp()
  const { flow } = await app.addFlow([webhook()], { name: 'Total', settings: tool })
  const { callTool, client } = await connect(app, ['automation:manage'])
  await callTool('total')
  await callTool('read_flow', { flow_id: 'nowhere' })
  await callTool('try_pagination')
  await client.close()
  const listed = async () => {
    const { json } = await app.call('GET', `/v1/calls?route=${PATH}&caller=token`)
    return (json as { entries: ApiCall[] }).entries
  }
  await expect.poll(async () => (await listed()).length).toBeGreaterThanOrEqual(4)
  const calls = (await listed()).map(({ method, route, status, token_note }) =>
    [method, route, status, token_note].join(' '),
  )
  expect({ calls, id: JSON.stringify(calls).includes(flow.id) }).toEqual({
    calls: expect.arrayContaining([
      'POST /v1/mcp#total 200 AI client',
      'POST /v1/mcp#read_flow 404 AI client',
      'POST /v1/mcp#try_pagination 403 AI client',
      'POST /v1/mcp 200 AI client',
    ]),
    id: false,
  })
})

test("a token with too many requests gets 429 and the seconds to wait; others aren't affected", async () => {
  const app = await startApp()
  const { token } = await tokenFor(app, ALL)
  const other = await tokenFor(app, ALL)
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const statuses: number[] = []
  for (let sent = 0; sent < 601; sent += 50)
    statuses.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(50, 601 - sent) }, async () => (await post(app, token, list)).status),
      )),
    )
  const last = await post(app, token, list)
  expect({
    refused: statuses.filter((status) => status === 429).length,
    last: [last.status, Number(last.headers['retry-after']) > 0, last.headers['ratelimit-policy']],
    other: (await post(app, other.token, INITIALIZE)).status,
  }).toEqual({ refused: 1, last: [429, true, '"mcp";q=600;w=60'], other: 200 })
})

test('patterns of a schema are matched in linear time, wherever they stand', async () => {
  const app = await startApp()
  const nested = '^(?:[a-z]+)+$'
  const name = { type: 'string', pattern: nested }
  const input_schema = {
    properties: { name, either: { anyOf: [name, { type: 'number' }] }, list: { type: 'array', items: name } },
    required: ['name'],
  }
  await app.addFlow([webhook()], { name: 'Total', settings: { mcp_tool: { input_schema } } })
  const { callTool } = await connect(app)
  const worst = `${'a'.repeat(40)}!`
  const said = async (input: object) => {
    const { isError, text } = await callTool('total', input)
    return isError ? text.includes('invalid format') || text : 'ran'
  }
  const flow = { name: 'Look-ahead', steps: [webhook()] }
  const { id } = (await app.call('POST', '/v1/flows', flow)).json as { id: string }
  const refused = await app.call('PUT', `/v1/flows/${id}`, {
    ...flow,
    settings: { mcp_tool: { input_schema: { properties: { a: { type: 'string', pattern: '(?=a)b' } } } } },
  })
  expect({
    fits: await said({ name: 'ada' }),
    worst: await said({ name: worst }),
    inAnyOf: await said({ name: 'ada', either: worst }).then((text) => text !== 'ran'),
    inList: await said({ name: 'ada', list: [worst] }),
    refused: [refused.status, refused.text.includes("can't be matched in linear time")],
  }).toEqual({ fits: 'ran', worst: true, inAnyOf: true, inList: true, refused: [400, true] })
})

test('each message of a batch counts, and a body has a limited number of values', async () => {
  const app = await startApp()
  const { token } = await tokenFor(app, ALL)
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const batch = await post(
    app,
    token,
    Array.from({ length: 100 }, () => list),
  )
  const keys = Object.fromEntries(Array.from({ length: 60_000 }, (_, key) => [`k${key}`, 1]))
  const many = await post(app, token, { ...list, params: keys })
  expect({
    left: Number(/r=(\d+)/.exec(String(batch.headers['ratelimit']))?.[1]),
    many: [many.status, many.text.includes('50000 values')],
  }).toEqual({ left: 500, many: [413, true] })
})

test('a token can hear of changes with a limited number of requests; those of another are not affected', async () => {
  const app = await startApp()
  const [one, other] = [await connect(app), await connect(app)]
  const listen = ({ client }: typeof one) => client.listen({ toolsListChanged: true })
  const open = await Promise.all(Array.from({ length: 20 }, async () => listen(one)))
  const refused = await listen(one).then(() => 'open', String)
  const elsewhere = await listen(other)
  await open[0]?.close()
  await expect.poll(async () => listen(one).then(() => 'open', String)).toBe('open')
  expect({ refused, elsewhere: elsewhere.honoredFilter }).toEqual({
    refused: expect.stringContaining('20 open subscriptions'),
    elsewhere: { toolsListChanged: true },
  })
})
