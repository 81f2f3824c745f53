/** A stopped run resumes from what was stored: records and checkpoints. */
import { describe, expect, test } from 'vitest'
import { parseJson, writeJson } from '../../../packages/jinja/src/data/json.ts'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import {
  type Checkpoint,
  collectRecords,
  paginate,
  type PaginateOptions,
} from '../../../src/main/engine/pagination/index.ts'
import { ParkedWait } from '../../../src/main/engine/request/send-with-retry.ts'
import { foldEvents, ids, paginateOptions } from '../../helpers/pagination.ts'
import { createTestTime } from '../../helpers/test-time.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

/** Six pages with one record each, by number, cursor, Link header and last record. */
async function sixPages() {
  const api = await startThirdPartyApi(({ target }, response) => {
    const { searchParams } = new URL(target, 'http://api.test')
    const page = Number(searchParams.get('page') ?? 1)
    const last = page >= 6
    response.writeHead(200, last ? {} : { Link: `<?page=${page + 1}>; rel="next"` })
    response.end(JSON.stringify({ d: page <= 6 ? ids(page, page) : [], next: last ? null : page + 1 }))
  })
  const pages = () => api.received.map(({ target }) => Number(/page=(\d+)/.exec(target)?.[1] ?? 1))
  return { api, pages }
}

const CONFIGS: [string, Data][] = [
  ['a page number', { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.d' }],
  ['a cursor', { query: '{"page": "{{ previous_request.next }}"}', response_jsonpath: '$.d' }],
  ['a link', { endpoint: '{{ links.next }}', query: '{}', response_jsonpath: '$.d' }],
  [
    'a header',
    {
      endpoint:
        "{{ previous_request_headers.link.split('<')[1].split('>')[0] if previous_request_headers.link }}",
      query: '{}',
      response_jsonpath: '$.d',
    },
  ],
  ['a count', { query: '{"page": {{ count + 1 }}}', response_jsonpath: '$.d' }],
  ['the last record', { query: '{"page": {{ last_record.id + 1 }}}', response_jsonpath: '$.d' }],
]

describe.each(CONFIGS)('with %s', (_, config) => {
  test.each([1, 2, 3, 5, 6])('stopped after page %i, no page is requested again', async (stored) => {
    const { api, pages } = await sixPages()
    const options = paginateOptions({ base: api.url, endpoint: 'items' }, config)
    const { records, checkpoints } = await readPages(options, stored)
    const rest = await foldEvents(paginate({ ...options, checkpoints: true, resume: asStored(checkpoints) }))
    expect([...records, ...rest.records]).toEqual(ids(1, 6))
    expect(pages()).toEqual(pages().toSorted((a, b) => a - b))
    expect(new Set(pages()).size).toBe(pages().length)
    expect(rest.events.at(-1)).toMatchObject({ type: 'done', total_records: 6 })
  })
})

test('the last checkpoint knows how the list ended, and resuming from it requests nothing', async () => {
  const { api, pages } = await sixPages()
  const options = paginateOptions({ base: api.url, endpoint: 'items' }, CONFIGS[1]?.[1] ?? null)
  const { checkpoints } = await foldEvents(paginate({ ...options, checkpoints: true }))
  expect(checkpoints.at(-1)).toMatchObject({ page: 5, stopReason: 'no_next', totalRecords: 6 })
  const again = await foldEvents(paginate({ ...options, resume: asStored(checkpoints) }))
  expect(again.events).toMatchObject([{ type: 'done', total_records: 6, pages: 6, stop_reason: 'no_next' }])
  expect(pages()).toHaveLength(6)
})

test('loops over pages from before the stop are detected', async () => {
  const api = await startThirdPartyApi((_, response, count) =>
    response.end(JSON.stringify(ids(count % 3, count % 3))),
  )
  const options = paginateOptions({ base: api.url, endpoint: 'items' }, { query: '{"page": {{ page }}}' })
  const { checkpoints } = await readPages(options, 2)
  const rest = await foldEvents(paginate({ ...options, resume: asStored(checkpoints) }))
  expect(rest.error).toMatchObject({ code: 'pagination_loop', page: 3, partial_count: 3 })
})

test('records dropped by dedupe_by remain dropped', async () => {
  const api = await startThirdPartyApi((_, response, count) =>
    response.end(JSON.stringify(count < 4 ? [...ids(count, count), { id: 99 }] : [])),
  )
  const options = paginateOptions(
    { base: api.url, endpoint: 'items' },
    { query: '{"page": {{ page }}}', dedupe_by: '$.id' },
  )
  const { checkpoints } = await readPages(options, 1)
  const rest = await foldEvents(paginate({ ...options, resume: asStored(checkpoints) }))
  expect(rest.records).toEqual(ids(2, 3))
})

test('a checkpoint only contains the response if a template reads it', async () => {
  const { api } = await sixPages()
  const checkpointOf = async (config: Data) =>
    (await readPages(paginateOptions({ base: api.url, endpoint: 'items' }, config), 1)).checkpoints[0]
  expect(await checkpointOf({ query: '{"page": {{ page + 1 }}}' })).toMatchObject({
    previousRequest: null,
    previousRequestHeaders: [],
    lastRecord: null,
  })
  expect(await checkpointOf(CONFIGS[1]?.[1] ?? null)).toMatchObject({
    previousRequest: { next: 2 },
    previousRequestHeaders: [],
  })
})

test('a failed run resumes from its last good page', async () => {
  let broken = true
  const api = await startThirdPartyApi(({ target }, response) => {
    const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1)
    response.writeHead(broken && page === 3 ? 400 : 200).end(JSON.stringify(page < 5 ? ids(page, page) : []))
  })
  const options = paginateOptions({ base: api.url, endpoint: 'items' }, { query: '{"page": {{ page + 1 }}}' })
  const failed = await foldEvents(paginate({ ...options, checkpoints: true }))
  expect({ code: failed.error?.code, records: failed.records }).toEqual({
    code: 'http_error',
    records: ids(1, 2),
  })
  broken = false
  const rest = await foldEvents(paginate({ ...options, resume: asStored(failed.checkpoints) }))
  expect(rest.records).toEqual(ids(3, 4))
})

test('a long wait parks the run; it resumes with the pending attempt', async () => {
  const time = createTestTime()
  const api = await startThirdPartyApi(({ target }, response, count) => {
    const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1)
    if (count === 2) response.writeHead(429, { 'Retry-After': '90' }).end()
    else if (count === 3) response.writeHead(500).end()
    else response.end(JSON.stringify(page < 3 ? ids(page, page) : []))
  })
  const options: PaginateOptions = {
    ...paginateOptions(
      { base: api.url, endpoint: 'items' },
      { query: '{"page": {{ page + 1 }}}' },
      { ports: { clock: time.clock, sleep: time.sleep } },
    ),
    checkpoints: true,
    parkAboveMs: 60_000,
  }
  const checkpoints: Checkpoint[] = []
  const parked = await (async () => {
    for await (const event of paginate(options))
      if (event.type === 'checkpoint') checkpoints.push(event.checkpoint)
    return null
  })().catch((error: unknown) => error)
  expect(parked).toBeInstanceOf(ParkedWait)
  expect(parked).toMatchObject({ resumeAt: time.clock.now() + 90_000, nextAttempt: 2 })
  time.advance(90_000)
  const rest = await foldEvents(paginate({ ...options, resume: asStored(checkpoints), firstAttempt: 2 }))
  expect(
    rest.events.flatMap((event) => (event.type === 'request' ? [[event.page, event.attempt]] : [])),
  ).toEqual([
    [1, 2],
    [1, 3],
    [2, 1],
  ])
  expect(rest.records).toEqual(ids(2, 2))
})

