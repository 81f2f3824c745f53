import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { startFlowApp } from '../helpers/flow-app.ts'
import { callHttp } from '../helpers/http.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')

test('the calls of docs/multi-tenant.md work as they stand there, one after the other', async () => {
  const [app, shop] = await Promise.all([
    startFlowApp(),
    startThirdPartyApi((request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify([{ of: request.headers.authorization }]))
    }),
  ])
  const connector = (await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: shop.url }))
    .json as Connector
  await app.call('POST', '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'list_orders',
    method: 'GET',
    endpoint: '/orders',
  })
  const ids: Record<string, string> = { connector: connector.id }
  const answers: Record<string, unknown> = {}
  const blocks = [
    ...pageOf('multi-tenant.md').matchAll(/^```http ([\w-]+)\n(\w+) (\S+)\n(?:\n([\s\S]*?))?^```$/gm),
  ]
  let bearer = ''
  for (const [, name = '', method = '', path = '', body = ''] of blocks) {
    const fill = (text: string) =>
      text.replaceAll(/(?<!\{)\{(\w+)\}/g, (whole, key: string) => ids[key] ?? whole)
    const isWebhook = path.startsWith('/v1/flow-webhook/')
    const answer = isWebhook
      ? await callHttp(app.port, { method, path: fill(path), headers: { authorization: `Bearer ${bearer}` } })
      : await app.call(method, fill(path), JSON.parse(fill(body)) as object)
    expect({ name, status: answer.status }).toEqual({ name, status: isWebhook ? 200 : 201 })
    answers[name] = answer.json
    ids[name] = (answer.json as { id?: string }).id ?? ''
    bearer = (answer.json as Flow).webhook?.token ?? bearer
  }
  expect({ north: answers['orders-of-north'], south: answers['orders-of-south'] }).toEqual({
    north: [{ of: 'Bearer token-of-north' }],
    south: [{ of: 'Bearer token-of-south' }],
  })
})

test('the configuration of docs/reference/credentials.md is one with which users can sign in', async () => {
  const app = await startFlowApp()
  const [, config = ''] = /^```json oauth\n([\s\S]*?)^```$/m.exec(pageOf('reference/credentials.md')) ?? []
  const body = { name: 'Example', auth_config: JSON.parse(config) as object }
  const connector = (await app.call('POST', '/v1/connectors', body)).json as Connector
  const auth = (
    await app.call('POST', '/v1/connector-auths', {
      connector_id: connector.id,
      name: 'Main',
      auth_type: 'oauth2',
    })
  ).json as ConnectorAuth
  const { url } = (await app.call('POST', `/v1/connector-auths/${auth.id}/authorize`)).json as { url: string }
  const { origin, searchParams } = new URL(url)
  expect({ origin, scope: searchParams.get('scope'), clientId: searchParams.get('client_id') }).toEqual({
    origin: 'https://accounts.example.com',
    scope: 'orders.read customers.read',
    clientId: 'your-app',
  })
})
