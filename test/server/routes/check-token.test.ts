import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { IssuedToken, TokenCheck } from '../../../src/shared/contract/tokens.ts'
import { createSecret } from '../../../src/main/services/keeping/access/token-secret.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'
import { testRandom } from '../../helpers/test-server.ts'

const TOKENS = '/v1/personal-access-tokens'
const DAY_MS = 86_400_000

async function issue(app: TestApp, expiration: number | null = null, note = 'CI'): Promise<IssuedToken> {
  const body = { scopes: ['automation', 'connectors:view'], expiration, note }
  return (await app.call('POST', TOKENS, body)).json as IssuedToken
}

const check = async (app: TestApp, value: string) =>
  (await app.call('POST', `${TOKENS}/check`, { value })).json as TokenCheck

test('a value is reported as valid, expired, regenerated, revoked, unknown, mistyped or something else', async () => {
  const app = await startTestApp()
  const [living, endless, ending, changed, revoked] = [
    await issue(app, 30),
    await issue(app),
    await issue(app, 1),
    await issue(app),
    await issue(app, null, 'The old laptop'),
  ]
  const at = new Date(app.clock.now()).toISOString()
  const again = await app.call('POST', `${TOKENS}/${changed.id}/regenerate`, { expiration: null })
  await app.call('DELETE', `${TOKENS}/${revoked.id}`)
  app.clock.advance(2 * DAY_MS)
  const values = {
    living: living.token,
    endless: endless.token,
    expired: ending.token,
    regenerated: changed.token,
    'the new value': (again.json as IssuedToken).token,
    revoked: revoked.token,
    'of another machine': createSecret('mr_pat_', testRandom),
    mistyped: `${living.token.slice(0, -1)}_`,
    'cut short': living.token.slice(0, 40),
    password: 'correct horse battery staple',
  }
  const found = Object.fromEntries(
    await Promise.all(
      Object.entries(values).map(async ([name, value]) => {
        const { kind, state, token, ended_at } = await check(app, value)
        return [name, { kind, state, id: token?.id ?? null, ended_at }] as const
      }),
    ),
  )
  const pat = { kind: 'personal_access_token', ended_at: null }
  expect(found).toEqual({
    living: { ...pat, state: 'valid', id: living.id },
    endless: { ...pat, state: 'valid', id: endless.id },
    expired: { ...pat, state: 'expired', id: ending.id, ended_at: ending.expiration },
    regenerated: { ...pat, state: 'regenerated', id: changed.id, ended_at: at },
    'the new value': { ...pat, state: 'valid', id: changed.id },
    revoked: { ...pat, state: 'revoked', id: revoked.id, ended_at: at },
    'of another machine': { ...pat, state: 'unknown', id: null },
    mistyped: { ...pat, state: 'malformed', id: null },
    'cut short': { ...pat, state: 'malformed', id: null },
    password: { ...pat, kind: 'other', state: 'malformed', id: null },
  })
  expect(await check(app, revoked.token)).toEqual({
    kind: 'personal_access_token',
    state: 'revoked',
    message: `This token was revoked at ${at}`,
    token: {
      id: revoked.id,
      expiration: null,
      note: 'The old laptop',
      last_used: null,
      flow_ids: null,
      auth_ids: null,
      scopes: ['automation', 'connectors:view'],
      created_at: at,
      last_four: revoked.token.slice(-4),
      created_by: null,
    },
    user: { id: app.store.users.local().id, name: 'Local user' },
    flow: null,
    ended_at: at,
  })
})

test('a value is found in the header or the line it was copied with', async () => {
  const app = await startTestApp()
  const { id, token } = await issue(app)
  const pasted = [
    `Bearer ${token}`,
    `Authorization: Bearer ${token}`,
    `MILLRACE_TOKEN="${token}"`,
    ` ${token}\n`,
  ]
  const found = await Promise.all(pasted.map(async (value) => (await check(app, value)).token?.id))
  expect(found).toEqual(pasted.map(() => id))
})

test('a webhook token is reported with the flow that it starts', async () => {
  const app = await startTestApp()
  const steps = [{ ref_id: 'web1', type: 'webhook', config: {} }]
  const { id, webhook } = (await app.call('POST', '/v1/flows', { name: 'Orders', steps })).json as Flow
  const token = webhook?.token ?? ''
  expect(await check(app, token)).toMatchObject({
    kind: 'webhook_token',
    state: 'valid',
    token: null,
    flow: { id, name: 'Orders' },
  })
  await app.call('POST', `/v1/flows/${id}/webhook-token`)
  expect(await check(app, token)).toMatchObject({ kind: 'webhook_token', state: 'unknown', flow: null })
})

test('a token of a deleted user is still recognized', async () => {
  const app = await startTestApp()
  const ann = (await app.call('POST', '/v1/users', { name: 'Ann' })).json as { id: string }
  const answer = await app.call(
    'POST',
    TOKENS,
    { scopes: ['embed'], expiration: null, note: 'Ann’s' },
    { 'millrace-user-id': ann.id },
  )
  const { token } = answer.json as IssuedToken
  expect((await check(app, token)).user).toEqual({ id: ann.id, name: 'Ann' })
  await app.call('DELETE', `/v1/users/${ann.id}`)
  expect(await check(app, token)).toMatchObject({
    state: 'revoked',
    user: null,
    token: { note: 'Ann’s' },
  })
})

test("a check doesn't count as a use, stores nothing and is only for the page", async () => {
  const app = await startTestApp()
  const { token } = await issue(app)
  const stranger = createSecret('mr_pat_', testRandom)
  await check(app, token)
  await check(app, stranger)
  await app.call('POST', `${TOKENS}/check`, { value: `${stranger}${'x'.repeat(10_000)}` })
  expect((await check(app, token)).token?.last_used).toBe(null)
  const headers = { authorization: `Bearer ${token}` }
  expect((await app.call('POST', `${TOKENS}/check`, { value: token }, headers)).status).toBe(403)
  await app.store.write(() => {})
  const bytes = readdirSync(app.store.dataDir)
    .filter((name) => name.startsWith('millrace.db'))
    .map((name) => readFileSync(join(app.store.dataDir, name), 'latin1'))
    .join('')
  expect({
    stranger: bytes.includes(stranger.slice(8, 40)),
    token: bytes.includes(token.slice(8, 40)),
  }).toEqual({ stranger: false, token: false })
  expect(JSON.stringify(app.logged)).not.toContain('mr_pat_')
})

test('more than sixty checks a minute are rejected until the minute has passed', async () => {
  const app = await startTestApp()
  const ask = () => app.call('POST', `${TOKENS}/check`, { value: 'x' })
  const answers = await Promise.all(Array.from({ length: 61 }, ask))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers[0]?.headers['ratelimit']).toBe('"token-check";r=59;t=60')
  expect(refused.map(({ headers }) => [headers['retry-after'], headers['ratelimit-limit']])).toEqual([
    ['60', '60'],
  ])
  app.clock.advance(60_000)
  expect((await ask()).status).toBe(200)
})
