/** When a list ends, and when it must not. */
import { describe, expect, test } from 'vitest'
import type { Data } from '../../../../packages/jinja/src/data/value.ts'
import { ids, type Reply, runAgainst, type Wire } from '../../../helpers/pagination.ts'

const PAGE = '{"page": {{ page + 1 }}}'
const CURSOR: Data = { response_jsonpath: '$.d', query: '{"c": "{{ previous_request.next }}"}' }

/** Returns one reply after the other, and repeats the last one forever. */
const inOrder =
  (...replies: Reply[]) =>
  (_: Wire, count: number): Reply =>
    replies[count - 1] ?? replies.at(-1) ?? []
const body = (json: unknown): Reply => ({ json })

async function outcome(config: Data, ...replies: Reply[]) {
  const { records, stopReason, warnings, error, sent } = await runAgainst(inOrder(...replies), config)
  return { records, end: error?.code ?? stopReason, warnings, requests: sent.length }
}

describe('a counted list', () => {
  const LIST: Data = { query: PAGE, response_jsonpath: '$.d' }

  test.each<[string, Data, Reply[], object]>([
    [
      'ends with the first page without records',
      { query: PAGE },
      [ids(1, 2), ids(3, 3), []],
      { records: ids(1, 3), end: 'no_records', requests: 3 },
    ],
    [
      'may be empty from the beginning',
      { query: PAGE },
      [[]],
      { records: [], end: 'no_records', requests: 1 },
    ],
    [
      'goes on after a short page',
      { query: PAGE },
      [ids(1, 3), ids(4, 4), ids(5, 7), []],
      { records: ids(1, 7), requests: 4 },
    ],
    [
      'ends with a null list',
      LIST,
      [body({ d: ids(1, 1) }), body({ d: null })],
      { records: ids(1, 1), end: 'no_records' },
    ],
    [
      'ends where the list is left out',
      LIST,
      [body({ d: ids(1, 1) }), body({ total: 1 })],
      { records: ids(1, 1), warnings: [] },
    ],
    [
      'ends with null instead of a list',
      { query: PAGE },
      [ids(1, 1), body(null)],
      { records: ids(1, 1), end: 'no_records' },
    ],
    [
      'ends with 204',
      { query: PAGE },
      [ids(1, 1), { raw: '', status: 204 }],
      { records: ids(1, 1), end: 'no_records' },
    ],
    [
      'is empty with 204 at once',
      LIST,
      [{ raw: '', status: 204 }],
      { records: [], end: 'no_records', warnings: [] },
    ],
    [
      'ends with 404 after a good page',
      { query: PAGE },
      [ids(1, 1), { json: {}, status: 404 }],
      { records: ids(1, 1), end: 'not_found', warnings: ['ended_by_404'] },
    ],
    [
      'fails with 404 on the first request',
      { query: PAGE },
      [{ json: {}, status: 404 }],
      { records: [], end: 'http_error' },
    ],
    [
      'fails with 410 on a later one',
      { query: PAGE },
      [ids(1, 1), { json: {}, status: 410 }],
      { records: ids(1, 1), end: 'http_error' },
    ],
    [
      'goes on where a filter leaves nothing',
      { query: PAGE, response_jsonpath: '$.d[?@.on]' },
      [body({ d: [{ id: 1 }] }), body({ d: [{ id: 2 }] }), body({ d: [{ on: 1 }] }), body({ d: [] })],
      { records: [{ on: 1 }], requests: 4, warnings: [] },
    ],
    [
      'is one record and a warning where the response is an object',
      { query: PAGE },
      [body({ a: 1 })],
      { records: [{ a: 1 }], end: 'not_paginated', warnings: ['not_a_list'], requests: 1 },
    ],
    [
      'is empty with a warning where the path leads nowhere',
      { query: PAGE, response_jsonpath: '$.x.y' },
      [body({ d: ids(1, 1) })],
      { records: [], end: 'no_records', warnings: ['jsonpath_no_match'], requests: 1 },
    ],
    [
      'ends where the query renders to nothing',
      { query: '{% if page < 2 %}{"page": {{ page + 1 }}}{% endif %}' },
      [ids(1, 1), ids(2, 2), ids(3, 3)],
      { records: ids(1, 2), end: 'no_next', requests: 2 },
    ],
    [
      'ends where the endpoint renders to nothing',
      { query: '{}', endpoint: "{{ 'p' ~ page if page < 2 else '' }}" },
      [ids(1, 1), ids(2, 2), ids(3, 3)],
      { records: ids(1, 2), end: 'no_next', requests: 2 },
    ],
    [
      'ends, with a warning, where no configuration matches any more',
      [{ when: 'page < 2', query: PAGE }],
      [ids(1, 1), ids(2, 2), ids(3, 3)],
      { records: ids(1, 2), end: 'no_config_matched', warnings: ['no_config_matched'] },
    ],
    [
      'keeps scalars and rows',
      LIST,
      [body({ d: ['a', [1, 2], null] }), body({ d: [] })],
      { records: ['a', [1, 2], null] },
    ],
  ])('%s', async (_, config, replies, expected) => {
    expect(await outcome(config, ...replies)).toMatchObject(expected)
  })
})

