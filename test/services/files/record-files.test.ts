import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { Float } from '../../../packages/jinja/src/data/value.ts'
import { createRecordFiles } from '../../../src/main/services/keeping/files/record-files.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { aStore } from '../../helpers/store.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'
import { isPrivate } from '../../helpers/platform.ts'

const PAGES = 120
const PER_PAGE = 100
const TEXT = 'a customer with a long story to tell, again and again. '.repeat(8)

/** Twelve thousand records of about half a kilobyte: more than a step keeps in memory. */
async function startLongList() {
  const state = { failsAt: null as number | null }
  const api = await startThirdPartyApi(({ target }, response) => {
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 0)
    const ids = page < PAGES ? Array.from({ length: PER_PAGE }, (_, index) => page * PER_PAGE + index) : []
    response.writeHead(page === state.failsAt ? 400 : 200, { 'content-type': 'application/json' })
    const items = ids.map((id) => ({ id, text: `${id} ${TEXT}`, big: 0 }))
    const text = JSON.stringify({ items, next: page + 1 < PAGES }).replaceAll(
      '"big":0',
      '"big":12345678901234567890',
    )
    response.end(text)
  })
  return { api, state, pages: () => api.received.map(({ target }) => target.split('page=')[1] ?? '0') }
}

const customers = (url: string, more: object = {}): StepInput => ({
  ref_id: 'customers',
  type: 'rest',
  config: {
    url,
    pagination: {
      query: '{% if previous_request.next %}{"page": {{ page }}}{% endif %}',
      response_jsonpath: '$.items',
    },
    ...more,
  },
})
const set = (ref_id: string, values: object): StepInput => ({ ref_id, type: 'set', config: { values } })
const hasEnded = ({ status }: FlowRun) => ['success', 'error', 'cancelled'].includes(status)

