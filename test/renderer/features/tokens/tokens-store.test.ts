import { quoted } from '../../../../src/shared/contract/base/message.ts'
import { expect, test } from 'vitest'
import { TOKENS } from '../../../../src/renderer/api/lists.ts'
import { cached } from '../../../../src/renderer/api/resource.ts'
import { createTokensStore } from '../../../../src/renderer/features/tokens/tokens-store.ts'
import { AppError } from '../../../../src/shared/contract/base/errors.ts'
import { answeringApi } from '../../../helpers/answering-api.ts'

const LIST = 'GET /v1/personal-access-tokens'
const CREATE = 'POST /v1/personal-access-tokens'
const secret = 'mr_pat_secret'
const ALL = { flow_ids: null, auth_ids: null }

test('the value of a token is kept until its dialog closes, and is never in the list', async () => {
  const { api } = answeringApi({
    [CREATE]: { ...aToken('1'), token: secret },
    [LIST]: [aToken('1')],
  })
  const store = createTokensStore(api)
  await store.getState().create({ expiration: 90, note: 'till', scopes: ['automation'], ...ALL })
  expect(store.getState().issued?.token).toBe(secret)
  const { data: tokens } = cached(api, TOKENS).getState()
  expect({ tokens: tokens?.length, isSecret: !JSON.stringify(tokens).includes(secret) }).toEqual({
    tokens: 1,
    isSecret: true,
  })
  store.getState().dismissIssued()
  expect(JSON.stringify(store.getState())).not.toContain(secret)
})

test('the dialog shows why a creation was rejected', async () => {
  const { api } = answeringApi({
    [CREATE]: () => {
      throw new AppError('validation', quoted('"note" is too long'))
    },
  })
  const store = createTokensStore(api)
  const draft = { expiration: null, note: 'x', scopes: ['automation'], ...ALL }
  await expect(store.getState().create(draft)).rejects.toMatchObject({ code: 'validation' })
  expect(store.getState().issued).toBeNull()
})

function aToken(id: string) {
  return {
    id,
    expiration: null,
    note: 'till',
    last_used: null,
    scopes: ['automation'],
    created_at: '2027-01-01T00:00:00Z',
    last_four: 'abcd',
    created_by: null,
  }
}
