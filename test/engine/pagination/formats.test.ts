/** Bodies and pages that are not JSON. */
import { describe, expect, test } from 'vitest'
import { ids, type Reply, runAgainst, type Wire } from '../../helpers/pagination.ts'

const PAGE = '{"page": {{ page + 1 }}}'
const number = ({ query }: Wire) => Number(query['page'] ?? 1)
const typed = (raw: string, type = 'text/plain'): Reply => ({ raw, headers: { 'Content-Type': type } })
const endOf = ({ events }: { events: readonly { type: string }[] }) => events.at(-1)

describe('response_format', () => {
  const rows = (page: number) => (page < 3 ? ids(page * 2 - 1, page * 2) : [])
  const text = (records: readonly { id: number }[]) =>
    records.map(({ id }) => ({ id: String(id), name: `n;${id}` }))
  test.each([
    ['json', 'text/csv', (page: number) => JSON.stringify(rows(page)), (all: { id: number }[]) => all, {}],
    [
      'ndjson',
      'application/json',
      (page: number) =>
        rows(page)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      (all: { id: number }[]) => all,
      {},
    ],
    [
      'csv',
      'text/plain',
      (page: number) =>
        `id,name\n${rows(page)
          .map(({ id }) => `${id},n;${id}\n`)
          .join('')}`,
      text,
      {},
    ],
    [
      'csv',
      'application/json',
      (page: number) =>
        `id;name\r\n${rows(page)
          .map(({ id }) => `${id};"n;${id}"\r\n`)
          .join('')}`,
      text,
      { delimiter: ';' },
    ],
    [
      'csv',
      'application/octet-stream',
      (page: number) =>
        `id\tname\n${rows(page)
          .map(({ id }) => `${id}\t"n;${id}"\n`)
          .join('')}`,
      text,
      { delimiter: 'tab' },
    ],
    [
      'tsv',
      'text/csv',
      (page: number) =>
        `id\tname\n${rows(page)
          .map(({ id }) => `${id}\tn;${id}\n`)
          .join('')}`,
      text,
      {},
    ],
  ])('%s overrules the type %s', async (response_format, type, body, expected, more) => {
    const result = await runAgainst((request) => typed(body(number(request)), type), {
      query: PAGE,
      response_format,
      ...more,
    })
    expect({ records: result.records, end: endOf(result), requests: result.sent.length }).toMatchObject({
      records: expected(ids(1, 4)),
      end: { type: 'done', complete: true, stop_reason: 'no_records' },
      requests: 3,
    })
  })

  test('xml: one element is one record, none is the end, whatever the type', async () => {
    const items = (page: number) => rows(page).slice(0, page === 2 ? 1 : 2)
    const xml = (page: number) =>
      `<?xml version="1.0"?><r><page>${page}</page><items>${items(page)
        .map(({ id }) => `<item><id>${id}</id></item>`)
        .join('')}</items></r>`
    const result = await runAgainst((request) => typed(xml(number(request))), {
      query: PAGE,
      response_format: 'xml',
      response_jsonpath: '$.r.items.item[*]',
    })
    expect({ records: result.records, end: endOf(result) }).toMatchObject({
      records: [1, 2, 3].map((id) => ({ id: String(id) })),
      end: { type: 'done', complete: true, warnings: [] },
    })
  })

  test('text: a page is one record, a blank one the end, and templates read it', async () => {
    const pages = ['<p>1</p><a href="?page=2">', '<p>2</p><a href="?page=3">', '<p>3</p>']
    const counted = await runAgainst((request) => typed(pages[number(request) - 1] ?? ' \n', 'text/html'), {
      query: PAGE,
      response_format: 'text',
    })
    const linked = await runAgainst((request) => typed(pages[number(request) - 1] ?? '', 'text/html'), {
      endpoint: `{{ previous_request.split('href="')[1].split('"')[0] if 'href' in previous_request else '' }}`,
      query: '{}',
      response_format: 'text',
    })
    expect({ counted: counted.records, linked: linked.records }).toEqual({ counted: pages, linked: pages })
    expect([counted, linked].map(endOf)).toMatchObject([
      { complete: true, stop_reason: 'no_records' },
      { complete: true, stop_reason: 'no_next' },
    ])
  })

  test('a quote in tab-separated text is a character, and columns of one name stay apart', async () => {
    const { records } = await runAgainst(
      (_, count) => typed(count === 1 ? 'size\tsize\t\n5"\t"a\tx\n7\n' : 'size\tsize\t\n'),
      { query: PAGE, response_format: 'tsv' },
    )
    expect(records).toEqual([
      { size: '5"', size_2: '"a', column_3: 'x' },
      { size: '7', size_2: '', column_3: '' },
    ])
  })

  test('a body that is not in the format is an error that names it', async () => {
    const html = await runAgainst(() => typed('<!DOCTYPE html><p>Sign in', 'text/html'), {
      query: PAGE,
      response_format: 'csv',
    })
    expect(html.error).toMatchObject({ code: 'response_not_json', page: 0 })
    expect(html.error?.message).toContain("isn't CSV: Line 1: it begins like XML or HTML")
    const lines = await runAgainst(() => typed('a,b\n1,2\n'), { query: PAGE, response_format: 'ndjson' })
    expect(lines.error?.message).toContain("isn't JSON lines")
  })

  test('JSON that breaks off is asked for again, whatever its type', async () => {
    const answer = (cut: string, whole: string) => (_: Wire, count: number) =>
      typed(count === 1 ? cut : count === 2 ? whole : '', 'text/plain')
    const { records } = await runAgainst(
      (_, count) => typed(count === 1 ? '[{"id":1},{"i' : count === 2 ? '[{"id":1},{"id":2}]' : '[]'),
      { query: PAGE, response_format: 'json' },
    )
    const lines = await runAgainst(answer('{"id":1}\n{"i', '{"id":1}\n{"id":2}'), {
      query: PAGE,
      response_format: 'ndjson',
    })
    const csv = await runAgainst(
      (_, count) => typed(count < 2 ? 'id\n{"a": 1\n' : 'id\n', 'application/json'),
      { query: PAGE, response_format: 'csv' },
    )
    expect({ records, lines: lines.records, csv: csv.records, asked: csv.sent.length }).toEqual({
      records: ids(1, 2),
      lines: ids(1, 2),
      csv: [{ id: '{"a": 1' }],
      asked: 2,
    })
  })

  test('the format of a configuration that the first response selects', async () => {
    const config = [
      { when: "previous_request_headers['X-Kind'] == 'table'", query: PAGE, response_format: 'csv' },
      { when: 'previous_request.rows is defined', query: PAGE, response_jsonpath: '$.rows' },
    ]
    const table = await runAgainst(
      (_, count) => ({
        raw: count === 1 ? 'id\n1\n' : 'id\n',
        headers: { 'Content-Type': 'text/plain', 'X-Kind': 'table' },
      }),
      config,
    )
    const object = await runAgainst((_, count) => ({ json: { rows: count === 1 ? ids(1, 1) : [] } }), config)
    expect({ table: table.records, object: object.records }).toEqual({
      table: [{ id: '1' }],
      object: ids(1, 1),
    })
  })
})

