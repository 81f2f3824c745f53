/** Tests of flows with connectors: pages, redirects, retries and secrets, which never reach a test. */
import { expect, it } from 'vitest'
import type { ConnectorAuth } from '../../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { FlowTest, FlowTestResult } from '../../../src/shared/contract/flow-tests.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const SECRETS = {
  token: 'planted-token-Qx7-01',
  query: 'planted-variable-02',
  password: 'planted-password-03',
  step: 'planted-in-a-step-04',
}

async function created<T>(app: FlowApp, path: string, body: object): Promise<T> {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: expect.any(String) })
  return answer.json as T
}

/** Three pages of two orders; the second page is rejected once, and the first one has moved. */
async function startOrders() {
  let refused = false
  return startThirdPartyApi((request, response) => {
    const url = new URL(request.target, 'http://orders.test')
    if (url.pathname === '/orders') {
      response.writeHead(302, { location: `/v2${request.target}` }).end()
      return
    }
    const page = Number(url.searchParams.get('page') ?? 1)
    if (page === 2 && !refused) {
      refused = true
      response.writeHead(429, { 'retry-after': '1' }).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json', date: 'Thu, 01 Jan 2026 00:00:00 GMT' })
    const orders =
      page > 3
        ? []
        : [1, 2].map((id) => ({ id: page * 10 + id, echo: request.headers['authorization'] ?? '' }))
    response.end(JSON.stringify({ orders }))
  })
}

async function aShopFlow(app: FlowApp, url: string) {
  const connector = await created<Connector>(app, '/v1/connectors', {
    name: 'Shop',
    base_domain: url,
    header: { header_key: 'Authorization', token_prefix: 'Bearer {{ token }}' },
    pagination_config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' },
  })
  await created(app, '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'list_orders',
    title: 'List orders',
    method: 'GET',
    endpoint: '/orders',
    query: { state: '{{ input.state }}', key: '{{ shop_key }}' },
    headers: { 'x-region': '{{ region }}' },
    supports_automatic_pagination: true,
  })
  const auth = await created<ConnectorAuth>(app, '/v1/connector-auths', {
    connector_id: connector.id,
    name: 'Shop of the team',
    auth_type: 'bearer',
    auth_token: SECRETS.token,
    password: SECRETS.password,
  })
  for (const [name, value, secret] of [
    ['shop_key', SECRETS.query, true],
    ['region', 'eu', false],
    ['unused', 'nobody reads it', false],
  ])
    await created(app, '/v1/env-variables', { name, value, type: 'text', secret })
  const steps: StepInput[] = [
    { ref_id: 'web1', type: 'webhook', config: {} },
    {
      ref_id: 'orders',
      type: 'connector_action',
      config: {
        connector_id: connector.id,
        auth_id: auth.id,
        action: 'list_orders',
        input: { state: 'open' },
      },
    },
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ orders[:2] }}' },
      steps: [
        {
          ref_id: 'send',
          type: 'rest',
          config: {
            method: 'POST',
            url: `${url}/v2/send`,
            headers: { 'x-api-key': SECRETS.step },
            body: '{{ {"id": item.id, "password": shop_key} }}',
          },
        },
      ],
    },
  ]
  const hook = await app.addFlow(steps)
  return { hook, connector, auth }
}

async function recordRun(app: FlowApp, flowId: string) {
  const run = await app.until(({ flow_id: id, finished_at: at }) => id === flowId && at !== null)
  const answer = await app.call('POST', `/v1/flow-runs/${run.id}/test`, { name: 'Open orders' })
  return { run, answer, test: (answer.json as { test: FlowTest }).test }
}

async function play(
  app: FlowApp,
  flowId: string,
  tests: readonly unknown[],
  change: (source: never) => void = () => undefined,
) {
  const list = await app.call('GET', '/v1/flow-sources?per_page=200')
  const { source } = (list.json as { source: { id: string } }[]).find((one) => one.source.id === flowId)!
  change(source as never)
  const { json } = await app.call('POST', '/v1/flow-tests/run', { source, tests })
  return (json as { results: FlowTestResult[] }).results
}

