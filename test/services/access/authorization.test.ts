import { expect, test } from 'vitest'
import { AppError } from '../../../src/shared/contract/base/errors.ts'
import { createAuthorization } from '../../../src/main/services/keeping/access/authorization.ts'
import {
  createSecret,
  hashSecret,
  WEBHOOK_TOKEN_PREFIX,
} from '../../../src/main/services/keeping/access/token-secret.ts'
import type { Store } from '../../../src/main/store/index.ts'
import { aClock, aStore } from '../../helpers/store.ts'
import { logInto, testRandom, type LogLine } from '../../helpers/test-server.ts'

async function start() {
  const store = await aStore()
  const clock = aClock()
  const logged: LogLine[] = []
  const authorization = createAuthorization({
    store,
    sessionBearers: ['page-bearer', 'owner-secret'],
    sessionUserId: store.users.local().id,
    clock,
    events: { emit: () => {} },
    log: logInto(logged),
  })
  return { store, clock, authorization, logged }
}

function aToken(store: Store, scopes: string[]): string {
  const secret = createSecret('mr_pat_', testRandom)
  store.writeNow(() =>
    store.tokens.insert({
      id: testRandom.uuid(),
      user_id: store.users.local().id,
      hash: hashSecret(secret),
      last_four: secret.slice(-4),
      note: '',
      scopes,
      flow_ids: null,
      auth_ids: null,
      expiration: null,
      created_at: '2026-01-01T00:00:00.000Z',
      created_by: null,
    }),
  )
  return secret
}

function outcomeOf(work: () => unknown): unknown {
  try {
    work()
    return 'let in'
  } catch (error) {
    return error instanceof AppError ? error.code : error
  }
}

test('the current session bearers act as the local user, and no others do', async () => {
  const { store, authorization } = await start()
  const callers = ['page-bearer', 'owner-secret'].map((bearer) =>
    authorization.authenticate(`Bearer ${bearer}`),
  )
  const local = { kind: 'session', userId: store.users.local().id, scopes: [], tokenId: null }
  expect(callers).toEqual([
    { ...local, by: 'app' },
    { ...local, by: 'command' },
  ])
  const refused = ['Bearer page-beare', 'Bearer page-bearer2', 'Bearer PAGE-BEARER', 'page-bearer', '']
  expect(refused.map((header) => outcomeOf(() => authorization.authenticate(header)))).toEqual(
    refused.map(() => 'unauthorized'),
  )
})

test('the scheme Bearer can be written in any case, followed by one space', async () => {
  const { authorization } = await start()
  const headers = [
    'bearer page-bearer',
    'BEARER page-bearer',
    'Bearer  page-bearer',
    'Bearer\tpage-bearer',
    ' Bearer page-bearer',
  ]
  expect(headers.map((header) => outcomeOf(() => authorization.authenticate(header)))).toEqual([
    'let in',
    'let in',
    'unauthorized',
    'unauthorized',
    'unauthorized',
  ])
})

test('a webhook is started with its own token, or with one that can start webhooks', async () => {
  const { store, authorization } = await start()
  const own = createSecret(WEBHOOK_TOKEN_PREFIX, testRandom)
  const other = createSecret(WEBHOOK_TOKEN_PREFIX, testRandom)
  const withToken = (secret: string | undefined, tokenHash: string | null = hashSecret(own)) =>
    outcomeOf(() => authorization.authorizeWebhook(secret && `Bearer ${secret}`, { id: 'flow', tokenHash }))
  expect({
    own: withToken(own),
    ofAnotherFlow: withToken(other),
    ofNoFlow: withToken(own, null),
    mistyped: withToken(own.replace(/.$/, '_')),
    none: withToken(undefined),
    automation: withToken(aToken(store, ['automation'])),
    manage: withToken(aToken(store, ['automation.manage'])),
    run: withToken(aToken(store, ['webhook_run'])),
    view: withToken(aToken(store, ['automation:view'])),
    others: withToken(aToken(store, ['company', 'connectors', 'connector_auth'])),
    thePage: withToken('page-bearer'),
  }).toEqual({
    own: 'let in',
    ofAnotherFlow: 'unauthorized',
    ofNoFlow: 'unauthorized',
    mistyped: 'unauthorized',
    none: 'unauthorized',
    automation: 'let in',
    manage: 'let in',
    run: 'let in',
    view: 'forbidden',
    others: 'forbidden',
    thePage: 'let in',
  })
})

test("a use that can't be recorded doesn't block a token, and is retried after a minute", async () => {
  const { store, clock, logged } = await start()
  const secret = aToken(store, ['automation'])
  store.close()
  const broken = createAuthorization({
    store: { ...store, tokens: { ...store.tokens, findByHash: () => known } },
    sessionBearers: [],
    sessionUserId: 'x',
    clock,
    events: { emit: () => {} },
    log: logInto(logged),
  })
  const known = {
    id: 'the-token',
    user_id: 'x',
    scopes: ['automation'],
    flow_ids: null,
    auth_ids: null,
    note: '',
    last_four: '',
    expiration: null,
    last_used: null,
    created_at: '',
    created_by: null,
  }
  for (const wait of [0, 30_000, 30_000]) {
    clock.advance(wait)
    broken.authenticate(`Bearer ${secret}`)
  }
  await new Promise(setImmediate)
  const line = "The last use of a token couldn't be stored"
  expect(logged.map(({ message }) => message)).toEqual([line, line])
})