describe('an error instead of a page that is not JSON', () => {
  const good: Readonly<Record<string, (page: number) => string>> = {
    csv: (page) => `id,name\n${page},a\n`,
    tsv: (page) => `id\tname\n${page}\ta\n`,
    ndjson: (page) => `{"id":${page}}\n{"id":${page + 10}}\n`,
    xml: (page) => `<r><total>9</total><items><item><id>${page}</id></item></items></r>`,
    text: (page) => `page ${page}`,
  }
  const bad: Readonly<Record<string, readonly string[]>> = {
    csv: [
      '{"message":"Internal server error"}',
      '{"error":"boom"}',
      'Service unavailable',
      'code;text\n5;boom\n',
      '<html><body>Oops</body></html>',
      '7,b\n',
    ],
    tsv: ['{"message":"Internal server error"}', 'Service unavailable', '<Error>boom</Error>'],
    ndjson: ['{"message":"Internal server error"}', '{"error":"boom"}', 'Service unavailable', '"boom"'],
    xml: [
      '<Error><Code>Busy</Code></Error>',
      '<r><message>boom</message></r>',
      '<r><total>9</total><error>boom</error></r>',
      '<r><total>9</total><items>boom</items></r>',
      '<r><fault><string>boom</string></fault></r>',
      '{"error":"boom"}',
    ],
    text: ['{"error":"boom"}', '{"status":"error","message":"boom"}'],
  }
  const cases = Object.entries(bad).flatMap(([format, bodies]) =>
    bodies.flatMap((body) => [2, 3].map((at) => [format, body, at] as const)),
  )
  test.each(cases)('%s: %s on page %i', async (format, body, at) => {
    const result = await runAgainst(
      (request) => {
        const page = number(request)
        const last = format === 'xml' ? '<r><total>9</total><items/></r>' : ''
        return typed(page === at ? body : page < 4 ? (good[format]?.(page) ?? '') : last)
      },
      {
        query: PAGE,
        response_format: format,
        ...(format === 'xml' ? { response_jsonpath: '$.r.items.item' } : {}),
      },
      { limits: { max_attempts: 2, backoff_base_ms: 0 } },
    )
    const end = endOf(result) as { type: string; complete?: unknown }
    expect(end.type === 'failed' || end.complete === 'in_doubt').toBe(true)
  })

  test('on the first page', async () => {
    for (const [format, body] of [
      ['csv', '{"error":"boom"}'],
      ['ndjson', '{"error":"boom","code":5}'],
      ['text', '{"ok":false,"message":"boom"}'],
    ] as const) {
      const { error } = await runAgainst(() => typed(body), { query: PAGE, response_format: format })
      expect({ format, code: error?.code, said: error?.message.includes('boom') }).toEqual({
        format,
        code: 'error_in_answer',
        said: true,
      })
    }
  })

  test('a line of JSON with an error among other keys is a record', async () => {
    const { records, error } = await runAgainst(
      (_, count) => typed(count === 1 ? '{"id":1,"error":"x"}' : ''),
      {
        query: PAGE,
        response_format: 'ndjson',
      },
    )
    expect({ records, error }).toEqual({ records: [{ id: 1, error: 'x' }], error: undefined })
  })
})

