/**
 * Shapes of APIs × faults planted in the middle of their lists. No fault may end as a list that looks complete, and no
 * shape without a fault may be doubted. The
 * long form (`npm run test:doubt`) plants every fault in every shape, the short one every fourth.
 */
import { afterAll, describe, expect, test } from 'vitest'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import { ids, type Reply, runAgainst, type Wire } from '../../helpers/pagination.ts'

const PAGES = 4
const SIZE = 3
const TOTAL = PAGES * SIZE

interface Shape {
  readonly config: Data
  /** The number of the page that a request asks for, from 1. */
  readonly pageOf: (request: Wire) => number
  /** What a page has besides its list. */
  readonly beside: (page: number) => object
  /** Null if the response itself is the list. */
  readonly key: string | null
  readonly headers?: (page: number, base: string) => Record<string, string>
}

const number = (name: string) => (request: Wire) => Number(request.query[name] ?? 1)
const offset = (name: string) => (request: Wire) => Number(request.query[name] ?? 0) / SIZE + 1
const cursor = (name: string) => (request: Wire) => Number(String(request.query[name] ?? 'c1').slice(1))
const next = (page: number) => (page < PAGES ? `c${page + 1}` : null)

const ENVELOPES: Record<string, (page: number) => object> = {
  bare: () => ({}),
  coded: () => ({ code: 0, msg: 'ok' }),
  counted: (page) => ({ page, total: TOTAL }),
  meta: (page) => ({ meta: { page, total_pages: PAGES, total_count: TOTAL } }),
  flagged: (page) => ({ has_more: page < PAGES, object: 'list' }),
  kinds: () => ({ kind: 'list', etag: 'e' }),
}

function shapes(): Map<string, Shape> {
  const all = new Map<string, Shape>()
  for (const key of ['data', 'items', 'results', 'value'])
    for (const [name, beside] of Object.entries(ENVELOPES)) {
      const path = { response_jsonpath: `$.${key}` }
      const add = (kind: string, shape: Omit<Shape, 'key'>) =>
        all.set(`${kind} ${name} ${key}`, { key, ...shape })
      const cursored = (page: number) => ({ ...beside(page), next_cursor: next(page) })
      add('page', { config: { ...path, query: '{"page": {{ page + 1 }}}' }, pageOf: number('page'), beside })
      add('offset', {
        config: { ...path, query: '{"offset": {{ count }}}' },
        pageOf: offset('offset'),
        beside,
      })
      add('cursor', {
        config: { ...path, query: '{"cursor": "{{ previous_request.next_cursor }}"}' },
        pageOf: cursor('cursor'),
        beside: cursored,
      })
      add('nested cursor', {
        config: { ...path, query: '{"after": "{{ previous_request.paging.next.after }}"}' },
        pageOf: cursor('after'),
        beside: (page) => ({
          ...beside(page),
          ...(page < PAGES ? { paging: { next: { after: next(page) } } } : {}),
        }),
      })
      add('link', {
        config: { ...path, endpoint: '{{ previous_request.next }}', query: '{}' },
        pageOf: number('page'),
        beside: (page) => ({ ...beside(page), next: page < PAGES ? `?page=${page + 1}` : null }),
      })
      if (name === 'flagged')
        add('guarded', {
          config: {
            ...path,
            query: `{{ '{"page": ' ~ (page + 1) ~ '}' if previous_request.has_more else '' }}`,
          },
          pageOf: number('page'),
          beside,
        })
      if (name === 'meta')
        add('guarded', {
          config: {
            ...path,
            query: '{"page": "{{ page + 1 if page < previous_request.meta.total_pages else \'\' }}"}',
          },
          pageOf: number('page'),
          beside,
        })
      if (name === 'counted')
        add('guarded', {
          config: {
            ...path,
            query: '{"offset": "{{ count if count < previous_request.total else \'\' }}"}',
          },
          pageOf: offset('offset'),
          beside,
        })
    }
  all.set('page array', {
    key: null,
    config: { query: '{"page": {{ page + 1 }}}' },
    pageOf: number('page'),
    beside: () => ({}),
  })
  all.set('link header array', {
    key: null,
    config: { endpoint: '{{ links.next }}', query: '{}' },
    pageOf: number('page'),
    beside: () => ({}),
    headers: (page, base) => (page < PAGES ? { Link: `<${base}/items?page=${page + 1}>; rel="next"` } : {}),
  })
  return all
}

