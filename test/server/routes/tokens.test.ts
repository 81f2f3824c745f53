import { expect, test } from 'vitest'
import type { IssuedToken, Token } from '../../../src/shared/contract/tokens.ts'
import { isWellFormedSecret } from '../../../src/main/services/keeping/access/token-secret.ts'
import { filesWith } from '../../helpers/data-folder.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const TOKENS = '/v1/personal-access-tokens'
const DAY_MS = 86_400_000

interface NewToken {
  readonly scopes?: string[]
  readonly expiration?: number | null
  readonly note?: string
}

async function aToken(
  app: TestApp,
  { scopes = ['automation'], expiration = null, note = 'test' }: NewToken = {},
) {
  const answer = await app.call('POST', TOKENS, { scopes, expiration, note })
  expect(answer.status).toBe(201)
  const issued = answer.json as IssuedToken
  return { ...issued, as: { authorization: `Bearer ${issued.token}` } }
}

const listed = async (app: TestApp) => (await app.call('GET', TOKENS)).json as Token[]
const worksWith = async (app: TestApp, as: { authorization: string }) =>
  (await app.call('GET', TOKENS, undefined, as)).status

test('creating a token returns 201 with its value, which is shown only once', async () => {
  const app = await startTestApp()
  const answer = await app.call('POST', TOKENS, {
    expiration: 30,
    scopes: ['automation', 'connectors.view'],
    note: 'CI',
  })
  const { id, token } = answer.json as IssuedToken
  expect({ status: answer.status, json: answer.json }).toEqual({
    status: 201,
    json: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      token: expect.stringMatching(/^mr_pat_[0-9A-Za-z]{54}$/),
      expiration: new Date(app.clock.now() + 30 * DAY_MS).toISOString(),
      note: 'CI',
      last_used: null,
      flow_ids: null,
      auth_ids: null,
      scopes: ['automation', 'connectors.view'],
    },
  })
  const list = await app.call('GET', TOKENS)
  expect(list.json).toEqual([
    {
      id,
      expiration: new Date(app.clock.now() + 30 * DAY_MS).toISOString(),
      note: 'CI',
      last_used: null,
      flow_ids: null,
      auth_ids: null,
      scopes: ['automation', 'connectors.view'],
      created_at: new Date(app.clock.now()).toISOString(),
      last_four: token.slice(-4),
      created_by: null,
    },
  ])
  expect(list.text).not.toContain(token.slice(0, -4))
})

test('each token is random and has a checksum', async () => {
  const app = await startTestApp()
  const tokens = await Promise.all(Array.from({ length: 20 }, () => aToken(app)))
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(20)
  expect(tokens.every(({ token }) => isWellFormedSecret('mr_pat_', token))).toBe(true)
  const [{ token } = { token: '' }] = tokens
  const mistyped = token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  expect(isWellFormedSecret('mr_pat_', mistyped)).toBe(false)
})

test('every field of the body is required and validated', async () => {
  const app = await startTestApp()
  const good = { expiration: null, scopes: ['automation'], note: 'x' }
  const bodies: [object, string][] = [
    [{ expiration: undefined }, 'expiration'],
    [{ expiration: 0 }, 'expiration'],
    [{ expiration: -1 }, 'expiration'],
    [{ expiration: 36_501 }, 'expiration'],
    [{ expiration: 1.5 }, 'expiration'],
    [{ expiration: '30' }, 'expiration'],
    [{ expiration: true }, 'expiration'],
    [{ expiration: 1e300 }, 'expiration'],
    [{ scopes: undefined }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: null }, 'scopes'],
    [{ scopes: 'automation' }, 'scopes'],
    [{ scopes: ['automation', 'automation'] }, 'scopes'],
    [{ scopes: ['automation:view', 'automation.view'] }, 'scopes'],
    [{ scopes: ['automation', 'everything'] }, 'scopes[1]'],
    [{ scopes: ['connectors:webhook_run'] }, 'scopes[0]'],
    [{ scopes: [7] }, 'scopes[0]'],
    [{ scopes: [''] }, 'scopes[0]'],
    [{ note: undefined }, 'note'],
    [{ note: null }, 'note'],
    [{ note: 5 }, 'note'],
    [{ note: 'x'.repeat(256) }, 'note'],
    [{ note: '🚂'.repeat(256) }, 'note'],
    [{ note: 'a\0b' }, 'note'],
    [{ note: '\ud800' }, 'note'],
    [{ colour: 'red' }, 'colour'],
    [{ user_id: 'someone' }, 'user_id'],
  ]
  const answers = await Promise.all(
    bodies.map(([change]) => app.call('POST', TOKENS, { ...good, ...change })),
  )
  expect(answers.map(({ status, json }) => [status, Object.keys((json as { data: object }).data)])).toEqual(
    bodies.map(([, field]) => [400, [field]]),
  )
  expect(await listed(app)).toEqual([])
  const longest = await app.call('POST', TOKENS, { ...good, note: '🚂'.repeat(255), expiration: 36_500 })
  expect({ status: longest.status, note: (longest.json as IssuedToken).note }).toEqual({
    status: 201,
    note: '🚂'.repeat(255),
  })
})

