import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../../packages/jinja/src/data/json.ts'
import { readRecords } from '../../../../src/main/engine/pagination/response/records.ts'

const found = (path: string, body: string) => {
  const { records, found } = readRecords(path, parseJson(body))
  return [JSON.parse(JSON.stringify(records)), found]
}

describe('records', () => {
  test.each<[string, string, unknown[], string]>([
    ['', '[1,2]', [1, 2], 'records'],
    ['$', '[1,2]', [1, 2], 'records'],
    [' $ ', '[[1],[2]]', [[1], [2]], 'records'],
    ['', '[]', [], 'empty'],
    ['', 'null', [], 'empty'],
    ['', '{"a":1}', [{ a: 1 }], 'single'],
    ['', '"text"', ['text'], 'single'],
    ['$.d', '{"d":[1,2]}', [1, 2], 'records'],
    ['d', '{"d":[1,2]}', [1, 2], 'records'],
    ['$.d', '{"d":[]}', [], 'empty'],
    ['$.d', '{"d":null}', [], 'empty'],
    ['$.d', '{}', [], 'missing'],
    ['$.d', '[1]', [], 'missing'],
    ['$.d', '{"d":{"id":1}}', [{ id: 1 }], 'records'],
    ['$.d', '{"d":0}', [0], 'records'],
    ['$.d[*]', '{"d":[{"id":1},{"id":2}]}', [{ id: 1 }, { id: 2 }], 'records'],
    ['$.d[*]', '{"d":[]}', [], 'empty'],
    ['$.d[*]', '{"d":null}', [], 'empty'],
    ['$.d[*]', '{}', [], 'missing'],
    ['$.d[0:2]', '{"d":[1,2,3]}', [1, 2], 'records'],
    [
      '$.rows',
      '{"rows":[[1,"a"],[2,"b"]]}',
      [
        [1, 'a'],
        [2, 'b'],
      ],
      'records',
    ],
    [
      '$.rows[*]',
      '{"rows":[[1,"a"],[2,"b"]]}',
      [
        [1, 'a'],
        [2, 'b'],
      ],
      'records',
    ],
    ['$.rows[*]', '{"rows":[[1,"a"]]}', [[1, 'a']], 'records'],
    ['$.rows[1:]', '{"rows":[["id"],[1],[2]]}', [[1], [2]], 'records'],
    ['$.rows[0]', '{"rows":[[1,2],[3]]}', [1, 2], 'records'],
    ['$.groups[*].items', '{"groups":[{"items":[1,2]},{"items":[3]},{"items":[]},{}]}', [1, 2, 3], 'records'],
    ['$.groups[*].items', '{"groups":[{"items":null},{"items":[3]}]}', [3], 'records'],
    ['$.groups[*].rows', '{"groups":[{"rows":[[1],[2]]},{"rows":[[3]]}]}', [[1], [2], [3]], 'records'],
    ['$.groups.*', '{"groups":{"a":[1],"b":[2,3]}}', [1, 2, 3], 'records'],
    ["$['a','b']", '{"a":[1],"b":[2]}', [1, 2], 'records'],
    ["$['a','b']", '{"b":[2]}', [2], 'records'],
    ['$..items', '{"x":{"items":[1]},"y":[{"items":[2,3]}]}', [1, 2, 3], 'records'],
    ['$.d[*].mail', '{"d":[{"mail":"a"},{"mail":null},{}]}', ['a', null], 'records'],
    ["$.d[?@.t=='c']", '{"d":[{"t":"c"},{"t":"x"}]}', [{ t: 'c' }], 'records'],
    ["$.d[?@.t=='c']", '{"d":[{"t":"x"}]}', [], 'filtered'],
    ["$.d[?(@.t=='c')]", '{"d":[]}', [], 'empty'],
    ["$.d[?(@.t=='c')]", '{}', [], 'missing'],
    ['$.g[?(@.on)].items', '{"g":[{"on":true,"items":[]},{"items":[1]}]}', [], 'filtered'],
    ['$.g[?(@.on)].items', '{"g":[{"on":true,"items":[2]},{"items":[1]}]}', [2], 'records'],
    ['$.g[?(@.on)].items', '{"g":[{"items":[]}]}', [], 'empty'],
  ])('%j of %s are %j (%s)', (path, body, records, kind) => {
    expect(found(path, body)).toEqual([records, kind])
  })
})

test('no body is an empty page', () => {
  expect(readRecords('$.d', undefined)).toMatchObject({ records: [], found: 'empty' })
})

test('with a filter, the unfiltered records are returned too', () => {
  const body = parseJson('{"d":[{"t":"c"},{"t":"x"}]}')
  expect(readRecords("$.d[?@.t=='c']", body).unfiltered).toHaveLength(2)
})

test('a list of 200,000 is flattened without passing it as arguments', () => {
  const body = { d: [Array.from({ length: 200_000 }, (_, id) => id)] }
  expect(readRecords('$.d[*]', body).records).toHaveLength(1)
  expect(readRecords('$.d[0]', body).records).toHaveLength(200_000)
})
