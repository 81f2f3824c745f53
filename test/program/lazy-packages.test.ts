import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConnectorAuthTest } from '../../src/shared/contract/connector-auths.ts'
import { startAuthorizationServer } from '../helpers/authorization-server.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { startSftpServer } from '../helpers/sftp-server.ts'

/** Packages loaded on first use must still be part of the build. */
const home = createHome()
let served: Served
beforeAll(async () => {
  served = await home.serve()
})
afterAll(() => home.remove())

async function post<T>(path: string, body: object = {}): Promise<T> {
  const answer = await fetch(`${served.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${served.bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect({ path, ok: answer.ok }).toEqual({ path, ok: true })
  return (await answer.json()) as T
}

test('the built program speaks SFTP', async () => {
  const server = await startSftpServer()
  const { id } = await post<{ id: string }>('/v1/connector-auths', {
    connector_id: '5f0c1a52-6a8e-4a0f-9d55-0d6c5d3f7b10',
    name: 'Files',
    auth_type: 'username_password',
    api_endpoint: `sftp://ann:${server.password}@127.0.0.1:${server.port}/`,
  })
  const { ok, message } = await post<ConnectorAuthTest>(`/v1/connector-auths/${id}/test`)
  expect({ ok, message }).toEqual({
    ok: true,
    message: '"SFTP" accepted the login and the call of "list_files"',
  })
})

test('the built program speaks OAuth', async () => {
  const server = await startAuthorizationServer()
  const config = { ...server.config, grant_type: 'client_credentials' }
  const connector = await post<{ id: string }>('/v1/connectors', { name: 'Team Work', auth_config: config })
  const auth = { connector_id: connector.id, name: 'Main', auth_type: 'oauth2' }
  const { id } = await post<{ id: string }>('/v1/connector-auths', auth)
  expect(await post(`/v1/connector-auths/${id}/authorize`)).toEqual({ url: null })
})