const recordsOf = (page: number) => ids((page - 1) * SIZE + 1, Math.min(TOTAL, page * SIZE))

function bodyOf(shape: Shape, page: number): unknown {
  return shape.key === null ? recordsOf(page) : { ...shape.beside(page), [shape.key]: recordsOf(page) }
}

const ERRORS: readonly unknown[] = [
  { message: 'Internal server error' },
  { errcode: 40001, errmsg: 'invalid credential' },
  { code: 500, msg: 'failed', data: null },
  { fault: { faultstring: 'boom' } },
  { errorMessages: ['boom'] },
  { exception: 'NullPointer', status: 500 },
  { Success: false },
  { result: 'error' },
  { status: 'failure' },
  { status: 'fail', reason: 'boom' },
  { error_description: 'expired' },
  { Error: 'boom', Response: 'False' },
  { error: 'boom' },
  'Service unavailable',
  false,
]

/** The response with a fault; undefined if the shape can't have it. */
type Fault = (shape: Shape, page: number) => unknown
const without = (shape: Shape, page: number, list: unknown): unknown =>
  shape.key === null ? list : { ...shape.beside(page), [shape.key]: list }

const FAULTS: Record<string, Fault> = {
  ...Object.fromEntries(ERRORS.map((body) => [`error ${JSON.stringify(body)}`, () => body])),
  // An API can write an empty first page this way.
  'list null': (shape, page) =>
    (page > 1 || saysOtherwise(shape, page)) && !saysEnd(shape, page)
      ? without(shape, page, null)
      : undefined,
  'list missing': (shape, page) =>
    shape.key === null || saysEnd(shape, page) ? undefined : shape.beside(page),
  'list text': (shape, page) => without(shape, page, 'Max rate exceeded'),
  'page repeated': (shape, page) => (page > 1 ? without(shape, page, recordsOf(page - 1)) : undefined),
  'empty page': (shape, page) => (saysOtherwise(shape, page) ? without(shape, page, []) : undefined),
}

/**
 * A page without records before a valid cursor is allowed. Only a total, or the end of a counted list, contradicts it.
 */
function saysOtherwise(shape: Shape, page: number): boolean {
  const beside = JSON.stringify(shape.beside(page))
  const isCounted = !JSON.stringify(shape.config).includes('previous_request')
  return beside.includes('"total') || (isCounted && beside.includes('"has_more":true'))
}

/** A page without its list is a true end if it says so. */
function saysEnd(shape: Shape, page: number): boolean {
  return JSON.stringify(shape.beside(page)).includes('"has_more":false')
}

const counts = { shapes: 0, alarms: 0, runs: 0, failed: 0, doubted: 0, whole: 0, silent: 0 }
afterAll(() => console.log(`Lists in doubt: ${JSON.stringify(counts)}`))

async function read(shape: Shape, fault?: { readonly at: number; readonly reply: unknown }) {
  return runAgainst(
    (request, _, base): Reply => {
      const page = shape.pageOf(request)
      const json = fault?.at === page ? fault.reply : bodyOf(shape, page)
      return { json, headers: shape.headers?.(page, base) ?? {} }
    },
    shape.config,
    { limits: { backoff_base_ms: 0, max_attempts: 2, rate_limit_patience_ms: 0, max_empty_pages: 5 } },
  )
}

const isLong = process.env['MILLRACE_DOUBT'] === 'long'

