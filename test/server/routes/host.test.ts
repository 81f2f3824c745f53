import { request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { onTestFinished, expect, test } from 'vitest'
import type { LiveEvent } from '../../../src/shared/contract/host.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { session } from '../../helpers/test-server.ts'

test('health and meta are public', async () => {
  const app = await startTestApp()
  const [health, meta] = [
    await app.call('GET', '/v1/health', undefined, { authorization: '' }),
    await app.call('GET', '/v1/meta', undefined, { authorization: '' }),
  ]
  expect({
    healthStatus: health.status,
    healthJson: health.json,
    metaStatus: meta.status,
    metaJson: meta.json,
  }).toEqual({
    healthStatus: 200,
    healthJson: { status: 'ok', problems: [] },
    metaStatus: 200,
    metaJson: {
      name: 'Millrace',
      version: '0.0.0-test',
      api_version: 'v1',
      url: 'http://127.0.0.1:4747',
      playground_url: null,
      public_url: null,
      started_at: '2026-03-01T12:00:00.000Z',
    },
  })
})

test("health reports problems: a database that can't be written, until it can; secrets that stay locked", async () => {
  const app = await startTestApp()
  const health = async (one: TestApp) => (await one.call('GET', '/v1/health')).json
  const full = app.store.write(() => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  })
  await expect(full).rejects.toMatchObject({ kind: 'full' })
  const during = await health(app)
  await app.store.write(() => undefined)
  const locked = await startTestApp({ store: { masterKey: null } })
  expect({ during, after: await health(app), locked: await health(locked) }).toEqual({
    during: { status: 'degraded', problems: ['disk'] },
    after: { status: 'ok', problems: [] },
    locked: { status: 'degraded', problems: ['secrets'] },
  })
})

/** The stream of live changes; `next` waits for one more. */
async function listen(app: TestApp, headers: Record<string, string> = session) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ port: app.port, path: '/v1/events', headers, agent: false }, resolve)
    outgoing.once('error', reject)
    outgoing.end()
  })
  onTestFinished(() => void answer.destroy())
  const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
  return {
    type: answer.headers['content-type'],
    async next(): Promise<LiveEvent | undefined> {
      const { value, done } = await lines.next()
      return done ? undefined : (JSON.parse(value) as LiveEvent)
    },
  }
}

test('every change of a record is sent to the open streams, once it is stored', async () => {
  const app = await startTestApp({ catalogue: [] })
  const stream = await listen(app)
  const idOf = ({ json }: { json: unknown }) => (json as { id: string }).id
  const connector = idOf(await app.call('POST', '/v1/connectors', { name: 'Shop' }))
  const needed = { connector_id: connector, name: 'x' }
  const action = idOf(
    await app.call('POST', '/v1/connector-actions', { ...needed, method: 'GET', endpoint: '' }),
  )
  const auth = idOf(await app.call('POST', '/v1/connector-auths', { ...needed, auth_type: 'none' }))
  await app.call('PUT', `/v1/connector-auths/${auth}`, { name: 'y' })
  await app.call('DELETE', `/v1/connector-auths/${auth}`)
  await app.call('PUT', `/v1/connector-actions/${action}`, { title: 'y' })
  await app.call('DELETE', `/v1/connector-actions/${action}`)
  await app.call('PUT', `/v1/connectors/${connector}`, { name: 'y' })
  const copy = idOf(await app.call('POST', `/v1/connectors/${connector}/copy`))
  await app.call('DELETE', `/v1/connectors/${connector}`)
  await app.call('PUT', '/v1/settings', { theme: 'dark' })
  const body = { scopes: ['automation'], expiration: null, note: '' }
  const token = idOf(await app.call('POST', '/v1/personal-access-tokens', body))
  await app.call('POST', `/v1/personal-access-tokens/${token}/regenerate`, { expiration: null })
  await app.call('DELETE', `/v1/personal-access-tokens/${token}`)
  const expected = [
    ['ready', null, null],
    ['created', 'connector', connector],
    ['created', 'connector_action', action],
    ['created', 'connector_auth', auth],
    ['updated', 'connector_auth', auth],
    ['deleted', 'connector_auth', auth],
    ['updated', 'connector_action', action],
    ['deleted', 'connector_action', action],
    ['updated', 'connector', connector],
    ['created', 'connector', copy],
    ['deleted', 'connector', connector],
    ['updated', 'settings', null],
    ['created', 'token', token],
    ['updated', 'token', token],
    ['deleted', 'token', token],
  ]
  const seen: unknown[] = []
  while (seen.length < expected.length) {
    const event = await stream.next()
    seen.push([event?.type, event?.noun, event?.id])
  }
  expect({ type: stream.type, seen }).toEqual({ type: 'application/x-ndjson; charset=utf-8', seen: expected })
})

test('HEAD describes the stream and ends', async () => {
  const app = await startTestApp()
  const answer = await app.call('HEAD', '/v1/events')
  expect({ status: answer.status, text: answer.text, contentType: answer.headers['content-type'] }).toEqual({
    status: 200,
    text: '',
    contentType: 'application/x-ndjson; charset=utf-8',
  })
})

test('revoking a token ends the streams that were opened with it', async () => {
  const app = await startTestApp()
  const body = { scopes: ['automation:view'], expiration: null, note: '' }
  const { id, token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  const stream = await listen(app, { authorization: `Bearer ${token}` })
  const first = await stream.next()
  await app.call('DELETE', `/v1/personal-access-tokens/${id}`)
  // Its own use is announced, and nothing after that.
  const others = []
  for (let next = await stream.next(); next !== undefined; next = await stream.next())
    if (!('last_used' in next)) others.push(next)
  expect({ first: first?.type, others }).toEqual({ first: 'ready', others: [] })
})
