import { expect, test } from 'vitest'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { connectMcp } from '../../helpers/mcp-client.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

async function start(scopes: readonly string[] = ['automation', 'connectors:manage']) {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const body = { expiration: null, scopes, note: 'Agent' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  return { app, ...(await connectMcp(app.port, `Bearer ${token}`)) }
}

const OPENAPI = (url: string) =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    servers: [{ url }],
    paths: {
      '/customers': {
        get: {
          operationId: 'listCustomers',
          summary: 'List customers',
          parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
          responses: { 200: { description: 'OK' } },
        },
      },
    },
  })

test('a connector is created from a description, found, and its API searched', async () => {
  const api = await startThirdPartyApi((_call, response) => {
    const people = [
      { id: 7, name: 'Ada' },
      { id: 8, name: 'Grace' },
    ]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(people))
  })
  const { app, callTool } = await start()
  const planned = await callTool('create_connector', { source: OPENAPI(api.url), dry_run: true })
  const found = async () => (await callTool('list_connectors', { name: 'acme' })).value['total']
  const before = await found()
  const made = await callTool('create_connector', { source: OPENAPI(api.url), name: 'Acme shop' })
  const connector_id = String(made.value['connector_id'])
  await app.call('POST', '/v1/connector-auths', {
    connector_id,
    name: 'Acme of the team',
    auth_type: 'none',
  })
  const described = await callTool('list_connectors', { connector_id })
  const [{ name: action } = { name: '' }] = made.value['actions'] as { name: string }[]
  await app.call('PUT', `/v1/connectors/${connector_id}`, {
    search_config: {
      query: '{}',
      endpoint: 'customers',
      response_jsonpath: '$',
      response_fields: { id: '$.id', match: '$.name' },
    },
  })
  const looked = await callTool('look_up', { connector_id, query: 'ada' })
  const broken = await callTool('create_connector', { source: 'nothing that describes an API' })
  expect({
    planned: [planned.value['connector_id'], planned.value['name']],
    counts: [before, await found()],
    made: [made.value['name'], made.value['base_domain'], action],
    described: described.value,
    looked: [looked.text, looked.isError],
    broken: broken.isError,
  }).toEqual({
    planned: [null, 'Shop'],
    counts: [0, 1],
    made: ['Acme shop', api.url, expect.stringContaining('customers')],
    described: {
      connector: expect.objectContaining({ id: connector_id, name: 'Acme shop', built_in: false }),
      actions: [expect.objectContaining({ name: action, method: 'GET', form: expect.any(Array) })],
      auths: [expect.objectContaining({ name: 'Acme of the team', auth_type: 'none' })],
    },
    looked: [expect.stringContaining('Ada'), false],
    broken: true,
  })
  expect(JSON.stringify(described)).not.toContain('secret')
})

test('connector tools need the scopes of connectors', async () => {
  const names = async (scopes: string[]) =>
    (await (await start(scopes)).toolNames()).filter((name) => /connector|look_up/.test(name))
  expect(await names(['automation'])).toEqual([])
  expect(await names(['connectors:view'])).toEqual(['list_connectors', 'look_up'])
  expect(await names(['connectors:manage'])).toEqual(['list_connectors', 'create_connector', 'look_up'])
})

test('a run is read within a budget of characters, and what was cut is named', async () => {
  const { app, callTool } = await start()
  const { flow } = await app.addFlow([
    {
      ref_id: 'long',
      type: 'set',
      config: { values: { text: '{{ "x" * 9000 }}', list: '{{ range(300) | list }}' } },
    },
  ])
  const ran = await callTool('run_flow', { flow_id: flow.id })
  const flow_run_id = ran.value['flow_run_id']
  const whole = await callTool('read_run', { flow_run_id })
  const cut = await callTool('read_run', { flow_run_id, max_characters: 4_000 })
  const tooFew = await callTool('read_run', { flow_run_id, max_characters: 10 })
  const [step] = cut.value['steps'] as { output: { text: string; list: number[] } }[]
  const shortened = cut.value['shortened'] as {
    characters: number
    cut: { path: string; shown: number; of: number }[]
  }
  expect({
    whole: [whole.value['shortened'], whole.text.length > 9_000],
    fits: cut.text.length <= 4_000,
    characters: shortened.characters === whole.text.length,
    places: shortened.cut.filter(({ path }) => path.startsWith('steps[0].output.')),
    tooFew: tooFew.isError,
  }).toEqual({
    whole: [undefined, true],
    fits: true,
    characters: true,
    places: [
      { path: 'steps[0].output.text', shown: step!.output.text.length - 1, of: 9_000 },
      { path: 'steps[0].output.list', shown: step!.output.list.length, of: 300 },
    ],
    tooFew: true,
  })
})