describe('a list without faults is complete, with a fault it says so', () => {
  test.each([...shapes()])(
    '%s',
    async (name, shape) => {
      counts.shapes++
      const plain = await read(shape)
      const end = plain.events.at(-1)
      if (end?.type !== 'done' || end.complete !== true) counts.alarms++
      expect({ name, records: plain.records, warnings: plain.warnings, end }).toMatchObject({
        records: ids(1, TOTAL),
        warnings: [],
        end: { complete: true },
      })
      const silent: string[] = []
      const all = Object.entries(FAULTS).flatMap(([fault, replyOf]) =>
        Array.from({ length: PAGES }, (_, index) => ({
          fault,
          at: index + 1,
          reply: replyOf(shape, index + 1),
        })),
      )
      const planted = all.filter(({ reply }) => reply !== undefined)
      const faults = planted.filter((_, index) => isLong || (index + counts.shapes) % 16 === 0)
      for (const { fault, at, reply } of faults) {
        counts.runs++
        const { records, events, error } = await read(shape, { at, reply })
        const last = events.at(-1)
        if (error !== undefined) counts.failed++
        else if (last?.type === 'done' && last.complete === 'in_doubt') counts.doubted++
        else if (JSON.stringify(records) === JSON.stringify(ids(1, TOTAL))) counts.whole++
        else silent.push(`${fault} on page ${at}`)
      }
      counts.silent += silent.length
      expect({ name, silent }).toEqual({ name, silent: [] })
    },
    60_000,
  )
})

test('a list that fails in doubt is resumed with the corrected configuration', async () => {
  const config = (path: string): Data => ({
    response_jsonpath: '$.d',
    query: `{"after": "{{ previous_request.${path} }}"}`,
  })
  const answer = ({ query }: Wire): Reply =>
    query['after'] === 'b'
      ? { json: { d: ids(2, 2), next: { after: null } } }
      : { json: { d: ids(1, 1), next: { after: 'b' } } }
  const failed = await runAgainst(answer, config('next.aftr'), { checkpoints: true, whenInDoubt: 'fail' })
  const [warning] = failed.events.filter((event) => event.type === 'warning')
  expect({ code: failed.error?.code, records: failed.records, warning }).toMatchObject({
    code: 'list_in_doubt',
    records: ids(1, 1),
    warning: {
      code: 'cursor_never_seen',
      in_doubt: true,
      message: expect.stringContaining('"next.after"') as string,
    },
  })
  const checkpoint = failed.checkpoints.at(-1)!
  const fingerprints = failed.checkpoints.flatMap(({ fingerprint }) => fingerprint ?? [])
  const rest = await runAgainst(answer, config('next.after'), {
    whenInDoubt: 'fail',
    resume: { checkpoint, fingerprints },
  })
  expect({ records: rest.records, error: rest.error, end: rest.events.at(-1) }).toMatchObject({
    records: ids(2, 2),
    error: undefined,
    end: { type: 'done', complete: true },
  })
})