it('pages, a redirect, a retry and a loop are played without auth, variables and secrets', async () => {
  const api = await startOrders()
  const app = await startFlowApp()
  const { hook, auth, connector } = await aShopFlow(app, api.url)
  await app.trigger(hook, { body: {} })
  const { test, run, answer } = await recordRun(app, hook.flow.id)
  expect({ run: run.status, recorded: answer.json }).toMatchObject({
    run: 'success',
    recorded: { test: { name: 'Open orders' } },
  })
  const sent = api.received.length
  const list = await app.call('GET', '/v1/flow-sources?per_page=200')
  const source = (list.json as { source: { id: string } }[]).find(
    (one) => one.source.id === hook.flow.id,
  )!.source
  const [here] = await play(app, hook.flow.id, [test])

  const elsewhere = await startFlowApp()
  const exported = await app.call('GET', `/v1/connectors/${connector.id}/export`)
  const imported = await elsewhere.call('POST', '/v1/connectors/import', exported.json)
  const { json } = await elsewhere.call('POST', '/v1/flow-tests/run', { source, tests: [test] })
  const [there] = (json as { results: FlowTestResult[] }).results
  const text = JSON.stringify(test)
  expect({
    here,
    imported: imported.status,
    there,
    sent: api.received.length - sent,
    secrets: Object.values(SECRETS).filter((secret) => text.includes(secret)),
    variables: test.variables,
    auths: test.auths,
    calls: test.calls.map((call) =>
      call.type === 'http' ? [call.step, call.iteration, call.response?.status] : call,
    ),
  }).toMatchObject({
    here: { passed: true, failures: [] },
    imported: 201,
    there: { passed: true, failures: [] },
    sent: 0,
    secrets: [],
    variables: { shop_key: '***', region: 'eu' },
    auths: [
      { id: auth.id, name: 'Shop of the team', connector: 'Shop', secrets: ['auth_token', 'password'] },
    ],
    calls: [
      ['orders', undefined, 200],
      ['orders', undefined, 429],
      ['orders', undefined, 200],
      ['orders', undefined, 200],
      ['orders', undefined, 200],
      ['send', [0], 200],
      ['send', [1], 200],
    ],
  })
  expect(Object.keys(test.variables)).not.toContain('unused')
})

it('changes of a connector fail its tests', async () => {
  const api = await startOrders()
  const app = await startFlowApp()
  const { hook, connector } = await aShopFlow(app, api.url)
  await app.trigger(hook, { body: {} })
  const { test } = await recordRun(app, hook.flow.id)
  const failures: Record<string, unknown> = {}
  for (const [name, change] of Object.entries({
    page: { pagination_config: { query: '{"page": {{ page + 2 }}}', response_jsonpath: '$.orders' } },
    records: {
      pagination_config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders[*].id' },
    },
    header: { header: { header_key: 'X-Token', token_prefix: 'Bearer {{ token }}' } },
    host: { base_domain: `${api.url}/other` },
  })) {
    const saved = await app.call('PUT', `/v1/connectors/${connector.id}?reentry=true`, change)
    const [result] = await play(app, hook.flow.id, [test])
    failures[name] = [saved.status, result?.failures[0]?.kind]
    await app.call('PUT', `/v1/connectors/${connector.id}?reentry=true`, {
      base_domain: api.url,
      header: { header_key: 'Authorization', token_prefix: 'Bearer {{ token }}' },
      pagination_config: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' },
    })
  }
  expect(failures).toEqual({
    page: [200, 'unused_call'],
    records: [200, 'missing_call'],
    header: [200, 'missing_call'],
    host: [200, 'missing_call'],
  })
  expect((await play(app, hook.flow.id, [test]))[0]).toMatchObject({ passed: true })
})

it('says what of a run is missing, and refuses a test that would hold a secret', async () => {
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ long: 'x'.repeat(20_000) }))
  })
  const app = await startFlowApp()
  await created(app, '/v1/env-variables', {
    name: 'shop_key',
    value: SECRETS.query,
    type: 'text',
    secret: true,
  })
  const long = await app.addFlow([
    { ref_id: 'web1', type: 'webhook', config: {} },
    { ref_id: 'get', type: 'rest', config: { url: `${api.url}/long` } },
  ])
  const plain = await app.addFlow([
    { ref_id: 'web1', type: 'webhook', config: {} },
    { ref_id: 'shown', type: 'set', config: { values: { key: '{{ shop_key }}' } } },
  ])
  await app.trigger(long, { body: {} })
  await app.trigger(plain, { body: {} })
  const { answer: cut } = await recordRun(app, long.flow.id)
  const { run, test, answer } = await recordRun(app, plain.flow.id)
  const named = await app.call('POST', `/v1/flow-runs/${run.id}/test`, { name: `about ${SECRETS.query}` })
  const missing = await app.call('POST', '/v1/flow-runs/8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b/test', {
    name: 'x',
  })
  expect({
    cut,
    answer: answer.status,
    shown: test.expect.results,
    named,
    missing: missing.status,
  }).toMatchObject({
    cut: {
      status: 409,
      json: {
        message: expect.stringContaining(`only the beginning of GET ${api.url}/long (step "get") was kept`),
      },
    },
    answer: 200,
    shown: { shown: { exact: { key: '***' } } },
    named: { status: 409, json: { message: expect.stringContaining('would contain a secret') } },
    missing: 404,
  })
})

