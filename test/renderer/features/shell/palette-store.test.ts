import { expect, test } from 'vitest'
import { createPaletteStore } from '../../../../src/renderer/features/shell/palette-store.ts'
import { answeringApi } from '../../../helpers/answering-api.ts'

test('every action is offered, even those beyond the first page of the list', async () => {
  const actions = Array.from({ length: 354 }, (_, index) => ({ id: `a${index}` }))
  const { api } = answeringApi({
    'GET /v1/flows': [],
    'GET /v1/connectors': [],
    'GET /v1/connector-actions': ({ query }: { query: { page: string; per_page: string } }) => {
      const [page, size] = [Number(query.page), Number(query.per_page)]
      return actions.slice((page - 1) * size, page * size)
    },
    'GET /v1/connector-auths': [],
  })
  const store = createPaletteStore(api)
  await store.getState().opened()
  expect(store.getState().actions.map(({ id }) => id)).toEqual(actions.map(({ id }) => id))
})
