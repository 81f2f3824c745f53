import { expect, test } from 'vitest'
import { createTokensStore } from '../../../../src/renderer/features/tokens/tokens-store.ts'
import { AppError } from '../../../../src/shared/contract/base/errors.ts'
import { answeringApi, until } from '../../../helpers/answering-api.ts'

const LIST = 'GET /v1/personal-access-tokens'
const CREATE = 'POST /v1/personal-access-tokens'
const secret = 'mr_pat_secret'

test('the value of a token is kept until its dialog closes, and is never in the list', async () => {
  const { api } = answeringApi({
    [CREATE]: { ...aToken('1'), token: secret },
    [LIST]: [aToken('1')],
  })
  const store = createTokensStore(api)
  await store.getState().create({ expiration: 90, note: 'till', scopes: ['automation'] })
  expect(store.getState().issued?.token).toBe(secret)
  expect(JSON.stringify(store.getState().tokens)).not.toContain(secret)
  store.getState().dismissIssued()
  expect(JSON.stringify(store.getState())).not.toContain(secret)
})

test('the list follows live changes only while its screen is open', async () => {
  let tokens = [aToken('1')]
  const { api, asked, emit } = answeringApi({ [LIST]: () => tokens })
  const store = createTokensStore(api)
  const close = store.getState().opened()
  await until(store, (state) => state.tokens?.length === 1)
  tokens = [aToken('2'), aToken('1')]
  emit({ type: 'created', noun: 'token', id: '2' })
  await until(store, (state) => state.tokens?.length === 2)
  close()
  const before = asked.length
  emit({ type: 'created', noun: 'token', id: '3' })
  await new Promise(setImmediate)
  expect(asked.length).toBe(before)
})

test('a failure keeps the loaded list, and the dialog shows why a creation was rejected', async () => {
  let fails = false
  const { api } = answeringApi({
    [LIST]: () => {
      if (fails) throw new AppError('unavailable', 'Millrace does not answer')
      return [aToken('1')]
    },
    [CREATE]: () => {
      throw new AppError('validation', '"note" is too long')
    },
  })
  const store = createTokensStore(api)
  await store.getState().reload()
  fails = true
  await store.getState().reload()
  expect({ tokens: store.getState().tokens?.length, code: store.getState().failure?.code }).toEqual({
    tokens: 1,
    code: 'unavailable',
  })
  const draft = { expiration: null, note: 'x', scopes: ['automation'] }
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