it('a failed run becomes a test of its failure', async () => {
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"error": "gone"}')
  })
  const app = await startFlowApp()
  const hook = await app.addFlow([
    { ref_id: 'web1', type: 'webhook', config: {} },
    { ref_id: 'get', type: 'rest', config: { url: `${api.url}/gone` } },
  ])
  await app.trigger(hook, { body: {} })
  const { test, run } = await recordRun(app, hook.flow.id)
  const [same] = await play(app, hook.flow.id, [test])
  const [healed] = await play(app, hook.flow.id, [test], (source: { steps: StepInput[] }) => {
    source.steps[1]!.on_error = 'continue'
  })
  expect({ run: run.status, expected: test.expect, same, healed }).toMatchObject({
    run: 'error',
    expected: { status: 'error', error: { code: 'http_error', step: 'get' } },
    same: { passed: true },
    healed: {
      passed: false,
      failures: [{ kind: 'status', message: 'The run ended with "success"' }, { kind: 'response' }],
    },
  })
  expect((run satisfies FlowRun).error?.ref_id).toBe('get')
})

it('a recorded run keeps whole calls without secrets, until they are longer than 3 MB', async () => {
  const api = await startThirdPartyApi((request, response) => {
    const length = Number(new URL(request.target, 'http://long.test').searchParams.get('length'))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ echo: request.headers['x-key'], long: 'x'.repeat(length) }))
  })
  const app = await startFlowApp()
  await created(app, '/v1/env-variables', { name: 'key', value: SECRETS.query, type: 'text', secret: true })
  const { flow } = await app.addFlow([
    { ref_id: 'web1', type: 'webhook', config: {} },
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ web1.lengths }}' },
      steps: [
        {
          ref_id: 'get',
          type: 'rest',
          config: {
            method: 'POST',
            url: `${api.url}/long?length={{ item }}`,
            headers: { 'x-key': '{{ key }}' },
            body: '{{ "y" * (item // 10) }}',
          },
        },
        { ref_id: 'size', type: 'set', config: { values: { size: '{{ get.body.long | length }}' } } },
      ],
    },
  ])
  const run = async (lengths: readonly number[], more: object) => {
    const body = { input: { lengths }, ...more }
    const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, body)
    return json as FlowRun
  }
  const testOf = ({ id }: FlowRun) => app.call('POST', `/v1/flow-runs/${id}/test`, { name: 'Long' })
  const usual = await testOf(await run([40_000], {}))
  const recorded = await testOf(await run([400_000, 20], { record: true }))
  const { test } = recorded.json as { test: FlowTest }
  const [played] = await play(app, flow.id, [test])
  const tooLong = await run([2_000_000, 1_500_000], { record: true })
  const cut = await testOf(tooLong)
  await app.call('PUT', `/v1/flows/${flow.id}`, { settings: { record_calls: true } })
  const bySetting = await testOf(await run([40_000], {}))
  expect({
    usual,
    played,
    secret: recorded.text.includes(SECRETS.query),
    kept: recorded.text.includes('x'.repeat(400_000)) && recorded.text.includes('y'.repeat(40_000)),
    warnings: tooLong.warnings,
    cut,
    bySetting: bySetting.status,
  }).toMatchObject({
    usual: {
      status: 409,
      json: { message: expect.stringContaining('was kept; record a run to keep whole calls') },
    },
    played: { passed: true, failures: [] },
    secret: false,
    kept: true,
    warnings: [{ code: 'recording_cut', message: expect.stringContaining('longer than 3 MB') }],
    cut: { status: 409, json: { message: expect.stringContaining('only the beginning of POST') } },
    bySetting: 200,
  })
})

it('a run is replayed with recording', async () => {
  const api = await startThirdPartyApi((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ long: 'x'.repeat(20_000) }))
  })
  const app = await startFlowApp()
  const hook = await app.addFlow([
    { ref_id: 'web1', type: 'webhook', config: {} },
    { ref_id: 'get', type: 'rest', config: { url: `${api.url}/long` } },
  ])
  await app.trigger(hook, { body: {} })
  const { run } = await recordRun(app, hook.flow.id)
  const again = await app.call('POST', `/v1/flow-runs/${run.id}/replay`, { record: true })
  const { flow_run_id: id } = again.json as { flow_run_id: string }
  await app.until((one) => one.id === id && one.finished_at !== null)
  expect(await app.call('POST', `/v1/flow-runs/${id}/test`, { name: 'Long' })).toMatchObject({ status: 200 })
})
