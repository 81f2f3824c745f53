import { quoted } from '../../../src/shared/contract/base/message.ts'
import { expect, test } from 'vitest'
import { cached, resource } from '../../../src/renderer/api/resource.ts'
import { AppError } from '../../../src/shared/contract/base/errors.ts'
import { listFlowsRoute } from '../../../src/shared/contract/flows.ts'
import { listTokensRoute } from '../../../src/shared/contract/tokens.ts'
import { answeringApi, until } from '../../helpers/answering-api.ts'

const LIST = 'GET /v1/personal-access-tokens'
const TOKENS = resource(listTokensRoute, { nouns: ['token'] })
const records = (...ids: string[]) => ids.map((id) => ({ id }))

/** Lets all work finish that doesn't wait for the test. */
const settled = () => new Promise(setImmediate)

test('all who ask share one copy and one request', async () => {
  const { api, asked } = answeringApi({ [LIST]: records('1') })
  const same = resource(listTokensRoute, { nouns: ['token'] })
  const leave = [cached(api, TOKENS).watch(), cached(api, same).watch()]
  const [first, second] = await Promise.all([cached(api, TOKENS).read(), cached(api, same).read()])
  expect({ shared: first === second, asked }).toEqual({ shared: true, asked: [LIST] })
  for (const end of leave) end()
})

test('another query is another resource', async () => {
  const { api } = answeringApi({
    [LIST]: ({ query }: { query: { sort?: string } }) => records(query.sort ?? ''),
  })
  const sorted = resource(listTokensRoute, { nouns: ['token'], query: { sort: 'note' } })
  const [plain, bySort] = await Promise.all([cached(api, TOKENS).read(), cached(api, sorted).read()])
  expect([plain[0]?.id, bySort[0]?.id]).toEqual(['', 'note'])
})

test('changes of its noun are followed only while somebody watches', async () => {
  let tokens = records('1')
  const { api, asked, emit } = answeringApi({ [LIST]: () => tokens })
  const entry = cached(api, TOKENS)
  const leave = [entry.watch(), entry.watch()]
  await until(entry, ({ data }) => data?.length === 1)
  leave[0]?.()
  await settled()
  tokens = records('2', '1')
  emit({ type: 'created', noun: 'token', id: '2' })
  await until(entry, ({ data }) => data?.length === 2)
  leave[1]?.()
  await settled()
  const before = asked.length
  emit({ type: 'created', noun: 'token', id: '3' })
  await settled()
  expect(asked.length).toBe(before)
})

test('what was read is shown at once when its screen opens again, and read again', async () => {
  let tokens = records('1')
  const { api } = answeringApi({ [LIST]: () => tokens })
  await cached(api, TOKENS).read()
  tokens = records('2', '1')
  const leave = cached(api, TOKENS).watch()
  expect(cached(api, TOKENS).getState().data).toHaveLength(1)
  await until(cached(api, TOKENS), ({ data }) => data?.length === 2)
  leave()
})

test('a failure keeps what was read, and a later success ends it', async () => {
  let fails = false
  const { api } = answeringApi({
    [LIST]: () => {
      if (fails) throw new AppError('unavailable', quoted('Millrace does not answer'))
      return records('1')
    },
  })
  const entry = cached(api, TOKENS)
  await entry.getState().reload()
  fails = true
  await entry.getState().reload()
  const { data, failure } = entry.getState()
  expect({ data, code: failure?.code }).toEqual({ data: records('1'), code: 'unavailable' })
  await expect(entry.read()).rejects.toMatchObject({ code: 'unavailable' })
  fails = false
  await entry.getState().reload()
  expect(entry.getState().failure).toBeNull()
})

test('after a change, a request that may have missed it is aborted, and its callers get the new data', async () => {
  const slow = Promise.withResolvers<unknown>()
  const signals: AbortSignal[] = []
  const { api } = answeringApi({})
  const answers = [slow.promise, Promise.resolve(records('new'))]
  const call = ((_route: unknown, _request: unknown, signal: AbortSignal) => {
    signals.push(signal)
    return answers[signals.length - 1]
  }) as unknown as typeof api.call
  const entry = cached({ ...api, call }, TOKENS)
  const early = entry.getState().reload()
  expect(await entry.getState().after(Promise.resolve('done'))).toBe('done')
  slow.resolve(records('old'))
  await early
  expect({ data: entry.getState().data, aborted: signals.map(({ aborted }) => aborted) }).toEqual({
    data: records('new'),
    aborted: [true, false],
  })
})

test('a change that fails is thrown, and nothing is read', async () => {
  const { api, asked } = answeringApi({ [LIST]: [] })
  const change = Promise.reject(new AppError('conflict', quoted('The token is in use')))
  await expect(cached(api, TOKENS).getState().after(change)).rejects.toMatchObject({ code: 'conflict' })
  expect(asked).toEqual([])
})

test('a request is aborted once nobody waits for it, but not when another screen with the same opens', async () => {
  const signals: AbortSignal[] = []
  const { api } = answeringApi({})
  const call = ((_route: unknown, _request: unknown, signal: AbortSignal) => {
    signals.push(signal)
    return new Promise(() => undefined)
  }) as unknown as typeof api.call
  const entry = cached({ ...api, call }, TOKENS)
  const leave = entry.watch()
  leave()
  const leaveSecond = entry.watch()
  await settled()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  leaveSecond()
  await settled()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('a list as a whole has all its pages', async () => {
  const flows = records(...Array.from({ length: 354 }, (_, index) => String(index)))
  const { api } = answeringApi({
    'GET /v1/flows': ({ query }: { query: { page: string; per_page: string } }) => {
      const [page, size] = [Number(query.page), Number(query.per_page)]
      return flows.slice((page - 1) * size, page * size)
    },
  })
  const all = resource(listFlowsRoute, { nouns: ['flow'], all: true })
  expect(await cached(api, all).read()).toEqual(flows)
})
