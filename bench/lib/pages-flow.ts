/**
 * A webhook flow that reads all pages of an API and returns the number of records, and a hand-written loop that does
 * the same.
 */
import { type Dispatcher, request } from 'undici'

export const pagesFlow = (url: string) => ({
  name: 'Pages',
  steps: [
    { ref_id: 'web1', type: 'webhook' },
    {
      ref_id: 'items',
      type: 'rest',
      config: {
        url: `${url}/items`,
        pagination: { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' },
      },
    },
    { ref_id: 'answer', type: 'respond', config: { body: '{"count": {{ items | length }}}' } },
  ],
})

export async function readByHand(url: string, dispatcher: Dispatcher): Promise<number> {
  const records: unknown[] = []
  for (let page = 1; ; page++) {
    const { body } = await request(`${url}/items${page > 1 ? `?page=${page}` : ''}`, { dispatcher })
    const { items } = (await body.json()) as { items: unknown[] }
    if (items.length === 0) return records.length
    for (const item of items) records.push(item)
  }
}
