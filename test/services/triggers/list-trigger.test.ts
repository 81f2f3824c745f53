import { describe, expect, it, test } from 'vitest'
import type { FlowTrigger } from '../../../src/shared/contract/reach/flow-trigger.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import { type FlowApp, type FlowAppOptions, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const MINUTE = 60_000

interface Order {
  readonly id: number
  readonly at?: string
}

/** Orders that the test changes, two per page, newest first; or a status instead of them. */
async function aShop(orders: readonly Order[] = []) {
  const shop = { orders, status: 200, asked: [] as string[], url: '', pages: 2, ignoresPage: false }
  const api = await startThirdPartyApi(({ target }, response) => {
    const url = new URL(target, 'http://shop.test')
    shop.asked.push(target)
    const page = shop.ignoresPage ? 1 : Number(url.searchParams.get('page') ?? '1')
    response.statusCode = shop.status
    response.setHeader('Content-Type', 'application/json')
    const list = shop.orders.slice((page - 1) * shop.pages, page * shop.pages)
    response.end(
      JSON.stringify(shop.status === 200 ? { orders: list } : { error: 'no, with s3cr3t-of-the-shop' }),
    )
  })
  shop.url = api.url
  return shop
}

/** A wall clock that the test sets; waits are real. */
function aWallClock() {
  const clock = {
    time: Date.parse('2026-03-01T12:00:00Z'),
    now: () => clock.time,
    monotonic: () => performance.now(),
  }
  return clock
}

async function startAt(options: FlowAppOptions = {}) {
  const clock = aWallClock()
  return { clock, app: await startFlowApp({ clock, ...options }) }
}

type Shop = Awaited<ReturnType<typeof aShop>>

/** A flow that begins with the orders of the shop, read page by page. */
async function watch(app: FlowApp, shop: Shop, config: object = {}, flow: object = {}): Promise<string> {
  const connector = await app.call('POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: shop.url,
    pagination_config: { query: '{"page": "{{ page + 1 }}"}', response_jsonpath: '$.orders' },
  })
  const { id: connectorId } = connector.json as { id: string }
  await app.call('POST', '/v1/connector-actions', {
    connector_id: connectorId,
    name: 'list_orders',
    method: 'GET',
    endpoint: '/orders',
    query: { since: '{{ input.since }}' },
    supports_automatic_pagination: true,
  })
  const trigger = { connector_id: connectorId, action: 'list_orders', key: 'id', every_minutes: 5, ...config }
  return save(app, trigger, flow)
}

async function save(app: FlowApp, config: object, flow: object = {}): Promise<string> {
  const { json, status, text } = await app.call('POST', '/v1/flows', {
    name: 'Orders',
    status: 'active',
    settings: { automatic_retries: false },
    steps: [{ ref_id: 'order', type: 'list_trigger', config }],
    ...flow,
  })
  if (status !== 201) throw new Error(text)
  return (json as Flow).id
}

/** The results of the trigger in all runs, oldest first, once they have ended. */
async function ran(app: FlowApp): Promise<unknown[]> {
  for (const { id } of app.runs()) await app.until((run) => run.id === id && run.finished_at !== null)
  return app
    .runs()
    .toReversed()
    .map((run) => app.stepsOf(run)[0]?.output)
}

async function stateOf(app: FlowApp, id: string): Promise<FlowTrigger> {
  return (await app.call('GET', `/v1/flows/${id}/trigger`)).json as FlowTrigger
}

async function stop(app: FlowApp): Promise<void> {
  app.services.runtime.beginStop()
  await app.services.runtime.stop({ graceMs: 1_000 })
  app.store.close()
}