describe('raw_body', () => {
  const soap = (page: string, name = '') =>
    `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><list${name}><page>${page}</page></list></e:Body></e:Envelope>`
  const answered = (records: readonly number[]) =>
    typed(
      `<e:Envelope xmlns:e="x"><e:Body><listResponse><items>${records.map((id) => `<item><id>${id}</id></item>`).join('')}</items></listResponse></e:Body></e:Envelope>`,
      'text/xml; charset=utf-8',
    )

  test('a SOAP envelope with a page number, beside an action body that is XML', async () => {
    const result = await runAgainst(
      (_, count) => answered(count === 1 ? [1, 2] : count === 2 ? [3] : []),
      {
        raw_body: soap('{{ page + 1 }}'),
        response_jsonpath: "$['e:Envelope']['e:Body'].listResponse.items.item",
      },
      { action: { method: 'POST', body: soap('1'), headers: { 'Content-Type': 'text/xml' } } },
    )
    expect({
      records: result.records,
      sent: result.sent.map(({ method, body }) => [method, body]),
      types: result.sent.map(({ headers }) => headers['content-type']),
      end: endOf(result),
    }).toMatchObject({
      records: [1, 2, 3].map((id) => ({ id: String(id) })),
      sent: [1, 2, 3].map((page) => ['POST', soap(String(page))]),
      types: ['text/xml', 'text/xml', 'text/xml'],
      end: { complete: true, warnings: [] },
    })
  })

  test('values inside XML are text: a cursor can add no element', async () => {
    const cursor = `a&b<c>"']]>`
    const escaped = 'a&amp;b&lt;c&gt;&quot;&apos;]]&gt;'
    const answer = (_: Wire, count: number): Reply => ({
      json: { d: ids(count, count), next: count === 1 ? cursor : null },
    })
    const { sent } = await runAgainst(
      answer,
      {
        raw_body:
          '<q><c>{{ previous_request.next }}</c><d x="{{ previous_request.next }}"/><![CDATA[{{ previous_request.next }}]]>{{ previous_request.next | e }}</q>',
        response_jsonpath: '$.d',
      },
      { action: { method: 'POST', body: '<q/>', headers: { 'Content-Type': 'application/soap+xml' } } },
    )
    expect(sent[1]?.body).toBe(
      `<q><c>${escaped}</c><d x="${escaped}"/><![CDATA[a&b<c>"']]]><![CDATA[]>]]>a&amp;b&lt;c&gt;&#34;&#39;]]&gt;</q>`,
    )
  })

  test('text of a query language is sent as it is', async () => {
    const query =
      "FOR d IN users LIMIT {{ page * 2 }}, 2 FILTER d.a < 5 && d.b == '{{ previous_request.x }}' RETURN d"
    const { sent, records } = await runAgainst(
      (_, count) => ({ json: { x: `o'k<`, r: count < 3 ? ids(count, count) : [], more: count < 3 } }),
      { raw_body: query, response_jsonpath: '$.r', stop_when: 'not previous_request.more' },
      {
        action: {
          method: 'POST',
          body: 'FOR d IN users LIMIT 0, 2 RETURN d',
          headers: { 'Content-Type': 'text/plain' },
        },
      },
    )
    expect({ records, sent: sent.map(({ body }) => body) }).toEqual({
      records: ids(1, 2),
      sent: [
        'FOR d IN users LIMIT 0, 2 RETURN d',
        "FOR d IN users LIMIT 2, 2 FILTER d.a < 5 && d.b == 'o'k<' RETURN d",
        "FOR d IN users LIMIT 4, 2 FILTER d.a < 5 && d.b == 'o'k<' RETURN d",
      ],
    })
  })

  test('makes the calls of a GET action POST, and ends a list with its cursor', async () => {
    const answer = (_: Wire, count: number): Reply => ({
      json: { d: ids(count, count), next: count < 3 ? count : null },
    })
    const { sent, records, stopReason } = await runAgainst(answer, {
      raw_body: 'next {{ previous_request.next }}',
      response_jsonpath: '$.d',
    })
    expect({ records, stopReason, sent: sent.map(({ method, body }) => [method, body]) }).toEqual({
      records: ids(1, 3),
      stopReason: 'no_next',
      sent: [
        ['GET', null],
        ['POST', 'next 1'],
        ['POST', 'next 2'],
      ],
    })
  })

  test('a misspelt cursor is in doubt, and a body that renders to nothing ends the list', async () => {
    const answer = (): Reply => ({ json: { d: ids(1, 1), next: 'a' } })
    const doubted = await runAgainst(answer, {
      raw_body: 'n={{ previous_request.nxt }}',
      response_jsonpath: '$.d',
    })
    const ended = await runAgainst(answer, {
      raw_body: "{{ 'x' if page > 9 else '' }}",
      response_jsonpath: '$.d',
      query: '{}',
    })
    expect([endOf(doubted), ended.stopReason, ended.sent.length]).toMatchObject([
      { complete: 'in_doubt', warnings: expect.arrayContaining(['cursor_never_seen']) as string[] },
      'no_next',
      1,
    ])
  })

  test('never replaces an object silently', async () => {
    const run = (more: object) =>
      runAgainst(
        (_, count) => (count === 1 ? ids(1, 1) : []),
        { raw_body: 'page {{ page }}', ...more },
        { action: { method: 'POST', body: { a: 1 } } },
      )
    const refused = await run({})
    const replaced = await run({ replace_body: true })
    expect({ code: refused.error?.code, field: refused.error?.field, sent: refused.sent.length }).toEqual({
      code: 'body_not_mergeable',
      field: 'raw_body',
      sent: 1,
    })
    expect(replaced.sent.map(({ body }) => body)).toEqual([{ a: 1 }, 'page 1'])
  })

  test('a character that XML has no place for is an error, not a broken request', async () => {
    const { error } = await runAgainst(
      (): Reply => ({ json: { d: ids(1, 1), next: 'a\u0001' } }),
      { raw_body: '<q>{{ previous_request.next }}</q>', response_jsonpath: '$.d' },
      { action: { method: 'POST', body: '<q/>', headers: { 'Content-Type': 'text/xml' } } },
    )
    expect(error).toMatchObject({ code: 'template_error', field: 'raw_body' })
  })
})