describe('a list with a cursor', () => {
  test.each<[string, unknown]>([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' \t\n'],
    ['false', false],
  ])('ends if the cursor is %s', async (_, next) => {
    expect(
      await outcome(CURSOR, body({ d: ids(1, 1), next: 'a' }), body({ d: ids(2, 2), next })),
    ).toMatchObject({
      records: ids(1, 2),
      end: 'no_next',
      requests: 2,
      warnings: [],
    })
    expect(await outcome(CURSOR, body({ d: ids(1, 1), next }))).toMatchObject({
      records: ids(1, 1),
      end: 'no_next',
      requests: 1,
    })
  })

  test.each<[string, unknown]>([
    ['0', 0],
    ['"0"', '0'],
    ['true', true],
    ['a negative number', -1],
    ['an object', { a: null }],
    ['a list', [1]],
    ['a large integer', 1e15],
  ])('continues if the cursor is %s', async (_, next) => {
    expect(await outcome(CURSOR, body({ d: ids(1, 1), next }), body({ d: ids(2, 2) }))).toMatchObject({
      records: ids(1, 2),
      requests: 2,
    })
  })

  test.each<[string, unknown, string[]]>([
    ['an empty page', { d: [], next: 'b' }, []],
    ['a null list', { d: null, next: 'b' }, ['list_missing']],
    ['a page without the list', { next: 'b' }, ['list_missing']],
  ])('continues after %s', async (_, middle, warnings) => {
    expect(
      await outcome(CURSOR, body({ d: ids(1, 1), next: 'a' }), body(middle), body({ d: ids(2, 2) })),
    ).toMatchObject({
      records: ids(1, 2),
      requests: 3,
      warnings,
    })
  })

  test('a value that never existed is optional: it is not sent and does not end the list', async () => {
    const { sent, records } = await runAgainst(
      inOrder(
        body({ d: ids(1, 1), next: 'a', sort: null }),
        body({ d: ids(2, 2), next: 'b' }),
        body({ d: ids(3, 3) }),
      ),
      {
        response_jsonpath: '$.d',
        query: `{"c": "{{ previous_request.next }}", "s": "{{ previous_request.sort }}", 't': '{{ previous_request.a.b }}'}`,
        header: '{"X-S": "{{ previous_request.sort }}"}',
      },
    )
    expect(records).toEqual(ids(1, 3))
    expect(sent.map(({ query }) => query)).toEqual([{}, { c: 'a' }, { c: 'b' }])
    expect(sent[1]?.headers['x-s']).toBeUndefined()
  })

  test('in a body it is null', async () => {
    const { sent } = await runAgainst(inOrder(body({ d: ids(1, 1), next: 'a' }), body({ d: [] })), {
      response_jsonpath: '$.d',
      body: '{"c": "{{ previous_request.next }}", "s": "{{ previous_request.sort }}", "deep": {"s": "é{{ previous_request.sort }}", "t": "{{ previous_request.sort }}"}}',
    })
    expect(sent[1]?.body).toEqual({ c: 'a', s: null, deep: { s: 'é', t: null } })
  })

  test('of two values that existed, the first to disappear ends the list', async () => {
    expect(
      await outcome(
        {
          response_jsonpath: '$.d',
          query: { c: '{{ previous_request.next }}', s: '{{ previous_request.sort }}' },
        },
        body({ d: ids(1, 1), next: 'a', sort: 'x' }),
        body({ d: ids(2, 2), next: 'b' }),
      ),
    ).toMatchObject({ records: ids(1, 2), end: 'no_next', requests: 2 })
  })

  test('a value that appears later may disappear again if it was never alive', async () => {
    expect(
      await outcome(
        {
          response_jsonpath: '$.d',
          query: '{"c": "{{ previous_request.next }}", "s": "{{ previous_request.sort }}"}',
        },
        body({ d: ids(1, 1), next: 'a' }),
        body({ d: ids(2, 2), next: 'b', sort: 'x' }),
        body({ d: ids(3, 3), next: 'c' }),
        body({ d: ids(4, 4), next: 'd' }),
      ),
    ).toMatchObject({ records: ids(1, 3), end: 'no_next' })
  })

  test('the id of the last record is a cursor that ends with an empty page', async () => {
    const config: Data = { response_jsonpath: '$.d', query: '{"after": {{ previous_request.d[-1].id }}}' }
    expect(
      await outcome(config, body({ d: ids(1, 2) }), body({ d: ids(3, 4) }), body({ d: [] })),
    ).toMatchObject({
      records: ids(1, 4),
      end: 'no_next',
      requests: 3,
    })
  })

  test('has_more by itself ends it', async () => {
    const config: Data = {
      response_jsonpath: '$.d',
      query: '{% if previous_request.has_more %}{"page": {{ page + 1 }}}{% endif %}',
    }
    expect(
      await outcome(
        config,
        body({ d: ids(1, 1), has_more: true }),
        body({ d: [], has_more: true }),
        body({ d: ids(2, 2), has_more: false }),
      ),
    ).toMatchObject({
      records: ids(1, 2),
      end: 'no_next',
      requests: 3,
    })
  })

  test('a cursor from the headers is enough for a list without an envelope', async () => {
    const page = (json: unknown, next?: string): Reply => ({
      json,
      headers: next === undefined ? {} : { 'X-Next-Cursor': next },
    })
    const config: Data = { query: '{"c": "{{ previous_request_headers[\'x-next-cursor\'] }}"}' }
    expect(await outcome(config, page(ids(1, 1), 'a'), page([], 'b'), page(ids(2, 2)))).toMatchObject({
      records: ids(1, 2),
      end: 'no_next',
      requests: 3,
    })
  })

  test('404 is an error, not the end', async () => {
    expect(await outcome(CURSOR, body({ d: ids(1, 1), next: 'a' }), { json: {}, status: 404 })).toMatchObject(
      { end: 'http_error' },
    )
  })

  test('goes on after a first page without the list, which is in doubt if no page has one', async () => {
    expect(await outcome(CURSOR, body({ next: 'a' }), body({ next: null }))).toMatchObject({
      records: [],
      warnings: ['jsonpath_no_match'],
      requests: 2,
    })
  })
})

