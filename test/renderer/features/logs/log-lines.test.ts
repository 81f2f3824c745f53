import { expect, test } from 'vitest'
import { cached } from '../../../../src/renderer/api/resource.ts'
import { logOf } from '../../../../src/renderer/features/logs/log-lines.ts'
import { answeringApi } from '../../../helpers/answering-api.ts'

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: String(from - index).padStart(3, '0') }))

test('older lines are added below and newer ones on top, each once', async () => {
  const asked: object[] = []
  const { api } = answeringApi({
    'GET /v1/logs': ({ query }: { query: { after?: string; newer_than?: string; text?: string } }) => {
      asked.push(query)
      const folder = '/var/log'
      if (query.text !== undefined) return { folder, entries: [] }
      if (query.newer_than !== undefined) return { folder, entries: lines(402, 2) }
      return { folder, entries: query.after === undefined ? lines(400, 200) : lines(200, 3) }
    },
  })
  const log = cached(api, logOf({ level: 'error' }))
  await log.read()
  const { more, reload } = log.getState()
  await Promise.all([more(), more()])
  await reload()
  await more()
  const nothing = await cached(api, logOf({ level: 'error', text: 'nothing' })).read()
  const ids = log.getState().data?.entries.map(({ id }) => id) ?? []
  expect({ count: ids.length, first: ids[0], last: ids.at(-1), asked, nothing }).toEqual({
    count: 205,
    first: '402',
    last: '198',
    asked: [
      { level: 'error', per_page: '200' },
      { level: 'error', per_page: '200', after: '201' },
      { level: 'error', per_page: '200', newer_than: '400' },
      { level: 'error', per_page: '200', text: 'nothing' },
    ],
    nothing: { entries: [], folder: '/var/log', isWhole: true },
  })
})