test('a token works until its last millisecond and not after', async () => {
  const app = await startTestApp()
  const { as } = await aToken(app, { expiration: 1 })
  app.clock.advance(DAY_MS - 1)
  const before = await worksWith(app, as)
  app.clock.advance(1)
  const after = await app.call('GET', TOKENS, undefined, as)
  expect({
    statusBefore: before,
    status: after.status,
    wwwAuthenticate: after.headers['www-authenticate'],
    json: after.json,
  }).toEqual({
    statusBefore: 200,
    status: 401,
    wwwAuthenticate: 'Bearer',
    json: {
      status: 401,
      error: 'unauthorized',
      message: 'The token expired at 2026-03-02T12:00:00.000Z; regenerate it or create another one',
      data: null,
      doc_url: 'docs/reference/errors.md#unauthorized',
    },
  })
})

test('regenerating gives the same token a new value and expiry; the old value is rejected from then on', async () => {
  const app = await startTestApp()
  const old = await aToken(app, { scopes: ['connectors'], expiration: 1, note: 'sync' })
  await worksWith(app, old.as)
  app.clock.advance(5 * DAY_MS)
  const answer = await app.call('POST', `${TOKENS}/${old.id}/regenerate`, { expiration: 10 })
  const renewed = answer.json as IssuedToken
  expect({ status: answer.status, renewed }).toEqual({
    status: 200,
    renewed: {
      id: old.id,
      token: expect.stringMatching(/^mr_pat_/),
      expiration: new Date(app.clock.now() + 10 * DAY_MS).toISOString(),
      note: 'sync',
      last_used: null,
      flow_ids: null,
      auth_ids: null,
      scopes: ['connectors'],
    },
  })
  expect(renewed.token).not.toBe(old.token)
  expect({
    old: await worksWith(app, old.as),
    renewed: await worksWith(app, { authorization: `Bearer ${renewed.token}` }),
  }).toEqual({ old: 401, renewed: 200 })
  expect((await app.call('POST', `${TOKENS}/${old.id}/regenerate`, { expiration: null })).json).toMatchObject(
    {
      expiration: null,
    },
  )
})

test('a token that regenerates itself gets its new value', async () => {
  const app = await startTestApp()
  const { id, as } = await aToken(app)
  const answer = await app.call('POST', `${TOKENS}/${id}/regenerate`, { expiration: null }, as)
  expect({ status: answer.status, statusWithOld: await worksWith(app, as) }).toEqual({
    status: 200,
    statusWithOld: 401,
  })
})

test('a revoked token is rejected at once and no longer listed', async () => {
  const app = await startTestApp()
  const [kept, revoked] = [await aToken(app), await aToken(app)]
  const answer = await app.call('DELETE', `${TOKENS}/${revoked.id}`)
  expect({
    status: answer.status,
    text: answer.text,
    withRevoked: await worksWith(app, revoked.as),
    withKept: await worksWith(app, kept.as),
  }).toEqual({ status: 204, text: '', withRevoked: 401, withKept: 200 })
  expect((await listed(app)).map(({ id }) => id)).toEqual([kept.id])
})