describe('the end of a list is judged by what its pages show', () => {
  const JSON_TYPE = { 'Content-Type': 'application/json' }
  const cursored = (path: string): Data => ({
    response_jsonpath: path,
    query: '{"cursor": "{{ previous_request.next }}"}',
  })
  const counted = (path: string): Data => ({ response_jsonpath: path, query: '{"page": {{ page + 1 }}}' })
  const offset = (path: string): Data => ({ response_jsonpath: path, query: '{"offset": {{ count }}}' })
  const bare: Data = { query: '{"page": {{ page + 1 }}}' }
  const nodes = (from: number, to: number) => ids(from, to).map((node) => ({ node }))

  const inDoubt = (code: string) => ({ end: { complete: 'in_doubt' }, codes: [code] })
  const failed = (code: string) => ({ end: { type: 'failed', error: { code } } })
  const complete = { end: { complete: true }, codes: [] }

  test.each<[string, Data, readonly unknown[], object]>([
    // Values in place of the list, on a page that is followed by another.
    ...[{}, '', false].map((nothing): [string, Data, unknown[], object] => [
      `${JSON.stringify(nothing)} instead of a list that goes on`,
      cursored('$.rows'),
      [
        { rows: ids(1, 2), next: 'b' },
        { rows: nothing, next: 'c' },
        { rows: ids(3, 3), next: null },
      ],
      inDoubt('list_missing'),
    ]),
    [
      'an empty object, in a response that lacks all else that pages have',
      counted('$.data'),
      [{ object: 'list', data: ids(1, 2) }, { data: {} }],
      inDoubt('list_missing'),
    ],
    [
      'an empty object at the end of a counted list',
      counted('$.data'),
      [
        { object: 'list', data: ids(1, 2) },
        { object: 'list', data: {} },
      ],
      complete,
    ],
    // A list of errors.
    ['a list of error texts', bare, [ids(1, 2), ['Rate exceeded'], []], failed('error_in_answer')],
    [
      'a list with an error object',
      bare,
      [ids(1, 2), [{ errorCode: 'LIMIT_EXCEEDED', message: 'no' }], []],
      failed('error_in_answer'),
    ],
    [
      'an error in the list of an envelope',
      cursored('$.rows'),
      [
        { rows: ids(1, 2), next: 'b' },
        { rows: [{ error: 'boom' }], next: null },
      ],
      failed('error_in_answer'),
    ],
    [
      'records with other keys, one of which is also a word of errors',
      cursored('$.rows'),
      [
        { rows: [{ name: 'a' }, { name: 'b' }], next: 'b' },
        { rows: [{ title: 'c', size: 3 }], next: null },
      ],
      complete,
    ],
    [
      'messages',
      cursored('$.rows'),
      [
        { rows: [{ message: 'a' }, { message: 'b' }], next: 'b' },
        { rows: [{ message: 'c' }], next: null },
      ],
      complete,
    ],
    // Pages that repeat although the cursor moves on.
    [
      'the first page, under a later cursor',
      cursored('$.rows'),
      [
        { rows: ids(1, 2), next: 'b' },
        { rows: ids(3, 4), next: 'c' },
        { rows: ids(1, 2), next: null },
      ],
      inDoubt('previous_page_again'),
    ],
    [
      'equal values, under a later cursor',
      cursored('$.rows'),
      [
        { rows: [{ v: 0 }, { v: 0 }], next: 'b' },
        { rows: [{ v: 1 }, { v: 0 }], next: 'c' },
        { rows: [{ v: 0 }, { v: 0 }], next: null },
      ],
      complete,
    ],
    [
      'a full page again, whole, for another cursor',
      cursored('$.rows'),
      [
        { rows: ids(1, 2), next: 'b' },
        { rows: ids(3, 4), next: 'c' },
        { rows: ids(3, 4), next: 'c' },
      ],
      inDoubt('repeated_page'),
    ],
    // Totals.
    [
      'a total in the object with the list, next to a page number',
      counted('$.photos.photo'),
      [
        { photos: { page: '1', total: '4', photo: ids(1, 2) } },
        { photos: { page: '2', total: '4', photo: [] } },
      ],
      inDoubt('more_announced'),
    ],
    [
      'an amount in the object with the list',
      counted('$.order.items'),
      [{ order: { total: 99, items: ids(1, 2) } }, { order: { total: 99, items: [] } }],
      complete,
    ],
    [
      'a named total in the object with the list, of one record per element',
      {
        response_jsonpath: '$.data.users.edges[*].node',
        query: '{"after": "{{ previous_request.data.users.cursor }}"}',
      },
      [
        { data: { users: { totalCount: 4, cursor: 'b', edges: nodes(1, 2) } } },
        { data: { users: { totalCount: 4, cursor: null, edges: nodes(3, 3) } } },
      ],
      inDoubt('more_announced'),
    ],
    [
      'the total of groups that have several records each',
      counted('$.groups[*].items[*]'),
      [
        { total: 9, groups: [{ items: ids(1, 2) }, { items: ids(3, 4) }] },
        { total: 9, groups: [] },
      ],
      complete,
    ],
    [
      'a total that becomes 0 on an empty page',
      offset('$.rows'),
      [
        { total: 4, rows: ids(1, 2) },
        { total: 0, rows: [] },
      ],
      inDoubt('more_announced'),
    ],
    [
      'a total that becomes 0 after all were read',
      offset('$.rows'),
      [
        { total: 2, rows: ids(1, 2) },
        { total: 0, rows: [] },
      ],
      complete,
    ],
    [
      'an API that reports its end as an error, after all were read',
      counted('$.Search'),
      [
        { Search: ids(1, 2), totalResults: '2', Response: 'True' },
        { Response: 'False', Error: 'Not found!' },
      ],
      complete,
    ],
    [
      'an error after a page that counts its own records',
      cursored('$.rows'),
      [{ count: 2, rows: ids(1, 2), next: 'b' }, { Message: 'no' }],
      failed('error_in_answer'),
    ],
    [
      'the first page again, which counts its own records',
      counted('$.rows'),
      [{ count: 2, rows: ids(1, 2) }],
      inDoubt('first_page_again'),
    ],
    [
      'a flag after pages that count their own records',
      counted('$.rows'),
      [
        { count: 2, has_more: true, rows: ids(1, 2) },
        { count: 0, has_more: true, rows: [] },
      ],
      inDoubt('more_announced'),
    ],
    [
      'a total that all records are on the first page of, which an API without pages repeats',
      counted('$.rows'),
      [{ total: 2, rows: ids(1, 2) }],
      { end: { complete: true }, codes: ['first_page_again'] },
    ],
    // Empty lists in which a path matches nothing.
    [
      'an empty list at any depth',
      counted('$..rows[*]'),
      [{ a: { rows: ids(1, 2) } }, { a: { rows: [] } }],
      complete,
    ],
    [
      'null in the place of a list at any depth',
      counted('$..rows[*]'),
      [{ a: { rows: ids(1, 2) } }, { a: { rows: null } }],
      inDoubt('list_missing'),
    ],
    // Records next to a failure.
    ...[
      { errors: [{ message: 'no access' }] },
      { error: 'partial results' },
      { success: false },
      { timed_out: true },
      { meta: { partial: true } },
      { _shards: { total: 5, failed: 2 } },
    ].map((beside): [string, Data, unknown[], object] => [
      `records next to ${JSON.stringify(beside)}`,
      cursored('$.rows'),
      [
        { rows: ids(1, 2), next: 'b' },
        { rows: ids(3, 3), next: null, ...beside },
      ],
      inDoubt('partial_page'),
    ]),
    [
      'an empty list next to errors',
      cursored('$.data.rows'),
      [
        { data: { rows: ids(1, 2) }, next: 'b' },
        { data: { rows: [] }, next: null, errors: [{ message: 'boom' }] },
      ],
      inDoubt('partial_page'),
    ],
    ...[
      { errors: [] },
      { error: null },
      { error: 'none' },
      { errors: {} },
      { code: 200 },
      { error: { code: 'ok', message: '' } },
    ].map((beside): [string, Data, unknown[], object] => [
      `records next to ${JSON.stringify(beside)}`,
      cursored('$.rows'),
      [
        { rows: ids(1, 2), next: 'b', ...beside },
        { rows: ids(3, 3), next: null, ...beside },
      ],
      complete,
    ]),
    [
      'a list of errors that is what is read',
      counted('$.errors'),
      [{ errors: ids(1, 2) }, { errors: [] }],
      complete,
    ],
    [
      'records of which the last is an error',
      bare,
      [[...ids(1, 2), { error: { message: 'boom' } }], []],
      inDoubt('partial_page'),
    ],
    [
      'nulls where records were',
      cursored('$.rows'),
      [
        { rows: ids(1, 2), next: 'b' },
        { rows: [null, null], next: null },
      ],
      inDoubt('list_missing'),
    ],
    // Totals that the API didn't count completely.
    [
      'a total of at least as many records as were read',
      {
        response_jsonpath: '$.hits.hits',
        query: '{"from": "{{ count if count < previous_request.hits.total.value else \'\' }}"}',
      },
      [{ hits: { total: { value: 2, relation: 'gte' }, hits: ids(1, 2) } }],
      inDoubt('more_announced'),
    ],
    [
      'a total that was counted',
      {
        response_jsonpath: '$.hits.hits',
        query: '{"from": "{{ count if count < previous_request.hits.total.value else \'\' }}"}',
      },
      [{ hits: { total: { value: 2, relation: 'eq' }, hits: ids(1, 2) } }],
      complete,
    ],
    [
      'a cursor whose key changes its case',
      { response_jsonpath: '$.rows', query: '{"cursor": "{{ previous_request.bookmark }}"}' },
      [
        { rows: ids(1, 2), bookmark: 'b' },
        { rows: ids(3, 4), Bookmark: 'c' },
      ],
      inDoubt('more_announced'),
    ],
    ['an empty list under any key', counted('$.*'), [{ a: ids(1, 2) }, { a: [] }], complete],
  ])('%s', async (_, config, pages, expected) => {
    const { events } = await runAgainst(
      (__, call): Reply => ({
        raw: JSON.stringify(pages[Math.min(call, pages.length) - 1]),
        headers: JSON_TYPE,
      }),
      config,
      { limits: { backoff_base_ms: 0, max_attempts: 1 } },
    )
    const codes = events.flatMap((event) => (event.type === 'warning' ? [event.code] : []))
    expect({ end: events.at(-1), codes }).toMatchObject(expected)
  })
})