describe('a server that repeats itself', () => {
  test.each<[string, Data, Reply[], object]>([
    [
      'the same page for every number',
      { query: PAGE },
      [ids(1, 2)],
      { records: ids(1, 2), end: 'repeated_page', warnings: ['first_page_again'], requests: 2 },
    ],
    [
      'the last page again, with the number echoed',
      { query: PAGE, response_jsonpath: '$.d' },
      [body({ d: ids(1, 1), page: 1 }), body({ d: ids(2, 2), page: 2 }), body({ d: ids(2, 2), page: 3 })],
      { records: ids(1, 2), end: 'repeated_page', requests: 3 },
    ],
    [
      'pages that come again after others',
      { query: PAGE },
      [ids(1, 1), ids(2, 2), ids(1, 1)],
      { records: ids(1, 2), end: 'pagination_loop', requests: 3 },
    ],
    [
      'a filter does not hide that the page is the same',
      { query: PAGE, response_jsonpath: '$.d[?@.on]' },
      [body({ d: [{ id: 1 }] })],
      { records: [], end: 'repeated_page', requests: 2 },
    ],
    [
      'cursor and records the same',
      CURSOR,
      [
        body({ d: ids(1, 1), next: 'a' }),
        body({ d: ids(2, 2), next: 'a' }),
        body({ d: ids(2, 2), next: 'a' }),
      ],
      { records: ids(1, 2), end: 'repeated_page', requests: 3 },
    ],
    [
      'cursors in a circle',
      CURSOR,
      [
        body({ d: ids(1, 1), next: 'a' }),
        body({ d: ids(2, 2), next: 'b' }),
        body({ d: ids(1, 1), next: 'a' }),
      ],
      { records: ids(1, 2), end: 'pagination_loop', requests: 3 },
    ],
    [
      'empty pages with the same cursor',
      CURSOR,
      [body({ d: [], next: 'a' })],
      { records: [], end: 'repeated_page', requests: 2 },
    ],
  ])('%s', async (_, config, replies, expected) => {
    expect(await outcome(config, ...replies)).toMatchObject(expected)
  })

  test.each<[string, Data, Reply[], number]>([
    [
      'equal records with an advancing cursor',
      CURSOR,
      [body({ d: [1], next: 'a' }), body({ d: [1], next: 'b' }), body({ d: [1] })],
      3,
    ],
    [
      'the same cursor with new records',
      CURSOR,
      [body({ d: [1], next: 'S' }), body({ d: [2], next: 'S' }), body({ d: [3], next: '' })],
      3,
    ],
    [
      'equal lists with an advancing link in the headers',
      { endpoint: '{{ links.next }}', query: '{}' },
      [
        { json: [1], headers: { Link: '<?p=2>; rel=next' } },
        { json: [1], headers: { Link: '<?p=3>; rel=next' } },
        { json: [1] },
      ],
      3,
    ],
    ['records whose order differs', { query: PAGE }, [[1, 2], [2, 1], []], 4],
    [
      'records that differ in one digit',
      { query: PAGE },
      [[{ id: 10, x: 'same' }], [{ id: 11, x: 'same' }], []],
      2,
    ],
  ])('is not suspected because of %s', async (_, config, replies, records) => {
    const result = await outcome(config, ...replies)
    const others = result.warnings?.filter((code) => code !== 'previous_page_again')
    expect({ records: result.records.length, others }).toEqual({ records, others: [] })
  })
})

