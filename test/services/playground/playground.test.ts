import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../../src/main/services/serving/playground/index.ts'

let playground: Playground
let clock = 0
beforeAll(async () => {
  playground = await startPlayground({ port: 0, now: () => clock })
})
afterAll(() => playground.close())

async function get(path: string, init?: RequestInit) {
  const response = await fetch(`${playground.url}/${path}`, init)
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const post = (path: string, body: unknown) => get(path, { method: 'POST', body: JSON.stringify(body) })

/** Follows `next` until there is none; returns the IDs in order and the number of pages with records. */
async function follow(
  read: (state: string | number) => Promise<{ ids: number[]; next: string | number | null }>,
  first: string | number,
) {
  const ids: number[] = []
  let pages = 0
  for (let state: string | number | null = first; state !== null;) {
    const page = await read(state)
    ids.push(...page.ids)
    pages += page.ids.length > 0 ? 1 : 0
    state = page.next
  }
  return { pages, count: ids.length, distinct: new Set(ids).size }
}

const idsOf = (records: { id: number }[]) => records.map(({ id }) => id)
const counted = (records: { id: number }[], next: number) => ({
  ids: idsOf(records),
  next: records.length > 0 ? next : null,
})
const SEVEN_PAGES = { pages: 7, count: 64, distinct: 64 }

describe('each of the eight styles returns 64 records in seven pages', () => {
  test('page number, nested', async () => {
    expect(
      await follow(
        async (page) => counted((await get(`contacts?page=${page}`)).body.contacts, Number(page) + 1),
        1,
      ),
    ).toEqual(SEVEN_PAGES)
  })
  test('page number, plain list', async () => {
    expect(
      await follow(async (page) => counted((await get(`orders?page=${page}`)).body, Number(page) + 1), 1),
    ).toEqual(SEVEN_PAGES)
  })
  test('cursor in the body', async () => {
    const read = async (after: string | number) => {
      const { body } = await get(`tickets${after ? `?after=${encodeURIComponent(after)}` : ''}`)
      return { ids: idsOf(body.results), next: body.paging?.next.after ?? null }
    }
    expect(await follow(read, '')).toEqual(SEVEN_PAGES)
  })
  test('another endpoint for later pages', async () => {
    const read = async (cursor: string | number) => {
      const { body } = await (cursor
        ? post('contacts/query/more', { cursor })
        : post('contacts/query', { fields: [] }))
      return { ids: idsOf(body.records), next: body.cursor }
    }
    expect(await follow(read, '')).toEqual(SEVEN_PAGES)
    expect((await post('contacts/query/more', { cursor: 'x', fields: [] })).status).toBe(400)
  })
  test('limit and one-based offset', async () => {
    const read = async (offset: string | number) =>
      counted((await get(`orders/by-offset?limit=10&offset=${offset}`)).body.rows, Number(offset) + 10)
    expect(await follow(read, 1)).toEqual(SEVEN_PAGES)
  })
  test('limit and skip', async () => {
    const read = async (skip: string | number) =>
      counted((await get(`tickets/by-skip?limit=10&skip=${skip}`)).body.data, Number(skip) + 10)
    expect(await follow(read, 0)).toEqual(SEVEN_PAGES)
  })
  test('offset and limit in headers', async () => {
    const read = async (offset: string | number) => {
      const headers = { 'X-Offset': String(offset), 'X-Limit': '10' }
      return counted((await get('contacts/by-header', { headers })).body, Number(offset) + 10)
    }
    expect(await follow(read, 0)).toEqual(SEVEN_PAGES)
  })
  test('next URL in the Link header, which rejects an additional filter', async () => {
    const read = async (address: string | number) => {
      const { headers, body } = await get(String(address))
      const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      return { ids: idsOf(body.orders), next: next?.slice(playground.url.length + 1) ?? null }
    }
    expect(await follow(read, 'orders/linked')).toEqual(SEVEN_PAGES)
    expect((await get('orders/linked?status=open&page_info=open.10')).status).toBe(400)
    expect((await follow(read, 'orders/linked?status=open')).distinct).toBe(21)
  })
})

test('the protected path requires its bearer', async () => {
  const authorization = 'Bearer playground-token'
  expect((await get('protected/contacts')).status).toBe(401)
  expect((await get('protected/contacts', { headers: { authorization } })).status).toBe(200)
})

test('the flaky path fails at every third request', async () => {
  const statuses = []
  for (let i = 0; i < 6; i++) statuses.push((await get('flaky/orders')).status)
  expect(statuses).toEqual([200, 200, 503, 200, 200, 503])
})

test('the limited path returns 429 with Retry-After and opens again after its window', async () => {
  clock = 10_000
  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await get('limited/tickets')).status)
  const refused = await get('limited/tickets')
  clock = 12_000
  expect({ statuses, refused: refused.status, later: (await get('limited/tickets')).status }).toEqual({
    statuses: [200, 200, 200, 200, 200],
    refused: 429,
    later: 200,
  })
  expect(refused.headers.get('retry-after')).toBe('2')
})

test('errors are described: unknown path, method, cursor', async () => {
  expect((await get('nothing')).status).toBe(404)
  expect((await post('tickets', {})).status).toBe(405)
  expect((await get('tickets?after=%00')).status).toBe(400)
  expect((await fetch(new URL('/elsewhere', playground.url))).status).toBe(404)
})

test('its index lists every path with a working URL', async () => {
  const { body } = await get('')
  expect(body.paths.length).toBeGreaterThan(14)
  for (const { method, url } of body.paths) {
    const response = await fetch(url.replace('/slow', '/slow?seconds=0'), { method })
    expect([404, 405]).not.toContain(url.endsWith('/contact') ? 200 : response.status)
  }
})
