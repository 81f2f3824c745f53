import { describe, expect, it, onTestFinished } from 'vitest'
import { parseJson } from '../../../packages/jinja/src/data/json.ts'
import {
  checkJsonPath,
  JsonPathError,
  plusConstruct,
  selectJsonPath,
  selectJsonPathNodes,
} from '../../../packages/jinja/src/jsonpath/index.ts'
import { startJsonPathPlus } from '../../../src/main/services/reaching/documents/jsonpath-plus.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { eventsOf } from '../../helpers/pagination-test-events.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const STORE = parseJson(
  '{"book": [{"sku": "a", "id": 12345678901234567890}, {"sku": "b", "n": 1.0}], "x/y~": {"z": 1}, "*": {"w": null}}',
)
/** 975,270 values, for which jsonpath-plus takes seconds and a gigabyte. */
const HOSTILE = '$..*..*..*..*^'

function start() {
  const plus = startJsonPathPlus()
  onTestFinished(() => plus.close())
}

const nested = (depth: number): object =>
  depth === 0 ? {} : Object.fromEntries(['a', 'b', 'c'].map((name) => [name, nested(depth - 1)]))

describe('paths of jsonpath-plus', () => {
  it.each([
    ['^', '$..sku^', ["$['book'][0]", "$['book'][1]"]],
    ['^', '$.book[?(@.sku === "b")]^', ["$['book']"]],
    ['^', "$['x/y~'].z^", ["$['x/y~']"]],
    ['^', '$.book.0.sku^^', ["$['book']"]],
    ['@number()', '$.book[0].*@number()', ["$['book'][0]['id']"]],
    ['@null()', '$..*@null()', ["$['*']['w']"]],
    ['`', '$.`*.w', ["$['*']['w']"]],
    ['@parent', '$.book[?(@parent.book)].sku', ["$['book'][0]['sku']", "$['book'][1]['sku']"]],
    ['@parentProperty', '$..[?(@parentProperty === "book")].n', ["$['book'][1]['n']"]],
    ['@path', '$.*[?(@path === "$[\'book\'][1]")].sku', ["$['book'][1]['sku']"]],
  ])('are told by %s: %s', (construct, path, places) => {
    start()
    expect({
      construct: plusConstruct(path),
      places: selectJsonPathNodes(path, STORE).map((node) => node.path),
    }).toEqual({ construct, places })
  })

  it('select the values themselves, with all their digits, and names', () => {
    start()
    expect([
      selectJsonPath('$.book[0].sku^', STORE),
      selectJsonPath('$.*~', STORE),
      selectJsonPath('$.book.*~', STORE),
      plusConstruct('$..sku'),
    ]).toEqual([[{ sku: 'a', id: 12_345_678_901_234_567_890n }], ['book', 'x/y~', '*'], [0, 1], null])
  })

  it('are checked before: no calls, no expressions, and no filters that jsonpath-plus reads otherwise', () => {
    start()
    const said = (path: string) => checkJsonPath(path)?.message.replace(/^JSONPath "/, '')
    expect([
      said('$..[?(@.sku.match("a"))]^'),
      said('$..[?(@parent.constructor.constructor("return 1")())]'),
      said('$..[?(match(@path, "x"))]'),
      said('$.book[?@.sku]^'),
      said('$..*@other()'),
      said('$.a^)'),
    ]).toEqual([
      expect.stringContaining('values have no methods'),
      expect.stringContaining('values have no methods'),
      expect.stringContaining('"match()" can\'t be used here; jsonpath-plus evaluates a path with "@path"'),
      expect.stringContaining('write [?(…)]; jsonpath-plus evaluates a path with "^"'),
      expect.stringContaining('type operators like "@other()" are not supported'),
      expect.stringContaining('expected ".", "[" or the end, found ")"'),
    ])
  })

  it('that take too long or too much memory are stopped, and the next one works', () => {
    start()
    const deep = parseJson(JSON.stringify(nested(9)))
    expect(() => selectJsonPath(HOSTILE, deep)).toThrow(JsonPathError)
    expect(() => selectJsonPath(HOSTILE, deep)).toThrow(/exceeds the limits of 300 ms or 128 MB/)
    expect(() => selectJsonPath('$.*^', 'x'.repeat(5_000_001))).toThrow('at most 5 MB')
    expect(selectJsonPath('$.book[1].n^', STORE)).toHaveLength(1)
  })

  it('find the records of pages, and values in templates; a hostile one fails its run alone', async () => {
    const app = await startFlowApp()
    const api = await startThirdPartyApi(({ target }, response) => {
      const body = target.startsWith('/deep')
        ? nested(9)
        : target.includes('page')
          ? { groups: [] }
          : { groups: [{ person: { id: 1 } }, { person: { id: 2 } }] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    const read = (path: string, response_jsonpath: string) =>
      eventsOf(app, {
        request: { base_url: api.url, endpoint: path },
        pagination_config: {
          query: '{"page": {{ page + 1 }}}',
          response_jsonpath,
          list_may_be_absent: true,
        },
      })
    const { flow } = await app.addFlow([
      { ref_id: 'shop', type: 'set', config: { values: { book: [{ sku: 'a' }, { sku: 'b' }] } } },
      { ref_id: 'it', type: 'set', config: { values: { skus: '{{ shop.book[?(@parent.book)].sku }}' } } },
    ])
    await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const [run] = app.runs()
    const records = await read('/groups', '$..id^')
    const [hostile, ...others] = await Promise.all([
      read('/deep', HOSTILE),
      ...Array.from({ length: 5 }, () => app.call('GET', '/v1/flows')),
    ])
    expect({
      template: app.stepsOf(run!)[1]?.output,
      end: records.at(-1),
      hint: records.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
      hostile: hostile.at(-1),
      others: others.map(({ status }) => status),
    }).toEqual({
      template: { skus: ['a', 'b'] },
      end: expect.objectContaining({ type: 'done', total_records: 2 }),
      hint: ['jsonpath-plus evaluates this path: RFC 9535 has no "^"'],
      hostile: expect.objectContaining({
        type: 'failed',
        error: expect.objectContaining({
          code: 'jsonpath_error',
          message: expect.stringContaining('limits of 300 ms'),
        }),
      }),
      others: [200, 200, 200, 200, 200],
    })
  })
})