describe('the end of a list that is no JSON', () => {
  const query = '{"page": {{ page + 1 }}}'
  const typed = (type: string, raw: string, more: object = {}): Reply => ({
    raw,
    headers: { 'Content-Type': type },
    ...more,
  })
  const rows = 'id,name\n1,a\n2,b\n'
  test.each<[string, readonly Reply[], object]>([
    [
      'JSON lines that end with an error',
      [
        typed('application/x-ndjson', '{"id":1}\n{"id":2}\n{"error":"boom"}\n'),
        typed('application/x-ndjson', ''),
      ],
      { complete: 'in_doubt', warnings: ['partial_page'] },
    ],
    [
      'XML with a failure next to its records',
      [
        typed('application/xml', '<r><rows><row>1</row><row>2</row></rows><error>no access</error></r>'),
        typed('application/xml', '<r><rows/></r>'),
      ],
      { complete: 'in_doubt', warnings: ['partial_page'] },
    ],
    [
      'a table whose last row is cut',
      [typed('text/csv', `${rows}3`), typed('text/csv', 'id,name\n')],
      { complete: 'in_doubt', warnings: ['partial_page'] },
    ],
    [
      'a table with short rows',
      [typed('text/csv', `${rows}3\n4,d\n5\n`), typed('text/csv', 'id,name\n')],
      { complete: true, warnings: [] },
    ],
    [
      'a table without a last line break',
      [typed('text/csv', `${rows}3,c`), typed('text/csv', 'id,name\n')],
      { complete: true, warnings: [] },
    ],
    [
      'a part of a file',
      [
        typed('application/x-ndjson', '{"id":1}\n', {
          status: 206,
          headers: { 'Content-Type': 'application/x-ndjson', 'Content-Range': 'bytes 0-8/900' },
        }),
        typed('application/x-ndjson', ''),
      ],
      { complete: 'in_doubt', warnings: ['partial_page'] },
    ],
    [
      'the last part of a file',
      [
        typed('application/x-ndjson', '{"id":1}\n', {
          status: 206,
          headers: { 'Content-Type': 'application/x-ndjson', 'Content-Range': 'bytes 891-899/900' },
        }),
        typed('application/x-ndjson', ''),
      ],
      { complete: true, warnings: [] },
    ],
  ])('%s', async (_, replies, expected) => {
    const { events } = await runAgainst((__, call) => replies[call - 1] ?? replies.at(-1) ?? [], {
      query,
      ...(JSON.stringify(replies).includes('application/xml') ? { response_jsonpath: '$.r.rows.row' } : {}),
    })
    expect(events.at(-1)).toMatchObject(expected)
  })
})

test.each([
  [
    'a total that was reached',
    [{ json: { total: 3, rows: ids(1, 2) } }, { json: { total: 3, rows: ids(3, 3) } }],
    3,
  ],
  ['a total that was not reached', [{ json: { total: 9, rows: ids(1, 2) } }], 9],
  ['a total in a header', [{ json: { rows: ids(1, 2) }, headers: { 'X-Total-Count': '7' } }], 7],
  [
    'a count of the page',
    [{ json: { count: 2, rows: ids(1, 2) } }, { json: { count: 1, rows: ids(3, 3) } }],
    undefined,
  ],
  ['a total below what was read', [{ json: { total: 1, rows: ids(1, 2) } }], undefined],
  ['no total', [{ json: { rows: ids(1, 2) } }], undefined],
])('the last event says how many records the API names: %s', async (_, replies, announced) => {
  const { events } = await runAgainst((__, call) => replies[call - 1] ?? { json: { rows: [] } }, {
    response_jsonpath: '$.rows',
    query: '{"page": {{ page + 1 }}}',
  })
  expect((events.at(-1) as { announced_total?: number }).announced_total).toBe(announced)
})
