import { expect, it } from 'vitest'
import type { Action, Connector } from '../../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { Plugin } from '../../../src/shared/contract/plugins/plugins.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { aPlugin, confirmedPlugin } from '../../helpers/plugins.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const RUN = 'export const steps = {}'
const ID = 'plugin.tools.shop'

function file(base: string, more: object = {}): string {
  const connector = { name: 'Shop', base_domain: base, auth_config: { auth_types: ['bearer'] }, ...more }
  const actions = [{ name: 'list_orders', method: 'GET', endpoint: '/orders' }]
  return JSON.stringify({ format: 'millrace-connector', version: 1, connector, actions })
}

const named = { connectors: ['shop'] }
const withShop = (content: string) => [named, RUN, { 'connectors/shop.json': content }] as const

async function shops(app: FlowApp) {
  const { json: connectors } = await app.call('GET', '/v1/connectors?filter=name,eq,Shop')
  const { json: actions } = await app.call('GET', `/v1/connector-actions?filter=connector_id,eq,${ID}`)
  return [
    (connectors as Connector[]).map(({ id, built_in }) => `${id} ${built_in}`),
    (actions as Action[]).map(({ name }) => name),
  ]
}

async function anAuth(app: FlowApp): Promise<string> {
  const body = { name: 'Mine', connector_id: ID, auth_type: 'bearer', user_input: {}, auth_token: 't1' }
  const { json, text } = await app.call('POST', '/v1/connector-auths', body)
  expect(text).toContain('"id"')
  return (json as { id: string }).id
}

async function runOf(app: FlowApp, authId: string) {
  const config = { connector_id: ID, action: 'list_orders', auth_id: authId }
  const { flow } = await app.addFlow([{ ref_id: 'it', type: 'connector_action', config }])
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const { error } = json as FlowRun
  return error ? `${error.code}: ${error.message}` : app.stepsOf(json as FlowRun)[0]?.output
}

it('connectors of a plug-in are there once it is confirmed, work like built-in ones, and go with it', async () => {
  const api = await startThirdPartyApi(({ target, headers }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ target, isSigned: headers['authorization'] === 'Bearer t1' }))
  })
  const app = await startFlowApp()
  const { json: added } = await app.call('POST', '/v1/plugins', { path: aPlugin(...withShop(file(api.url))) })
  const before = await shops(app)
  await app.call('POST', '/v1/plugins/tools/confirm', { hash: (added as Plugin).hash })
  const after = await shops(app)
  const id = await anAuth(app)
  const used = await runOf(app, id)
  const changed = await app.call('PUT', `/v1/connectors/${ID}`, { base_domain: 'https://example.com' })
  await app.call('DELETE', '/v1/plugins/tools')
  const kept = await shops(app)
  const failed = await runOf(app, id)
  await confirmedPlugin(app, ...withShop(file(api.url)))
  const again = [await shops(app), await runOf(app, id)]
  expect({
    shown: (added as Plugin).connectors,
    before,
    after,
    used,
    changed: changed.status,
    kept,
    failed,
    again,
  }).toEqual({
    shown: [{ id: ID, name: 'Shop', base_domain: api.url, actions: ['list_orders'] }],
    before: [[], []],
    after: [[`${ID} true`], ['list_orders']],
    used: { target: '/orders', isSigned: true },
    changed: 409,
    kept: [[`${ID} false`], []],
    failed: expect.stringContaining(
      'plugin_unavailable: Step "it": The plug-in "tools" isn\'t installed',
    ) as string,
    again: [[[`${ID} true`], ['list_orders']], { target: '/orders', isSigned: true }],
  })
})

it('an auth of a connector whose plug-in now sends it elsewhere waits for its secrets', async () => {
  const app = await startFlowApp()
  await confirmedPlugin(app, ...withShop(file('https://one.example.com')))
  const id = await anAuth(app)
  await confirmedPlugin(app, ...withShop(file('https://two.example.com')))
  const failed = await runOf(app, id)
  await confirmedPlugin(app, {}, RUN)
  expect([failed, (await shops(app))[1]]).toEqual([
    expect.stringContaining(
      'must be entered again: they would be sent to the new origin https://two.example.com',
    ),
    [],
  ])
})

it('a connector file that is missing, wrong or has a secret makes the plug-in unusable', async () => {
  const app = await startFlowApp()
  const refused = [
    aPlugin(named, RUN),
    aPlugin(...withShop('{')),
    aPlugin(...withShop(file('https://{{ '))),
    aPlugin(...withShop(file('https://example.com', { auth_config: { oauth2: { client_secret: 's' } } }))),
  ]
  const answers = await Promise.all(refused.map((path) => app.call('POST', '/v1/plugins', { path })))
  await app.call('POST', '/v1/env-variables', { name: 'shop_key', type: 'text', value: 'k', secret: true })
  const { json } = await app.call('POST', '/v1/plugins', {
    path: aPlugin(...withShop(file('https://example.com/{{ shop_key }}'))),
  })
  const secret = await app.call('POST', '/v1/plugins/tools/confirm', { hash: (json as Plugin).hash })
  expect([...answers, secret].map(({ status, json: answer }) => [status, (answer as Error).message])).toEqual(
    [
      [400, expect.stringContaining('connectors/shop.json: the file is missing')],
      [400, expect.stringContaining("isn't JSON")],
      [400, expect.stringContaining('connectors/shop.json: "base_domain"')],
      [400, expect.stringContaining('connectors/shop.json: "auth_config.oauth2/client_secret" is a secret')],
      [409, 'The connector "Shop" reads the secret variable "shop_key", which plug-in connectors can\'t do'],
    ],
  )
})