describe('a first page that is "still running"', () => {
  const config = { endpoint: '{{ previous_request.nextUri }}', query: '{}', response_jsonpath: '$.data' }
  const states = ['QUEUED', 'RUNNING']
  const answer =
    (last: number) =>
    (_: Wire, count: number, base: string): Reply => ({
      json: {
        id: 'q1',
        ...(count < 5 ? { nextUri: `${base}/v1/statement/q1/${count}` } : {}),
        ...(count > states.length && count <= last ? { columns: [], data: [[count, 'a']] } : {}),
        stats: { state: states[count - 1] ?? 'FINISHED' },
      },
    })

  test('goes on while its cursor is alive, and says that the first response had no list', async () => {
    const found = await runAgainst(answer(4), config)
    const never = await runAgainst(answer(0), config)
    expect({ records: found.records, end: endOf(found) }).toMatchObject({
      records: [
        [3, 'a'],
        [4, 'a'],
      ],
      end: { complete: 'in_doubt', warnings: ['jsonpath_no_match'] },
    })
    expect({ records: never.records, requests: never.sent.length, end: endOf(never) }).toMatchObject({
      records: [],
      requests: 5,
      end: { complete: 'in_doubt', warnings: ['jsonpath_no_match'] },
    })
  })

  test('is complete where the configuration says that the list may be absent', async () => {
    const found = await runAgainst(answer(4), { ...config, list_may_be_absent: true })
    expect({ records: found.records.length, end: endOf(found) }).toMatchObject({
      records: 2,
      end: { complete: true, warnings: [] },
    })
  })
})