test('an unknown id is 404, whatever it looks like', async () => {
  const app = await startTestApp()
  const ids = ['00000000-0000-4000-8000-000000000000', 'x', '%2e%2e', 'null', 'a'.repeat(500)]
  const answers = await Promise.all(
    ids.flatMap((id) => [
      app.call('POST', `${TOKENS}/${id}/regenerate`, { expiration: null }),
      app.call('DELETE', `${TOKENS}/${id}`),
    ]),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
})

test('last_used is set by use, and at most once a minute', async () => {
  const app = await startTestApp()
  const { as } = await aToken(app)
  const lastUsed = async () => (await listed(app))[0]?.last_used
  const seen: unknown[] = [await lastUsed()]
  for (const wait of [0, 59_000, 1_000]) {
    app.clock.advance(wait)
    await worksWith(app, as)
    seen.push(await lastUsed())
  }
  const start = app.clock.now() - 60_000
  expect(seen).toEqual([
    null,
    new Date(start).toISOString(),
    new Date(start).toISOString(),
    new Date(start + 60_000).toISOString(),
  ])
})

test('tokens are listed newest first, all at once or by page on request', async () => {
  const app = await startTestApp()
  const ids: string[] = []
  for (let count = 0; count < 60; count++) {
    ids.unshift((await aToken(app, { note: `number ${count}` })).id)
    app.clock.advance(1_000)
  }
  const whole = await app.call('GET', TOKENS)
  const page = await app.call('GET', `${TOKENS}?page=2&per_page=25`)
  const filtered = await app.call('GET', `${TOKENS}?filter=note,like,number%201%25&sort=note&per_page=2`)
  const idsOf = ({ json }: { json: unknown }) => (json as Token[]).map(({ id }) => id)
  expect({ ids: idsOf(whole), total: whole.headers['x-total-count'], link: whole.headers.link }).toEqual({
    ids,
    total: '60',
    link: undefined,
  })
  expect({ ids: idsOf(page), total: page.headers['x-total-count'] }).toEqual({
    ids: ids.slice(25, 50),
    total: '60',
  })
  expect(page.headers.link).toBe(
    `<http://127.0.0.1:${app.port}${TOKENS}?page=3&per_page=25>; rel="next", ` +
      `<http://127.0.0.1:${app.port}${TOKENS}?page=1&per_page=25>; rel="prev"`,
  )
  expect({
    notes: (filtered.json as Token[]).map(({ note }) => note),
    total: filtered.headers['x-total-count'],
  }).toEqual({ notes: ['number 1', 'number 10'], total: '11' })
})

test("a token can't create, regenerate or revoke one with more scopes than its own", async () => {
  const app = await startTestApp()
  const strong = await aToken(app, { scopes: ['automation', 'company'] })
  const { as } = await aToken(app, { scopes: ['automation'] })
  const create = (scopes: string[]) => app.call('POST', TOKENS, { scopes, expiration: null, note: '' }, as)
  const answers = await Promise.all([
    create(['automation:manage', 'webhook_run', 'connector_auth:view']),
    create(['automation', 'company:view']),
    create(['connectors:view']),
    app.call('POST', `${TOKENS}/${strong.id}/regenerate`, { expiration: null }, as),
    app.call('DELETE', `${TOKENS}/${strong.id}`, undefined, as),
  ])
  expect(answers.map(({ status }) => status)).toEqual([201, 403, 403, 403, 403])
  expect(await worksWith(app, strong.as)).toBe(200)
})

test('a token that can only read or only start webhooks lists tokens and does no more', async () => {
  const app = await startTestApp()
  const target = await aToken(app, { scopes: ['automation:view'] })
  const statuses = await Promise.all(
    [
      ['automation:view', 'company.view'],
      ['webhook_run'],
      ['automation:view', 'webhook_run'],
      ['embed:manage'],
    ].map(async (scopes) => {
      const { as } = await aToken(app, { scopes })
      const body = { scopes: ['embed:view'], expiration: null, note: '' }
      const answers = [
        await app.call('GET', TOKENS, undefined, as),
        await app.call('POST', TOKENS, body, as),
        await app.call('POST', `${TOKENS}/${target.id}/regenerate`, { expiration: null }, as),
      ]
      return answers.map(({ status }) => status)
    }),
  )
  expect(statuses).toEqual([
    [200, 403, 403],
    [200, 403, 403],
    [200, 403, 403],
    [200, 201, 403],
  ])
})

test('nothing in the data folder reveals the value of a token', async () => {
  const app = await startTestApp()
  const { token } = await aToken(app)
  expect(filesWith(app.store.dataDir, token.slice(7, -4))).toEqual([])
})

test("a token can't create one that outlasts it, not even indirectly", async () => {
  const app = await startTestApp()
  const day = await aToken(app, { expiration: 2 })
  const ask = async (expiration: number | null) => {
    const { status, json } = await app.call(
      'POST',
      TOKENS,
      { scopes: ['automation'], expiration, note: '' },
      day.as,
    )
    return { status, ends: (json as IssuedToken).expiration, message: (json as { message?: string }).message }
  }
  const refused = {
    status: 403,
    message: `A token can't outlast the token that creates it, which expires at ${day.expiration}: request at most 2 days`,
  }
  expect(await ask(null)).toMatchObject(refused)
  expect(await ask(3)).toMatchObject(refused)
  expect(await ask(2)).toMatchObject({ status: 201, ends: day.expiration })

  const child = (await app.call('POST', TOKENS, { scopes: ['automation'], expiration: 1, note: '' }, day.as))
    .json as IssuedToken
  const renew = async (expiration: number | null) =>
    (await app.call('POST', `${TOKENS}/${child.id}/regenerate`, { expiration })).status
  expect({ endless: await renew(null), later: await renew(3), within: await renew(2) }).toEqual({
    endless: 403,
    later: 403,
    within: 200,
  })
  app.clock.advance(1.5 * DAY_MS)
  expect(await ask(1)).toMatchObject({
    status: 403,
    message: expect.stringContaining('less than a day left'),
  })
})

test("revoking a token revokes those created with it; regenerating doesn't", async () => {
  const app = await startTestApp()
  const parent = await aToken(app)
  const make = async (as: { authorization: string }) => {
    const { id, token } = (
      await app.call('POST', TOKENS, { scopes: ['automation'], expiration: null, note: '' }, as)
    ).json as IssuedToken
    return { id, as: { authorization: `Bearer ${token}` } }
  }
  const child = await make(parent.as)
  const grandchild = await make(child.as)
  const other = await aToken(app)
  expect((await listed(app)).find(({ id }) => id === child.id)).toMatchObject({ created_by: parent.id })

  await app.call('POST', `${TOKENS}/${parent.id}/regenerate`, { expiration: null })
  expect({ parent: await worksWith(app, parent.as), child: await worksWith(app, child.as) }).toEqual({
    parent: 401,
    child: 200,
  })
  expect((await app.call('DELETE', `${TOKENS}/${parent.id}`)).status).toBe(204)
  expect({
    child: await worksWith(app, child.as),
    grandchild: await worksWith(app, grandchild.as),
    other: await worksWith(app, other.as),
  }).toEqual({ child: 401, grandchild: 401, other: 200 })
})

test('a user has up to 500 tokens; expired and revoked ones leave room', async () => {
  const app = await startTestApp()
  const maker = await aToken(app, { scopes: ['dashboard'] })
  const create = (expiration: number | null) =>
    app.call('POST', TOKENS, { scopes: ['dashboard'], expiration, note: '' }, maker.as)
  const [first] = await Promise.all(Array.from({ length: 499 }, (_, n) => create(n < 2 ? 1 : null)))
  const full = await create(null)
  await app.call('DELETE', `${TOKENS}/${(first!.json as IssuedToken).id}`)
  const room = await create(null)
  app.clock.advance(2 * DAY_MS)
  expect([
    full.status,
    (full.json as { message: string }).message,
    room.status,
    (await create(null)).status,
  ]).toEqual([
    409,
    "You have 500 access tokens that haven't expired, the most a user can have; revoke those you don't need",
    201,
    201,
  ])
})
