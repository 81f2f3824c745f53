import { expect, test } from 'vitest'
import { startTestApp } from '../../helpers/test-app.ts'
import { SESSION_BEARER } from '../../helpers/test-server.ts'

const EXCHANGE = '/v1/sign-in-codes/exchange'
const NOBODY = { authorization: '' }

test('a code returns the session once, within two minutes, and never through a proxy', async () => {
  const app = await startTestApp({ settings: { expose_api: true } })
  const code = async () => {
    const { json } = await app.call('POST', '/v1/sign-in-codes')
    return { code: (json as { code: string }).code }
  }
  const exchange = async (body: unknown, headers: Record<string, string> = {}) => {
    const { status, json } = await app.call('POST', EXCHANGE, body, { ...NOBODY, ...headers })
    return [status, (json as { session?: string }).session ?? (json as { error: string }).error]
  }
  const [used, old, outside] = [await code(), await code(), await code()]
  const first = await exchange(used)
  const second = await exchange(used)
  const proxied = await exchange(outside, { 'x-forwarded-for': '203.0.113.7' })
  app.clock.advance(120_000)
  expect({
    first,
    second,
    proxied,
    old: await exchange(old),
    guessed: await exchange({ code: 'A'.repeat(43) }),
    malformed: await exchange({ code: SESSION_BEARER }),
  }).toEqual({
    first: [200, SESSION_BEARER],
    second: [409, 'conflict'],
    proxied: [403, 'forbidden'],
    old: [409, 'conflict'],
    guessed: [409, 'conflict'],
    malformed: [400, 'validation'],
  })
})

test('no token can create a code, whatever its scopes', async () => {
  const app = await startTestApp()
  const scopes = ['automation', 'company', 'connector_auth', 'connectors', 'dashboard', 'embed']
  const { json } = await app.call('POST', '/v1/personal-access-tokens', {
    scopes,
    expiration: null,
    note: '',
  })
  const { token } = json as { token: string }
  const { status } = await app.call('POST', '/v1/sign-in-codes', undefined, {
    authorization: `Bearer ${token}`,
  })
  expect(status).toBe(403)
})
