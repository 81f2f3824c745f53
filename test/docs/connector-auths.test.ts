import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import { readText } from '../../scripts/lib/read-text.ts'
import { startFlowApp } from '../helpers/flow-app.ts'

const pageOf = (name: string) => readText(`docs/${name}`)

test('users can sign in with the configuration in docs/reference/credentials.md', async () => {
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
