/** What holds for credentials of every type, however they are sent. */
import { expect, test } from 'vitest'
import type { ConnectorAuth, ConnectorAuthUse } from '../../src/shared/contract/connector-auths.ts'
import { type AUTH_TYPES, HTTP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { startFlowApp } from '../helpers/flow-app.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

type AuthType = (typeof AUTH_TYPES)[number]

const SECRET = 'secret-of-this-very-type'

/** The secret is in each field in which the type can have one. */
const FIELDS: { readonly [T in Exclude<AuthType, 'none'>]: object } = {
  bearer: { auth_token: SECRET },
  basic_auth: { auth_token: `Basic ${SECRET}` },
  username_password: { username: 'ann', password: SECRET },
  api_key: { auth_token: SECRET },
  oauth2: { auth_token: SECRET },
  digest: { username: 'ann', password: SECRET },
  oauth1: { username: 'key', password: SECRET, user_input: { token_secret: `${SECRET}-2` } },
  aws_sigv4: { username: 'A', password: SECRET, user_input: { region: 'eu', service: 's3' } },
  hmac: {
    password: SECRET,
    user_input: { signing: { message: '{{ timestamp }}', headers: { 'X-S': '{{ signature }}' } } },
  },
  client_certificate: { auth_token: SECRET, user_input: { passphrase: `${SECRET}-3` } },
}

test.each(Object.entries(FIELDS))(
  '%s is hidden, bound to its origins, found by its flows and not exported',
  async (auth_type, fields) => {
    const app = await startFlowApp()
    const api = await startThirdPartyApi((_request, response) =>
      response.end(JSON.stringify({ back: Object.values(fields) })),
    )
    const connector = await app.call('POST', '/v1/connectors', { name: 'Any', base_domain: api.url })
    const connector_id = auth_type === 'oauth2' ? (connector.json as { id: string }).id : HTTP_CONNECTOR_ID
    const made = await app.call('POST', '/v1/connector-auths', {
      connector_id,
      name: 'Shop',
      auth_type,
      api_endpoint: api.url,
      ...fields,
    })
    expect(made).toMatchObject({ status: 201, text: expect.not.stringContaining(SECRET) as string })
    const { id } = made.json as ConnectorAuth
    const { flow } = await app.addFlow([
      { ref_id: 'web1', type: 'webhook' },
      { ref_id: 'call', type: 'rest', config: { auth_id: id, url: `${api.url}/` } },
    ])
    const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as FlowRun
    const shown = await Promise.all([
      app.call('GET', `/v1/flow-runs/${run.id}/steps`),
      app.call('POST', `/v1/connector-auths/${id}/test`, { url: `${api.url}/` }),
      app.call('GET', `/v1/connector-auths/${id}`),
      app.call('GET', `/v1/flows/${flow.id}/export`),
      app.call('GET', `/v1/connectors/${connector_id}`),
    ])
    for (const { status, text } of shown) {
      expect(status).toBe(200)
      expect(text).not.toContain(SECRET)
    }
    const moved = await app.call('PUT', `/v1/connector-auths/${id}`, {
      api_endpoint: 'https://elsewhere.example.com',
    })
    expect(moved).toMatchObject({ status: 400, text: expect.stringContaining('new origin') as string })
    const uses = (await app.call('GET', '/v1/connector-auths/uses')).json as ConnectorAuthUse[]
    expect(uses.find((use) => use.auth_id === id)?.flows).toEqual([{ id: flow.id, name: flow.name }])
    const deleted = await app.call('DELETE', `/v1/connector-auths/${id}`)
    expect(deleted.status).toBe(409)
  },
)