describe('limits are errors that keep the records', () => {
  const endless = (_: Wire, count: number): Reply => ids(count, count)

  test('max_pages', async () => {
    const { error, records, sent } = await runAgainst(endless, { query: PAGE }, { limits: { max_pages: 3 } })
    expect({
      code: error?.code,
      partialCount: error?.partial_count,
      records: records.length,
      requests: sent.length,
    }).toEqual({ code: 'page_limit', partialCount: 3, records: 3, requests: 3 })
  })

  test('a list of exactly that many pages is complete', async () => {
    const { error, stopReason } = await runAgainst(
      inOrder(body({ d: ids(1, 1), next: 'a' }), body({ d: ids(2, 2) })),
      CURSOR,
      { limits: { max_pages: 2 } },
    )
    expect({ error, stopReason }).toEqual({ error: undefined, stopReason: 'no_next' })
  })

  test('max_empty_pages, counted in a row', async () => {
    const empty = (_: Wire, count: number): Reply =>
      body({ d: count === 3 ? ids(1, 1) : [], next: `c${count}` })
    const { error, sent } = await runAgainst(empty, CURSOR, { limits: { max_empty_pages: 2 } })
    expect({ code: error?.code, partialCount: error?.partial_count, requests: sent.length }).toEqual({
      code: 'stalled',
      partialCount: 1,
      requests: 6,
    })
  })

  test('max_records', async () => {
    const { error, records } = await runAgainst(endless, { query: PAGE }, { limits: { max_records: 4 } })
    expect({ code: error?.code, partialCount: error?.partial_count, records: records.length }).toEqual({
      code: 'page_limit',
      partialCount: 4,
      records: 4,
    })
  })

  test('max_redirects', async () => {
    const { error } = await runAgainst(
      (_, count) => ({ json: [], status: 302, headers: { Location: `/${count}` } }),
      { query: PAGE },
      { limits: { max_redirects: 2 } },
    )
    expect(error?.code).toBe('too_many_redirects')
  })
})

describe('caps are not errors', () => {
  const endless = (_: Wire, count: number): Reply => ids(count * 2 - 1, count * 2)

  test.each([
    ['max_pages', { maxPages: 2 }, 4, 2],
    ['max_records in the middle of a page', { maxRecords: 3 }, 3, 2],
    ['max_records at the end of a page', { maxRecords: 4 }, 4, 2],
    ['whichever comes first', { maxPages: 3, maxRecords: 100 }, 6, 3],
  ])('%s', async (_, wishes, records, requests) => {
    const result = await runAgainst(endless, { query: PAGE }, wishes)
    expect({ error: result.error, records: result.records.length, requests: result.sent.length }).toEqual({
      error: undefined,
      records,
      requests,
    })
    expect({ stopReason: result.stopReason, warnings: result.warnings }).toEqual({
      stopReason: 'cut_by_max_pages',
      warnings: ['cut_by_max_pages'],
    })
  })

  test('a list that ends by itself at that point does not count as cut', async () => {
    const answer = inOrder(body({ d: ids(1, 2), next: 'a' }), body({ d: ids(3, 4) }))
    for (const wishes of [{ maxPages: 2 }, { maxRecords: 4 }, { maxRecords: 5 }]) {
      expect(await runAgainst(answer, CURSOR, wishes)).toMatchObject({ warnings: [], stopReason: 'no_next' })
    }
  })
})