test('an empty list that the API leaves out is complete, unless another list is there', async () => {
  const config = { query: PAGE, response_jsonpath: '$.items', list_may_be_absent: true }
  const empty = await runAgainst(() => ({ json: { kind: 'list', total: 0 } }), config)
  const misspelt = await runAgainst(() => ({ json: { kind: 'list', itmes: ids(1, 2) } }), config)
  expect([empty, misspelt].map(endOf)).toMatchObject([
    { complete: true, warnings: [] },
    { complete: 'in_doubt', warnings: ['jsonpath_no_match'] },
  ])
})

test.each([
  { code: 500, msg: 'failed', data: null },
  { status: '503', data: null },
])('a first page without a list and with the status of an error is one: %j', async (json) => {
  const { error } = await runAgainst(() => ({ json }), { query: PAGE, response_jsonpath: '$.data' })
  expect(error?.code).toBe('error_in_answer')
})

test('XML that does not match its charset is an error that says so', async () => {
  const page = Buffer.concat([
    Buffer.from('<list><item><id>1</id><name>'),
    Buffer.of(0xe9),
    Buffer.from('</name></item></list>'),
  ])
  const { error } = await runAgainst(
    () => ({ raw: page, headers: { 'Content-Type': 'application/xml' } }),
    { response_jsonpath: '$.list.item', query: PAGE },
    { limits: { max_attempts: 1 } },
  )
  expect(error).toMatchObject({
    code: 'response_not_json',
    message: expect.stringContaining('utf-8') as string,
  })
})
