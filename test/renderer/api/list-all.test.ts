import { expect, test } from 'vitest'
import type { Api } from '../../../src/renderer/api/create-api.ts'
import { listAll } from '../../../src/renderer/api/list-all.ts'
import { listFlowsRoute } from '../../../src/shared/contract/flows.ts'
import { startTestApp } from '../../helpers/test-app.ts'

test('a list of more than one page is read to its end', async () => {
  const app = await startTestApp()
  const names = Array.from({ length: 401 }, (_, index) => `Flow ${index}`)
  for (const name of names) await app.call('POST', '/v1/flows', { name })
  const call = (async (_route: unknown, { query }: { query: Record<string, string> }) =>
    (await app.call('GET', `/v1/flows?${new URLSearchParams(query)}`)).json) as unknown as Api['call']
  const found = await listAll({ call }, listFlowsRoute, { sort: 'name' })
  expect(new Set(found.map(({ name }) => name)).size).toBe(names.length)
})