describe('new entries of a list', () => {
  it('start a run each, oldest first, over all pages; earlier entries count as known', async () => {
    const shop = await aShop([{ id: 3 }, { id: 2 }, { id: 1 }])
    const { app, clock } = await startAt()
    const id = await watch(app, shop)
    await app.services.triggers.look()
    expect(await ran(app)).toEqual([])
    shop.orders = [{ id: 6 }, { id: 5 }, { id: 4 }, ...shop.orders]
    await app.services.triggers.look()
    clock.time += 5 * MINUTE
    await app.services.triggers.look()
    expect(await ran(app)).toEqual([{ id: 4 }, { id: 5 }, { id: 6 }])
    expect(app.runs()[0]).toMatchObject({ trigger: 'list', flow_id: id })
    expect(await stateOf(app, id)).toEqual({
      type: 'list_trigger',
      active: true,
      checked_at: '2026-03-01T12:05:00.000Z',
      found_at: '2026-03-01T12:05:00.000Z',
      found: 3,
      next_check_at: '2026-03-01T12:10:00.000Z',
      checking: false,
      failures: 0,
      error: null,
      listening: null,
      note: null,
      set_aside: [],
    })
  })

  it.each([
    [{ first: 'all' }, [1, 2, 3]],
    [{ first: 'newest', newest: 2 }, [2, 3]],
    [{ first: 'newest', newest: 9 }, [1, 2, 3]],
    [{ first: 'none' }, []],
  ])('found at the first check with %j are %j', async (config, expected) => {
    const shop = await aShop([{ id: 3 }, { id: 2 }, { id: 1 }])
    const { app, clock } = await startAt()
    await watch(app, shop, config)
    await app.services.triggers.look()
    clock.time += 5 * MINUTE
    await app.services.triggers.look()
    expect(await ran(app)).toEqual(expected.map((id) => ({ id })))
  })

  it('start one run together, with at most 1000 in each', async () => {
    const shop = await aShop(Array.from({ length: 1_001 }, (_, index) => ({ id: 1_001 - index })))
    shop.pages = 600
    const { app } = await startAt()
    await watch(app, shop, { first: 'all', runs: 'together' })
    await app.services.triggers.look()
    const lists = (await ran(app)) as { entries: Order[] }[]
    expect(lists.map(({ entries }) => [entries.length, entries[0]?.id])).toEqual([
      [1_000, 1],
      [1, 1_001],
    ])
  })

  it('are requested from the cursor minus the look-back, and found again when their cursor changes', async () => {
    const shop = await aShop([
      { id: 2, at: '2026-03-01T11:00:00Z' },
      { id: 1, at: '2026-03-01T10:00:00Z' },
    ])
    const { app, clock } = await startAt()
    await watch(app, shop, { cursor_field: 'at', look_back: 600, input: { since: '{{ since }}' } })
    await app.services.triggers.look()
    // One order has changed, one is five minutes late, and one is an hour late.
    shop.orders = [
      { id: 1, at: '2026-03-01T11:30:00Z' },
      { id: 3, at: '2026-03-01T10:55:00Z' },
      { id: 4, at: '2026-03-01T10:00:00Z' },
    ]
    clock.time += 5 * MINUTE
    await app.services.triggers.look()
    expect(await ran(app)).toEqual([shop.orders[1], shop.orders[0]])
    expect(shop.asked.filter((target) => !target.includes('page'))).toEqual([
      '/orders',
      '/orders?since=2026-03-01T10%3A50%3A00Z',
    ])
  })

  it('are in doubt, and the trigger says so, as long as the API ignores the page', async () => {
    const shop = await aShop([{ id: 2 }, { id: 1 }])
    shop.ignoresPage = true
    const { app, clock } = await startAt()
    const flow = await watch(app, shop)
    await app.services.triggers.look()
    const read = async () => (await app.call('GET', `/v1/flows/${flow}/trigger`)).json as FlowTrigger
    const doubted = (await read()).note
    shop.ignoresPage = false
    clock.time += 5 * MINUTE
    await app.services.triggers.look()
    expect({ doubted, mended: (await read()).note }).toEqual({
      doubted: expect.stringContaining('returned the first page again') as string,
      mended: null,
    })
  })

  it('whose cursor is of another kind than the others start runs, and hold up none of the next', async () => {
    const stray = [
      { id: 8, at: 'zzz' },
      { id: 9, at: '0' },
    ]
    const shop = await aShop([{ id: 1, at: '2026-03-01T10:00:00Z' }])
    const { app, clock } = await startAt()
    await watch(app, shop, { cursor_field: 'at', input: { since: '{{ since }}' } })
    await app.services.triggers.look()
    for (const orders of [stray, [...stray, { id: 2, at: '2026-03-01T11:00:00Z' }], stray]) {
      shop.orders = orders
      clock.time += 5 * MINUTE
      await app.services.triggers.look()
    }
    expect((await ran(app)).map((order) => (order as Order).id).toSorted((a, b) => a - b)).toEqual([2, 8, 9])
    expect(shop.asked.filter((target) => !target.includes('page'))).toEqual([
      '/orders',
      '/orders?since=2026-03-01T10%3A00%3A00Z',
      '/orders?since=2026-03-01T10%3A00%3A00Z',
      '/orders?since=2026-03-01T11%3A00%3A00Z',
    ])
  })

  it('that arrived while the program was off are found at its start, each once', async () => {
    const dataDir = temporaryFolder()
    const shop = await aShop([{ id: 1 }])
    const before = await startAt({ dataDir })
    await watch(before.app, shop, { first: 'all' })
    await before.app.services.triggers.look()
    expect(await ran(before.app)).toEqual([{ id: 1 }])
    await stop(before.app)
    shop.orders = [{ id: 2 }, { id: 1 }]
    const { app, clock } = await startAt({ dataDir })
    clock.time += 60 * MINUTE
    await app.services.triggers.look()
    expect(await ran(app)).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('of a paused flow wait until it is active', async () => {
    const shop = await aShop([])
    const { app, clock } = await startAt()
    const id = await watch(app, shop)
    await app.services.triggers.look()
    await app.call('PUT', `/v1/flows/${id}`, { status: 'paused' })
    shop.orders = [{ id: 1 }]
    clock.time += 60 * MINUTE
    await app.services.triggers.look()
    expect([await ran(app), (await stateOf(app, id)).active]).toEqual([[], false])
    expect((await app.call('POST', `/v1/flows/${id}/trigger/check`)).json).toMatchObject({
      status: 409,
      message: 'The flow "Orders" is paused; its trigger only looks while it is active',
    })
    await app.call('PUT', `/v1/flows/${id}`, { status: 'active' })
    await app.services.triggers.look()
    expect(await ran(app)).toEqual([{ id: 1 }])
  })

  it('are found by a check on request, and again after a reset', async () => {
    const shop = await aShop([{ id: 1 }])
    const { app } = await startAt()
    const id = await watch(app, shop, { first: 'all' })
    await app.services.triggers.look()
    shop.orders = [{ id: 2 }, { id: 1 }]
    expect((await app.call('POST', `/v1/flows/${id}/trigger/check`)).json).toMatchObject({ found: 2 })
    expect((await app.call('POST', `/v1/flows/${id}/trigger/restart`)).json).toMatchObject({ found: 2 })
    expect(await ran(app)).toEqual([{ id: 1 }, { id: 2 }, { id: 1 }, { id: 2 }])
  })

  it('start over with another list, but not with another interval', async () => {
    const shop = await aShop([{ id: 1 }])
    const { app, clock } = await startAt()
    const id = await watch(app, shop, { first: 'all' })
    await app.services.triggers.look()
    const { steps } = (await app.call('GET', `/v1/flows/${id}`)).json as Flow
    const [step] = steps
    const change = (config: object) =>
      app.call('PUT', `/v1/flows/${id}`, { steps: [{ ...step, config: { ...step?.config, ...config } }] })
    await change({ every_minutes: 1 })
    clock.time += MINUTE
    await app.services.triggers.look()
    expect([(await ran(app)).length, shop.asked.length]).toEqual([1, 4])
    await change({ key: null })
    await app.services.triggers.look()
    expect(await ran(app)).toHaveLength(2)
  })

  it('start a manual run with the newest one', async () => {
    const shop = await aShop([{ id: 2 }, { id: 1 }])
    const { app } = await startAt()
    const id = await watch(app, shop, {}, { status: 'draft' })
    await app.call('POST', `/v1/flows/${id}/run?wait=true`)
    expect(await ran(app)).toEqual([{ id: 2 }])
  })
})

describe('a check that fails', () => {
  it('is retried after growing pauses, shown without secrets, and reported by an alarm', async () => {
    const shop = await aShop([{ id: 1 }])
    const { app, clock } = await startAt()
    await app.call('POST', '/v1/env-variables', {
      name: 'shop_key',
      type: 'text',
      value: 's3cr3t-of-the-shop',
      secret: true,
    })
    const told: unknown[] = []
    app.services.events.listen((event) => event.noun === 'notice' && told.push(event))
    shop.status = 404
    const id = await watch(app, shop, { first: 'all' })
    const pauses: number[] = []
    for (let count = 0; count < 9; count++) {
      await app.services.triggers.look()
      const { next_check_at: next, failures, error } = await stateOf(app, id)
      expect({ failures, at: error?.at }).toEqual({
        failures: count + 1,
        at: new Date(clock.time).toISOString(),
      })
      expect(error?.message).toContain('404')
      expect(error?.message).not.toContain('s3cr3t')
      pauses.push((Date.parse(next ?? '') - clock.time) / 1_000)
      clock.time = Date.parse(next ?? '')
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
    expect(app.store.alarms.state(id)).toMatchObject({ kind: 'failed', isOpen: true, runId: null })
    shop.status = 200
    await app.services.triggers.look()
    expect(await stateOf(app, id)).toMatchObject({ failures: 0, error: null, found: 1 })
    expect(app.store.alarms.state(id)).toMatchObject({ isOpen: false })
  })

  it('fails its check if the list is in doubt and the trigger says so', async () => {
    const api = await startThirdPartyApi((_, response) => response.end('{"orders":[{"id":1},{"id":2}]}'))
    const shop = { ...(await aShop()), url: api.url }
    const outcomes = []
    for (const when_in_doubt of ['warn', 'fail']) {
      const { app } = await startAt()
      const id = await watch(app, shop, { first: 'all', when_in_doubt })
      await app.services.triggers.look()
      const found = (await ran(app)).length
      outcomes.push([found, (await stateOf(app, id)).error?.message?.includes('may be incomplete')])
    }
    expect(outcomes).toEqual([
      [2, undefined],
      [0, true],
    ])
  })

  it('starts nothing if entries lack the key', async () => {
    const shop = await aShop([{ id: 1 }])
    const { app } = await startAt()
    const id = await watch(app, shop, { first: 'all', key: 'number' })
    await app.services.triggers.look()
    expect([await ran(app), (await stateOf(app, id)).error?.message]).toEqual([
      [],
      'No entry of the list has the field "number"; correct "key"',
    ])
  })
})

describe('a feed', () => {
  const feed = (...ids: number[]) =>
    `<rss version="2.0"><channel><title>N</title>${ids.map((id) => `<item><guid>${id}</guid><title>T${id}</title></item>`).join('')}</channel></rss>`

  async function aSite() {
    const site = { text: feed(1), seen: [] as (string | undefined)[], type: 'application/rss+xml' }
    const api = await startThirdPartyApi(({ headers }, response) => {
      const tag = `"${site.text.length}"`
      site.seen.push(headers['if-none-match'])
      response.setHeader('ETag', tag)
      response.setHeader('Content-Type', site.type)
      response.statusCode = headers['if-none-match'] === tag ? 304 : 200
      response.end(response.statusCode === 304 ? '' : site.text)
    })
    return { site, url: `${api.url}/feed.xml` }
  }

  it('starts a run for each new article, and is only sent if it changed', async () => {
    const { site, url } = await aSite()
    const { app, clock } = await startAt()
    await save(app, { source: 'feed', url, first: 'all' })
    const look = async () => {
      await app.services.triggers.look()
      clock.time += 15 * MINUTE
    }
    await look()
    await look()
    site.text = feed(12, 11, 1)
    await look()
    expect((await ran(app)).map((entry) => (entry as { title: string }).title)).toEqual(['T1', 'T11', 'T12'])
    expect(site.seen).toEqual([undefined, `"${feed(1).length}"`, `"${feed(1).length}"`])
  })

  it('with very many articles starts runs for a part of them at each look, and misses none', async () => {
    const { site, url } = await aSite()
    site.text = feed(...Array.from({ length: 2_500 }, (_, n) => 2_500 - n))
    const { app, clock } = await startAt()
    const id = await save(app, { source: 'feed', url, first: 'all' })
    const counts: number[] = []
    for (let look = 0; look < 4; look++) {
      await app.services.triggers.look()
      counts.push((await stateOf(app, id)).found)
      clock.time += MINUTE
    }
    // Only once all records are taken in is the server asked for changes; the usual interval is 15 minutes.
    expect({ counts, asked: site.seen.map((tag) => tag !== undefined) }).toEqual({
      counts: [1_000, 2_000, 2_500, 2_500],
      asked: [false, false, false],
    })
  })

  it.each([
    ['<html>Sign in</html>', "isn't a feed: it must be RSS, Atom or JSON Feed"],
    [`<!DOCTYPE rss>${feed(1)}`, 'has a document type'],
    [`${' '.repeat(5 * 1_048_576)}${feed(1)}`, 'the feed has more than 5 MiB'],
    ['<rss>'.repeat(100_000), "isn't a feed"],
  ])('that is %.20s is reported on screen', async (text, message) => {
    const { site, url } = await aSite()
    site.text = text
    const { app } = await startAt()
    const id = await save(app, { source: 'feed', url, first: 'all' })
    await app.services.triggers.look()
    expect((await stateOf(app, id)).error?.message).toContain(message)
  })
})

test.each([
  [{}, 'connector_id', 'is required if "source" is action'],
  [{ source: 'feed' }, 'url', 'is required if "source" is feed'],
  [{ source: 'feed', url: 'https://x.test', key: '$[' }, 'key', "isn't a JSONPath"],
  [{ source: 'feed', url: 'https://x.test', look_back: 5 }, 'look_back', 'needs a "cursor_field"'],
  [{ source: 'feed', url: 'https://x.test', every_minutes: 0 }, 'every_minutes', ''],
  [{ source: 'ftp' }, 'source', ''],
])('%j is rejected on saving', async (config, field, reason) => {
  const app = await startFlowApp()
  const { status, json } = await app.call('POST', '/v1/flows', {
    name: 'X',
    steps: [{ ref_id: 'a', type: 'list_trigger', config }],
  })
  const { data } = json as { data: Record<string, string[]> }
  expect([status, data[`steps[0].config.${field}`]?.join()]).toEqual([400, expect.stringContaining(reason)])
})
