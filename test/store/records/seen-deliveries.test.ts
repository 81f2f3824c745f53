import { expect, it } from 'vitest'
import { aFlow } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'

it('responses to deliveries are stored once each, and deleted in time', async () => {
  const store = await aStore()
  const flow = aFlow()
  const answer = { status: 200, headers: { a: 'b' }, body: 'first' }
  const kept = await store.write(() => {
    store.flows.insert(flow)
    const insert = (id: string, body: string, at: number) =>
      store.seenDeliveries.insert(flow.id, id, { ...answer, body }, at)
    return [insert('1', 'first', 10), insert('1', 'second', 20), insert('2', 'other', 30)]
  })
  const found = ['1', '2', '3'].map((id) => store.seenDeliveries.get(flow.id, id)?.body)
  await store.write(() => store.seenDeliveries.forget(30))
  const left = ['1', '2'].map((id) => store.seenDeliveries.get(flow.id, id)?.body)
  expect({ kept, found, left }).toEqual({
    kept: [true, false, true],
    found: ['first', 'other', undefined],
    left: [undefined, 'other'],
  })
})
