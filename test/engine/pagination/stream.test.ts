/** Pages reach the consumer as they arrive, and no earlier page is kept in memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { paginationEvent } from '../../../src/shared/contract/pagination.ts'
import { paginate } from '../../../src/main/engine/pagination/index.ts'
import { ids, paginateOptions, type Reply, runAgainst, type Wire } from '../../helpers/pagination.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const PAGE = { query: '{"page": {{ page + 1 }}}' }

test('no page is requested before the consumer wants it', async () => {
  const api = await startThirdPartyApi((_, response, count) =>
    response.end(JSON.stringify(ids(count, count))),
  )
  const run = paginate(paginateOptions({ base: api.url, endpoint: 'items' }, PAGE))
  const seen: string[] = []
  for await (const event of run) {
    seen.push(`${event.type} ${api.received.length}`)
    if (seen.length === 6) break
  }
  expect(seen).toEqual(['request 0', 'response 1', 'records 1', 'request 1', 'response 2', 'records 2'])
  expect(api.received).toHaveLength(2)
})

test('every event matches the contract', async () => {
  const failing = (_: Wire, count: number): Reply =>
    count === 2
      ? { json: {}, status: 503, headers: { 'Retry-After': '0' } }
      : count < 4
        ? ids(count, count)
        : { raw: 'no JSON' }
  const runs = [
    await runAgainst(failing, { query: '{"page": {{ page }}, "limit": 500}' }),
    await runAgainst(() => ids(1, 1), PAGE),
    await runAgainst(() => ({ json: { a: 1 } }), null),
    await runAgainst(() => [], { query: '{{' }),
  ]
  const events = runs.flatMap((run) => run.events)
  expect(new Set(events.map(({ type }) => type))).toEqual(
    new Set(['request', 'response', 'retry', 'warning', 'records', 'output', 'done', 'failed']),
  )
  for (const event of events) expect(paginationEvent.parse(event)).toEqual(withoutSymbols(event))
})

test('memory does not grow with the number of pages', async () => {
  const text = 'x'.repeat(100)
  const pageOf = (page: number) => Array.from({ length: 200 }, (_, at) => ({ id: page * 200 + at, text }))
  const api = await startThirdPartyApi(({ target }, response) => {
    api.received.length = 0
    const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1)
    response.end(JSON.stringify(page <= 400 ? pageOf(page) : []))
  })
  const heap: number[] = []
  let records = 0
  const options = paginateOptions({ base: api.url, endpoint: 'items' }, PAGE, { checkpoints: true })
  for await (const event of paginate(options)) {
    if (event.type !== 'records') continue
    records += event.records.length
    if (event.page % 100 === 99) heap.push(heapInUse())
  }
  expect({ records, heapSamples: heap.length }).toEqual({ records: 80_000, heapSamples: 4 })
  // Between the first and the last measurement are 300 pages of 30 kB; other tests share the heap.
  expect((heap.at(-1) ?? 0) - (heap[0] ?? 0)).toBeLessThan(6_000_000)
})

/** The value as JSON: what the page additionally gets is under a symbol. */
function withoutSymbols(value: object): object {
  const members = Object.entries(value) as [string, unknown][]
  return Object.fromEntries(
    members.map(([name, one]) => [name, name === 'error' ? withoutSymbols(one as object) : one]),
  )
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