async function run(app: FlowApp, steps: readonly StepInput[], settings: object = {}, query = '') {
  const { flow } = await app.addFlow(steps, { settings })
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run${query}`)
  const id = query === '' ? (json as { flow_run_id: string }).flow_run_id : (json as FlowRun).id
  return { flow, id, run: await app.until((each) => each.id === id && hasEnded(each)) }
}

const filesOf = (app: FlowApp, id: string) => {
  const folder = join(app.store.dataDir, 'records', id)
  return existsSync(folder) ? readdirSync(folder) : []
}

describe('a list too long for memory', () => {
  it('is stored in a file of its run, encrypted, and reads like any other', async () => {
    const app = await startFlowApp()
    const { api } = await startLongList()
    const done = await run(app, [
      customers(api.url),
      set('seen', {
        count: '{{ customers | length }}',
        first: '{{ customers[0].id }}',
        last: '{{ customers[-1].id }}',
        big: '{{ customers[11999].big }}',
        some: '{{ customers[5998:6001] | map(attribute="id") | list }}',
      }),
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ customers }}', collect: '{{ item.id + index }}' },
        steps: [],
      },
      set('turns', { count: '{{ each | length }}', last: '{{ each[-1] }}' }),
    ])
    const steps = app.stepsOf(done.run)
    const outputs = Object.fromEntries(steps.map(({ ref_id, output }) => [ref_id, output]))
    const files = filesOf(app, done.id)
    const path = join(app.store.dataDir, 'records', done.id, files[0] ?? '')
    const raw = readFileSync(path)
    expect({
      status: [done.run.status, done.run.error],
      seen: outputs['seen'],
      turns: outputs['turns'],
      files,
      isPrivate: isPrivate(path),
      isSmall: raw.length < 1_000_000,
      isPlain: raw.includes('customer'),
      shown: [steps[0]?.truncated, (steps[0]!.output as unknown[]).length <= 1_000],
      warnings: steps[0]?.warnings.map(({ code }) => code),
    }).toEqual({
      status: ['success', null],
      seen: { count: 12_000, first: 0, last: 11_999, big: 12345678901234567890n, some: [5998, 5999, 6000] },
      turns: { count: 12_000, last: 23_998 },
      files: ['1.records'],
      isPrivate: true,
      isSmall: true,
      isPlain: false,
      shown: [true, true],
      warnings: ['stored_records'],
    })
  })

  it('is shown in pages, and deleted with its run', async () => {
    const app = await startFlowApp()
    const { api } = await startLongList()
    const { id, run: ended } = await run(app, [customers(api.url), set('short', {})])
    const [step, short] = app.stepsOf(ended)
    const read = (query: string, of = step) =>
      app.call('GET', `/v1/flow-runs/${id}/steps/${of!.id}/records${query}`)
    const page = await read('?page=120&per_page=100')
    const ids = (page.json as { id: number }[]).map((record) => record.id)
    expect({
      status: page.status,
      total: page.headers['x-total-count'],
      records: ids.length,
      first: ids[0],
      last: ids.at(-1),
    }).toEqual({ status: 200, total: '12000', records: 100, first: 11_900, last: 11_999 })
    expect((await read('?page=2')).headers['link']).toMatch(/page=3>; rel="next".*page=1>; rel="prev"/)
    expect({ beyond: (await read('?page=500')).json, short: (await read('', short)).status }).toEqual({
      beyond: [],
      short: 404,
    })
    expect((await app.call('GET', `/v1/flow-runs/${id}/steps/nothing/records`)).status).toBe(404)

    expect((await app.call('DELETE', `/v1/flow-runs/${id}`)).status).toBe(204)
    expect(filesOf(app, id)).toEqual([])
  })

  it("is deleted with its flow, and with a run that isn't kept", async () => {
    const app = await startFlowApp()
    const { api } = await startLongList()
    const kept = await run(app, [customers(api.url)])
    await app.call('DELETE', `/v1/flows/${kept.flow.id}`)
    await app.services.housekeeping.runOnce()
    expect(filesOf(app, kept.id)).toEqual([])
  })

  it.each(['', '?wait=true'])('is resumed at the page that failed, and complete (%o)', async (query) => {
    const app = await startFlowApp()
    const { api, state, pages } = await startLongList()
    state.failsAt = 100
    const seen = set('seen', {
      count: '{{ customers | length }}',
      last: '{{ customers[-1].id }}',
      middle: '{{ customers[10050].id }}',
    })
    const { id, run: failed } = await run(app, [customers(api.url), seen], {}, query)
    const [step] = app.stepsOf(failed)
    const soFar = await app.call('GET', `/v1/flow-runs/${id}/steps/${step!.id}/records?per_page=1`)
    // This imitates a program that was killed in the middle of writing.
    appendFileSync(
      join(app.store.dataDir, 'records', id, '1.records'),
      Buffer.from([1, 100, 0, 0, 0, 9, 9, 0, 0, 1]),
    )
    api.received.length = 0
    state.failsAt = null
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    const done = await app.until((each) => each.id === id && each.status === 'success')
    expect({
      failed: failed.error?.data,
      soFar: soFar.headers['x-total-count'],
      firstPage: pages()[0],
      pages: pages().length,
      output: app.stepsOf(done)[1]?.output,
    }).toEqual({
      failed: { page: 100, partial_count: 10_000, status: 400 },
      soFar: '10000',
      firstPage: '100',
      pages: 20,
      output: { count: 12_000, last: 11_999, middle: 10_050 },
    })
  })

  it('is named with its size if a template needs more of it than fits in memory', async () => {
    const app = await startFlowApp()
    const { api } = await startLongList()
    const { run: failed } = await run(app, [
      customers(api.url),
      // Two times six megabytes are more than a string can have, however fast the machine is.
      set('all', { text: '{{ customers | tojson }}{{ customers | tojson }}' }),
    ])
    expect(failed).toMatchObject({ status: 'error', error: { ref_id: 'all', code: 'template_error' } })
    expect(failed.error?.message).toMatch(/"customers" has 12,000 records.*loop/)
  })
})

describe('a file of records', () => {
  it('keeps every value exactly, and ignores what was half written', async () => {
    const store = await aStore()
    const files = createRecordFiles(store)
    const writer = await files.write('run', '1')
    const values = [{ a: 1n << 80n, b: new Float(1), c: -0.5, d: null, e: [{}], f: 'ü\n"' }, 'text', [[]], 7]
    await writer.append(values)
    const at = await writer.appendAside({ next: 'c' })
    const { mark } = writer
    await writer.append(['not committed'])
    await writer.close()
    const list = files.read('run', mark)
    expect({
      values: [...list],
      length: list.length,
      last: list.at(-1),
      indexes: list.map((_, index) => index),
      aside: files.readAside('run', mark, at),
    }).toEqual({ values, length: 4, last: 7, indexes: [0, 1, 2, 3], aside: { next: 'c' } })
    const again = await files.write('run', '1', mark)
    await again.append(['committed'])
    await again.close()
    expect([...files.read('run', again.mark)]).toEqual([...values, 'committed'])
    expect(() => (list as unknown[]).push(1)).toThrow('cannot be changed')
  })

  it('of a deleted run is swept', async () => {
    const store = await aStore()
    const files = createRecordFiles(store)
    for (const id of ['here', 'gone']) await (await files.write(id, '2.steps.1#0.7')).close()
    await files.sweep((id) => id === 'here')
    expect({
      runs: readdirSync(join(store.dataDir, 'records')),
      files: readdirSync(join(store.dataDir, 'records', 'here')),
    }).toEqual({ runs: ['here'], files: ['2.steps.1_0.7.records'] })
  })
})

describe('the settings', () => {
  it('limit how many pages a list of a flow or of a test can have', async () => {
    const app = await startFlowApp()
    const { api } = await startLongList()
    expect((await app.call('PUT', '/v1/settings', { pagination_max_pages: 3 })).status).toBe(200)
    const { run: failed } = await run(app, [customers(api.url)])
    const test = await app.call('POST', '/v1/pagination-tests', {
      request: { base_url: api.url, endpoint: '' },
      pagination_config: { query: '{"page": {{ page }}}', response_jsonpath: '$.items' },
    })
    const own = await app.call('POST', '/v1/pagination-tests', {
      request: { base_url: api.url, endpoint: '' },
      pagination_config: { query: '{"page": {{ page }}}', response_jsonpath: '$.items' },
      limits: { max_pages: 4 },
    })
    const last = (text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '') as { error: object }
    expect({ run: failed.error, test: last(test.text).error, own: last(own.text).error }).toMatchObject({
      run: { code: 'page_limit', data: { partial_count: 300 } },
      test: { code: 'page_limit', partial_count: 300 },
      own: { code: 'page_limit', partial_count: 400 },
    })
  })
})