describe('a flow step', () => {
  test('gets one flat list', async () => {
    const { api } = await sixPages()
    const options = paginateOptions({ base: api.url, endpoint: 'items' }, CONFIGS[0]?.[1] ?? null)
    expect(await collectRecords(paginate(options))).toEqual({
      output: ids(1, 6),
      stopReason: 'no_records',
      warnings: [],
    })
  })

  test('gets the error, never a part of the list', async () => {
    const api = await startThirdPartyApi((_, response, count) =>
      response.writeHead(count === 1 ? 200 : 403).end('[1]'),
    )
    const options = paginateOptions({ base: api.url, endpoint: 'items' }, { query: '{"page": {{ page }}}' })
    await expect(collectRecords(paginate(options))).rejects.toMatchObject({
      name: 'PaginationError',
      code: 'http_error',
      details: { page: 1, status: 403, partialCount: 1 },
    })
  })
})

/** Reads until this many pages are stored, like a process that is then killed. */
async function readPages(options: PaginateOptions, pages: number) {
  const records: Data[] = []
  const checkpoints: Checkpoint[] = []
  for await (const event of paginate({ ...options, checkpoints: true })) {
    if (event.type === 'records') records.push(...event.records)
    if (event.type === 'checkpoint') checkpoints.push(event.checkpoint)
    if (checkpoints.length === pages) break
  }
  return { records, checkpoints }
}

/** Converts to JSON and back, as on disk. */
function asStored(checkpoints: readonly Checkpoint[]) {
  const last = checkpoints.at(-1)
  if (!last) throw new Error('No checkpoint was stored')
  return {
    checkpoint: parseJson(writeJson(last)) as Checkpoint,
    fingerprints: checkpoints.flatMap(({ fingerprint }) => fingerprint ?? []),
    keys: checkpoints.flatMap(({ keys }) => keys),
  }
}
