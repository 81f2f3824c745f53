import { describe, expect, it } from 'vitest'
import type { Figures } from '../../../src/shared/contract/figures/figures.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { join } from 'node:path'
import { MERGE_COUNTS, mergeCounts } from '../../helpers/merge-counts.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { startTestApp } from '../../helpers/test-app.ts'
import { aFlowRun, aWebhookRequest } from '../../helpers/records.ts'

const NOON = Date.parse('2026-03-01T12:00:00.000Z')
const HOUR_MS = 3_600_000
const hour = (hours: number) => new Date(NOON + hours * HOUR_MS).toISOString()
const steps = [
  { ref_id: 'web1', type: 'webhook' as const },
  { ref_id: 'a', type: 'set' as const, config: { values: {} } },
]

describe('GET /v1/figures', () => {
  it('returns a bucket for each hour, the totals, and those of the time before', async () => {
    const { app, flow } = await anApp()
    await addRuns(app, flow, [
      { created_at: hour(-25 + 0.25), duration_ms: 100 },
      { created_at: hour(-2 + 0.25), duration_ms: 40 },
      { created_at: hour(-2 + 0.25), duration_ms: 40 },
      { created_at: hour(-1 + 0.25), duration_ms: 900, status: 'error' },
      { created_at: hour(-0.5 + 0.25), status: 'running', finished_at: null, duration_ms: null },
    ])
    const { buckets, ...rest } = await read(app, '')
    expect(rest).toMatchObject({
      of: 'runs',
      flow_id: null,
      from: hour(-24),
      until: hour(0),
      bucket: 'hour',
      totals: { counts: { success: 2, error: 1 } },
      before: { counts: { success: 1 } },
      counted_from: null,
    })
    expect(buckets).toHaveLength(24)
    expect(buckets.slice(-3).map(({ at, counts }) => [at, counts])).toEqual([
      [hour(-3), {}],
      [hour(-2), { success: 2 }],
      [hour(-1), { error: 1 }],
    ])
    expect(Math.abs((rest.totals.p50_ms ?? 0) / 40 - 1)).toBeLessThan(0.05)
    expect(Math.abs((rest.totals.p95_ms ?? 0) / 900 - 1)).toBeLessThan(0.05)
    expect(buckets[0]).toMatchObject({ p50_ms: null, p95_ms: null })
  })

  it('counts what webhooks receive, of one flow or of all', async () => {
    const { app, flow, hook } = await anApp()
    await app.trigger(hook)
    await app.trigger({ ...hook, token: 'wrong' })
    await app.trigger({ ...hook, path: '/v1/flow-webhook/none' })
    await app.requests()
    const of = async (more: string) =>
      (await read(app, `of=webhooks&bucket=minute&from=${hour(-1)}${more}`)).totals.counts
    expect([await of(''), await of(`&flow_id=${flow}`)]).toEqual([
      { '2xx': 1, '4xx': 2 },
      { '2xx': 1, '4xx': 1 },
    ])
  })

  it('counts the records that steps read and write', async () => {
    const folder = temporaryFolder()
    const pages = await startThirdPartyApi((_request, response, count) => {
      const records = [[], [{ id: count }, { id: -count }], [{ id: count }]][count % 3]
      response.setHeader('content-type', 'application/json').end(JSON.stringify(records))
    })
    const app = await startFlowApp({ settings: { file_folders: [folder] } })
    const pagination = { query: '{"page": {{ page }}}' }
    const { flow } = await app.addFlow([
      { ref_id: 'list', type: 'rest', config: { url: `${pages.url}/`, pagination } },
      {
        ref_id: 'saved',
        type: 'write_records',
        config: { records: '{{ list }}', target: 'jsonl', path: join(folder, 'a') },
      },
    ])
    for (let time = 0; time < 2; time++) await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const { totals } = await read(app, 'of=records')
    expect(app.runs().map(({ status, error }) => [status, error])).toEqual([
      ['success', null],
      ['success', null],
    ])
    expect(totals.counts).toEqual({ read: 6, written: 6 })
  })

  it.each(['jsonl', 'csv', 'parquet', 'sqlite'])(
    'counts what merges did to %s, also after a record was set aside',
    async (target) => {
      const folder = temporaryFolder()
      const app = await startFlowApp({ settings: { file_folders: [folder] } })
      const table = target === 'sqlite' ? { table: 'items' } : {}
      expect(await mergeCounts(app, { target, path: join(folder, 'shop'), ...table })).toEqual(MERGE_COUNTS)
    },
  )

  it('counts the calls of steps by what the API returned', async () => {
    const api = await startThirdPartyApi(({ target }, response, count) => {
      const status = target === '/missing' ? 404 : count === 1 ? 429 : 200
      const wait = status === 429 ? { 'retry-after': '0' } : {}
      response.writeHead(status, { 'content-type': 'application/json', ...wait }).end('[]')
    })
    const app = await startFlowApp()
    const { flow } = await app.addFlow([
      { ref_id: 'busy', type: 'rest', config: { url: `${api.url}/busy` } },
      { ref_id: 'missing', type: 'rest', on_error: 'continue', config: { url: `${api.url}/missing` } },
    ])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const { totals } = await read(app, `of=calls&flow_id=${flow.id}`)
    expect(totals.counts).toEqual({ answered: 1, limited: 1, refused: 1 })
  })

  it('has the sizes of the data folder by hour and day, as measured last, for those who can read settings', async () => {
    const app = await startTestApp()
    await app.services.housekeeping.runOnce()
    const now = app.clock.now()
    const sizes = { database: 9e6, tables: 1, files: 5, backups: 0 }
    const measured: Record<string, number> = (await read(app, 'of=disk')).totals.counts
    await app.store.write(() => {
      app.store.figures.measure(now - 2 * 24 * HOUR_MS, { ...sizes, database: 7e6 })
      app.store.figures.measure(now + 1, sizes)
    })
    const day = await read(app, 'of=disk&bucket=hour')
    const month = await read(app, `of=disk&from=${new Date(now - 29 * 24 * HOUR_MS).toISOString()}`)
    const created = await app.call('POST', '/v1/personal-access-tokens', {
      note: 'Charts',
      scopes: ['automation:view'],
      expiration: null,
    })
    const { token } = created.json as { token: string }
    const denied = await app.call('GET', '/v1/figures?of=disk', undefined, {
      authorization: `Bearer ${token}`,
    })
    expect(measured['database']).toBeGreaterThan(10_000)
    expect({
      day: [day.totals.counts, day.buckets.filter(({ counts }) => 'database' in counts).length],
      month: month.buckets.flatMap(({ counts }) => counts['database'] ?? []),
      before: day.before?.counts,
      denied: [denied.status, denied.json],
      minutes: (await app.call('GET', '/v1/figures?of=disk&bucket=minute')).status,
    }).toMatchObject({
      day: [{ database: 9e6, tables: 1, files: 5 }, 1],
      month: [7e6, 9e6],
      before: {},
      denied: [403, { message: expect.stringContaining('company:view') as string }],
      minutes: 400,
    })
  })

  it('counts the records of a filtered list, runs in progress and tests included', async () => {
    const { app, flow } = await anApp()
    await addRuns(app, flow, [
      { created_at: hour(-3 + 0.25), title: 'Order 1' },
      {
        created_at: hour(-2 + 0.25),
        title: 'Order 2',
        status: 'running',
        finished_at: null,
        duration_ms: null,
      },
      { created_at: hour(-1 + 0.25), title: 'Return 3', trigger: 'test' },
      { created_at: hour(-30 + 0.25), title: 'Order 4' },
    ])
    await app.store.write(() => {
      for (const status of [200, 404, 405])
        app.store.webhookRequests.insert(aWebhookRequest({ flow_id: flow, at: hour(-1 + 0.25), status }))
    })
    const counted = async (query: string) => {
      const { buckets, totals, before, counted_from } = await read(app, query)
      const used = buckets.filter(({ counts }) => Object.keys(counts).length > 0).map(({ at }) => at)
      return [totals.counts, used, before, counted_from]
    }
    expect([
      await counted('filter=title,like,Order%25'),
      await counted('filter=title,like,Order%25&filter=status,eq,running'),
      await counted(`text=return&flow_id=${flow}`),
      await counted('of=webhooks&filter=status,ge,400'),
    ]).toEqual([
      [{ success: 1, running: 1 }, [hour(-3), hour(-2)], null, null],
      [{ running: 1 }, [hour(-2)], null, null],
      [{ success: 1 }, [hour(-1)], null, null],
      [{ '4xx': 2 }, [hour(-1)], null, null],
    ])
  })

  it('chooses the buckets, and rejects more of them than a chart can show', async () => {
    const { app } = await anApp()
    const chosen = async (query: string) => (await read(app, query)).bucket
    const refused = await app.call('GET', `/v1/figures?bucket=minute&from=${hour(-48)}`)
    expect([
      await chosen(`from=${hour(-2)}`),
      await chosen(`from=${hour(-7 * 24)}`),
      await chosen(`from=${hour(-30 * 24)}`),
      await chosen(`from=${hour(-30 * 24)}&bucket=hour`),
      refused.status,
      (await app.call('GET', `/v1/figures?from=${hour(0)}`)).status,
      (await app.call('GET', '/v1/figures?filter=nothing,eq,1')).status,
      (await app.call('GET', '/v1/figures?flow_id=nope')).status,
    ]).toEqual(['minute', 'hour', 'day', 'hour', 400, 400, 400, 404])
    expect(refused.json).toMatchObject({
      data: { from: ['gives 2880 buckets, but the limit is 1440'] },
    })
  })
})

async function anApp() {
  const app = await startFlowApp({ clock: { now: () => NOON - 1, monotonic: () => performance.now() } })
  const hook = await app.addFlow(steps)
  return { app, hook, flow: hook.flow.id }
}

const addRuns = (app: FlowApp, flow: string, runs: readonly Partial<FlowRun>[]) =>
  app.store.write(() => {
    for (const run of runs)
      app.store.flowRuns.insert(aFlowRun({ id: app.store.flowRuns.newId(), flow_id: flow, ...run }))
  })

async function read(app: Pick<FlowApp, 'call'>, query: string): Promise<Figures> {
  const { status, json } = await app.call('GET', `/v1/figures?${query}`)
  expect({ status, json }).toMatchObject({ status: 200 })
  return json as Figures
}
