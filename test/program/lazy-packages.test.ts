import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ConnectorAuthTest } from '../../src/shared/contract/connector-auths.ts'
import { IMAP_CONNECTOR_ID, SQL_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { startAuthorizationServer } from '../helpers/authorization-server.ts'
import { aMail, startImapServer } from '../helpers/imap-server.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { startSftpServer } from '../helpers/sftp-server.ts'

/** Packages loaded on first use must still be part of the build. */
const home = createHome()

/** BoringSSL, which does Electron's cryptography, lacks these. */
const AS_IN_ELECTRON = `
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
const { getCiphers, createCipheriv, createDiffieHellmanGroup } = crypto
const lacking = (name) => { throw new Error('BoringSSL has no ' + name) }
crypto.getCiphers = () => getCiphers().filter((name) => !name.startsWith('chacha20'))
crypto.createCipheriv = (name, ...rest) => (/chacha20/.test(name) ? lacking(name) : createCipheriv(name, ...rest))
crypto.createDiffieHellmanGroup = crypto.getDiffieHellman = (name) => (/^modp[12]$/.test(name) ? lacking(name) : createDiffieHellmanGroup(name))
syncBuiltinESMExports()`

let served: Served
beforeAll(async () => {
  const hook = `data:text/javascript,${encodeURIComponent(AS_IN_ELECTRON)}`
  served = await home.serve({ nodeArgs: ['--import', hook] })
})
afterAll(() => home.remove())

const post = <T>(path: string, body: object = {}) => call<T>('POST', path, body)

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${served.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${served.bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
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

test('the built program reads HTML and Markdown in a separate thread', async () => {
  const steps = [
    { ref_id: 'html', type: 'markdown', config: { text: '**a**' } },
    { ref_id: 'back', type: 'markdown', config: { text: '{{ html }}', to: 'markdown' } },
    {
      ref_id: 'it',
      type: 'html_extract',
      config: { text: '{{ html }}', fields: { a: { selector: 'strong' } } },
    },
    { ref_id: 'end', type: 'stop', config: { status: 'error', message: '{{ back }} {{ it.a }}' } },
  ]
  const { id } = await post<{ id: string }>('/v1/flows', { name: 'Documents', steps })
  expect((await post<FlowRun>(`/v1/flows/${id}/run?wait=true`)).error?.message).toContain('**a** a')
})

test('the built program evaluates paths of jsonpath-plus in a separate thread', async () => {
  const steps = [
    { ref_id: 'shop', type: 'set', config: { values: { book: [{ sku: 'a' }, { sku: 'b' }] } } },
    {
      ref_id: 'end',
      type: 'stop',
      config: { status: 'error', message: "{{ shop..[?(@parentProperty == 'book')].sku | join }}" },
    },
  ]
  const { id } = await post<{ id: string }>('/v1/flows', { name: 'Paths', steps })
  expect((await post<FlowRun>(`/v1/flows/${id}/run?wait=true`)).error?.message).toContain('ab')
})

test('the built program waits for files and emails, and reads feeds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-watch-'))
  await call('PUT', '/v1/settings', { file_folders: [folder] })
  const mailServer = await startImapServer()
  const feed = await startThirdPartyApi((_request, response) => {
    response.end('<rss version="2.0"><channel><title>N</title><item><guid>1</guid></item></channel></rss>')
  })
  const auth = { connector_id: IMAP_CONNECTOR_ID, name: 'Mail', auth_type: 'username_password' }
  const login = { username: 'me', password: 'right', api_endpoint: mailServer.url }
  const { id: auth_id } = await post<{ id: string }>('/v1/connector-auths', { ...auth, ...login })
  const activate = async (type: string, config: object) => {
    const steps = [{ ref_id: 'found', type, config }]
    const { id } = await post<{ id: string }>('/v1/flows', { name: type, status: 'active', steps })
    await post(`/v1/flows/${id}/trigger/check`)
    return id
  }
  const runs = async (id: string) =>
    (await call<FlowRun[]>('GET', `/v1/flow-runs?filter=flow_id,eq,${id}`)).map(({ trigger }) => trigger)
  const ids = [
    await activate('list_trigger', { source: 'feed', url: feed.url, first: 'all' }),
    await activate('folder_trigger', { path: folder, settle_seconds: 0, every_minutes: 1_440 }),
    await activate('imap_trigger', { auth_id, every_minutes: 1_440 }),
  ]
  await expect.poll(() => mailServer.idling).toBe(1)
  mailServer.deliver(aMail())
  // The folder may not be watched yet, so each new file is another chance.
  await expect
    .poll(async () => {
      writeFileSync(join(folder, `${performance.now()}.txt`), '')
      return (await Promise.all(ids.map(runs))).map(([first]) => first)
    })
    .toEqual(['list', 'folder', 'mail'])
  await mailServer.close()
  rmSync(folder, { recursive: true })
})

test('the built program speaks SQL, and runs SQLite in a separate process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-sql-'))
  await call('PUT', '/v1/settings', { file_folders: [folder] })
  const errorOf = async (config: object) => {
    const steps = [{ ref_id: 'it', type: 'sql', config }]
    const { id } = await post<{ id: string }>('/v1/flows', { name: 'SQL', steps })
    return (await post<FlowRun>(`/v1/flows/${id}/run?wait=true`)).error?.message ?? null
  }
  const errors = [await errorOf({ file: 'a.db', statement: 'CREATE TABLE t (id)' })]
  for (const scheme of ['postgres', 'mysql']) {
    const auth = { connector_id: SQL_CONNECTOR_ID, name: scheme, auth_type: 'none' }
    const address = { api_endpoint: `${scheme}://127.0.0.1:1/x` }
    const { id } = await post<{ id: string }>('/v1/connector-auths', { ...auth, ...address })
    errors.push(await errorOf({ auth_id: id, statement: 'SELECT 1' }))
  }
  rmSync(folder, { recursive: true })
  const refused = expect.stringContaining('127.0.0.1:1: the connection was refused') as string
  expect(errors).toEqual([null, refused, refused])
})
