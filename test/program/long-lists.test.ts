import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { callServed } from '../helpers/served-api.ts'
import { untilEnded } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const PAGES = 600
const PER_PAGE = 100
/** The limit on top of the idle program; the list itself is about 30 MB of JSON. */
const MOST_GROWTH_MB = 200

/** Peak memory of the process; null if the system doesn't report it. */
function peakMb({ process: { pid } }: Served): number | null {
  const status = `/proc/${pid}/status`
  return existsSync(status) ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1_000 : null
}

describe('a list of 60,000 records', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  it('is read across a kill -9 requesting only its last pages twice, iterated in little memory, and deleted with its run', async () => {
    const asked: number[] = []
    const dies = Promise.withResolvers<void>()
    const shop = await startThirdPartyApi(({ target }, response) => {
      const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 0)
      asked.push(page)
      if (asked.length === PAGES / 2) dies.resolve()
      const ids = page < PAGES ? Array.from({ length: PER_PAGE }, (_, index) => page * PER_PAGE + index) : []
      const items = ids.map((id) => ({
        id,
        name: `Customer ${id}`,
        note: 'long enough to weigh something '.repeat(14),
      }))
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ items }))
    })
    const first = await home.serve()
    const flow = await callServed<Flow>(first, 'POST', '/v1/flows', {
      name: 'All customers',
      steps: [
        {
          ref_id: 'customers',
          type: 'rest',
          config: {
            url: shop.url,
            pagination: { query: '{"page": {{ page }}}', response_jsonpath: '$.items' },
          },
        },
        {
          ref_id: 'each',
          type: 'loop',
          config: { over: '{{ customers }}', collect: '{{ item.id }}' },
          steps: [],
        },
        { ref_id: 'even', type: 'filter', config: { over: '{{ customers }}', when: 'item.id % 2 == 0' } },
        {
          ref_id: 'sum',
          type: 'aggregate',
          config: { over: '{{ even }}', operations: [{ name: 'ids', operation: 'sum', of: 'id' }] },
        },
        {
          ref_id: 'seen',
          type: 'set',
          config: {
            values: {
              all: '{{ customers | length }}',
              turns: '{{ each | length }}',
              last: '{{ each[-1] }}',
              even: '{{ even | length }}',
              sum: '{{ sum.ids }}',
            },
          },
        },
      ],
    })
    const { flow_run_id: id } = await callServed<{ flow_run_id: string }>(
      first,
      'POST',
      `/v1/flows/${flow.id}/run`,
    )
    await dies.promise
    first.process.kill('SIGKILL')
    await first.ended
    const last = asked.at(-1) ?? 0

    const second = await home.serve()
    const idle = peakMb(second) ?? 0
    const run = await untilEnded(second, id)
    const steps = await callServed<FlowRunStep[]>(second, 'GET', `/v1/flow-runs/${id}/steps`)
    const growth = (peakMb(second) ?? 0) - idle
    const [customers] = steps
    const page = await callServed<{ id: number }[]>(
      second,
      'GET',
      `/v1/flow-runs/${id}/steps/${customers!.id}/records?page=600&per_page=100`,
    )
    const records = join(home.dataDir, 'records')
    const before = readdirSync(records)
    await fetch(`${second.url}/v1/flow-runs/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${second.bearer}` },
    })
    expect({
      status: [run.status, run.error],
      seen: steps.at(-1)?.output,
      repeated: isEndOf(last, repeatedIn(asked)),
      last: page.at(-1)?.id,
      folders: [before, readdirSync(records)],
      growth: growth < MOST_GROWTH_MB ? 'little' : `${growth} MB`,
    }).toEqual({
      status: ['success', null],
      seen: { all: 60_000, turns: 60_000, last: 59_999, even: 30_000, sum: 899_970_000 },
      repeated: true,
      last: 59_999,
      folders: [[id], []],
      growth: 'little',
    })
  })
})

const repeatedIn = (asked: readonly number[]) => asked.filter((page, at) => asked.indexOf(page) !== at)

/** Whether these pages are consecutive and end with the last one requested: they are those that weren't stored yet. */
const isEndOf = (last: number, pages: readonly number[]) =>
  pages.every((page, at) => page === last - pages.length + 1 + at)
