import { beforeAll, describe, expect, it } from 'vitest'
import { parseJson } from '../../src/data/json.ts'
import { type Data, Float, getKey, isDictionary } from '../../src/data/value.ts'
import {
  checkJsonPath,
  JsonPathError,
  selectJsonPath,
  selectJsonPathNodes,
  setPlusEvaluator,
} from '../../src/jsonpath/index.ts'

// Millrace sets the evaluator for the whole process.
beforeAll(() => setPlusEvaluator(null))

const store = parseJson(`{
  "store": {
    "book": [
      {"category": "reference", "author": "Nigel Rees", "title": "Sayings", "price": 8.95},
      {"category": "fiction", "author": "Evelyn Waugh", "title": "Sword", "price": 12.99},
      {"category": "fiction", "author": "Herman Melville", "title": "Moby", "isbn": "0-553-21311-3", "price": 8.99},
      {"category": "fiction", "author": "J. R. R. Tolkien", "title": "Rings", "isbn": "0-395-19395-8", "price": 22.99}
    ],
    "bicycle": {"color": "red", "price": 399}
  }
}`)

const page = parseJson(`{
  "data": [
    {"id": 0, "type": "contact", "active": true, "tags": ["a", "b"], "content-type": "x/y", "note": null},
    {"id": 1, "type": "deal", "active": false, "tags": [], "deleted": false, "note": "n", "at": "2024-01-02"},
    {"id": 2, "type": "contact", "tags": ["c"], "owner": {"id": 7, "name": "O'Hara"}, "at": "2024-03-01"}
  ],
  "paging": {"next": {"after": "x"}, "total": 3},
  "rows": [[1, "a"], [2, "b"], [3, "c"]],
  "@odata.nextLink": "https://x.test/next",
  "soap:Body": {"@id": "7", "#text": "t"},
  "my list": [10, 20, 30, 40, 50],
  "length": 99,
  "a-b": {"c-1": 1},
  "quo'te": 1, "back\\\\slash": 2,
  "null": null
}`)

const titles = (path: string) => selectJsonPath(path, store).map(titleOf)

describe('paths', () => {
  it.each<[string, unknown[]]>([
    ['$.store.book[*].author', ['Nigel Rees', 'Evelyn Waugh', 'Herman Melville', 'J. R. R. Tolkien']],
    ['$..author', ['Nigel Rees', 'Evelyn Waugh', 'Herman Melville', 'J. R. R. Tolkien']],
    ['$.store..price', [8.95, 12.99, 8.99, 22.99, 399]],
    ['$..book[2]', ['Moby']],
    ['$..book[-1]', ['Rings']],
    ['$..book[-1:]', ['Rings']],
    ['$..book[(@.length-1)]', ['Rings']],
    ['$..book[0,1]', ['Sayings', 'Sword']],
    ['$..book[:2]', ['Sayings', 'Sword']],
    ['$..book[1:3:2]', ['Sword']],
    ['$..book[::-2]', ['Rings', 'Sword']],
    ['$..book[::0]', []],
    ['$..book[?(@.isbn)]', ['Moby', 'Rings']],
    ['$..book[?@.isbn]', ['Moby', 'Rings']],
    ['$..book[?(!@.isbn)]', ['Sayings', 'Sword']],
    ['$..book[?(@.price < 10)]', ['Sayings', 'Moby']],
    ['$..book[?(@.price<10 && @.category=="fiction")]', ['Moby']],
    ["$..book[?(@['price'] >= 12.99 || @.author == 'Nigel Rees')]", ['Sayings', 'Sword', 'Rings']],
    ['$..book[?(@.price * 2 > 25 && @.price + 1 < 20)].title', ['Sword']],
    ['$..book[?(@.price > $.store.book[0].price)]', ['Sword', 'Moby', 'Rings']],
    ['$..book[?(@.price == @root.store.book[1].price)]', ['Sword']],
    ['$.store.book[?(@property > 1)]', ['Moby', 'Rings']],
    ['$.store[?(@property === "bicycle")].color', ['red']],
    ['$..book.length', [4]],
    ['$.store.book[*].title.length', [7, 5, 4, 5]],
    ["$..book[0]['title','price']", ['Sayings', 8.95]],
    ['$..book[0][title,price]', ['Sayings', 8.95]],
    ['$.store.bicycle.*', ['red', 399]],
    ['$.store.bicycle[*,"color"]', ['red', 399, 'red']],
    ['store.bicycle.color', ['red']],
    ['.store.bicycle.color', ['red']],
    ["['store'].bicycle.color", ['red']],
    ['..bicycle.color', ['red']],
    ['*.bicycle.color', ['red']],
    ['$ .store [ "bicycle" ] .color', ['red']],
    ['$.store.book.1.title', ['Sword']],
    ['$.store.book[4]', []],
    ['$.store.book[-5]', []],
    ['$.store.nothing.at.all', []],
    ['$.store.bicycle.color.red', []],
    ['$.store.bicycle[0]', []],
    ['$..[?(@.color)].price', [399]],
    ['$..*[?(@.isbn)].price', [8.99, 22.99]],
  ])('%s on the bookshop', (path, expected) => {
    expect(titles(path)).toEqual(expected)
  })

  it.each<[string, unknown[]]>([
    ['$', [page]],
    ['$.data[*].id', [0, 1, 2]],
    ['$..[?(@.id)].id', [0, 1, 2, 7]],
    ['$.data[?@.id].id', [0, 1, 2]],
    ["$.data[?@.type == 'contact'].id", [0, 2]],
    ["$.data[?(@.type=='contact')].id", [0, 2]],
    ['$.data[?(@.active)].id', [0]],
    ['$.data[?(!@.active)].id', [1, 2]],
    ['$.data[?(@.active && !@.deleted)].id', [0]],
    ['$.data[?(@.active == false)].id', [1]],
    ['$.data[?(@.note == null)].id', [0, 2]],
    ['$.data[?(@.note === null)].id', [0]],
    ['$.data[?(@.note != null)].id', [1]],
    ['$.data[?(@.note === undefined)].id', [2]],
    ["$.data[?(@.id == '1')].id", []],
    ['$.data[?(@.id == 1.0)].id', [1]],
    ['$.data[?(@.at > "2024-01-31")].id', [2]],
    ['$.data[?(@.at)].id', [1, 2]],
    ['$.data[?(@.tags.length > 1)].id', [0]],
    ['$.data[?(@.tags.length-1 == 0)].id', [2]],
    ['$.data[?(@.tags[0] == "c")].id', [2]],
    ['$.data[?(@.tags[*])].id', [0, 2]],
    ["$.data[?(@.tags[?(@ == 'b')])].id", [0]],
    ['$.data[?(@..name)].id', [2]],
    ['$.data[?(@.content-type == "x/y")].id', [0]],
    ['$.data[?(@.owner.id % 4 == 3)].id', [2]],
    ['$.data[?(@.owner.name == "O\'Hara")].id', [2]],
    ["$.data[?(@.owner.name == 'O\\'Hara')].id", [2]],
    ['$.data[?(@.id / 0 > 1)].id', []],
    ['$.data[?(-@.id < -1)].id', [2]],
    ['$.data[?((@.id + 1) * 2 == 4)].id', [1]],
    ['$.data[?(@.id + 1 * 2 == 3)].id', [1]],
    ['$.data[?(@.type + "s" == "deals")].id', [1]],
    ['$.data[?(@.id > 0 == true)].id', [1, 2]],
    ['$.data[?(@ == $.data[1])].id', [1]],
    ['$.data[?(@.tags == $.data[0].tags)].id', [0]],
    ['$.data[?(@.missing < 1)].id', []],
    ['$.data[?(@.type < 1)].id', []],
    ['$.rows[?(@[0] > 1)][1]', ['b', 'c']],
    ['$.rows[*][0]', [1, 2, 3]],
    ["$['@odata.nextLink']", ['https://x.test/next']],
    ['$.soap:Body.@id', ['7']],
    ['$.soap:Body.#text', ['t']],
    ["$[?(@.@id == '7')].#text", ['t']],
    ["$['my list'][1:-1]", [20, 30, 40]],
    ["$['my list'][-2:]", [40, 50]],
    ["$['my list'][3:0:-2]", [40, 20]],
    ["$['my list'][100:200]", []],
    ["$['my list'][-100:1]", [10]],
    ["$['my list'][?(@ > 25)]", [30, 40, 50]],
    ['$.length', [99]],
    ['$.a-b.c-1', [1]],
    ['$["quo\'te"]', [1]],
    ["$['quo\\'te']", [1]],
    ["$['back\\\\slash']", [2]],
    ["$['\\u0064ata'][0].id", [0]],
    ["$['\\uD83D\\uDE00', 'length']", [99]],
    ['$.data[?@.é☺ == null].id', [0, 1, 2]],
    ['$.null', [null]],
    ['$.paging["next"]["after"]', ['x']],
    ['$.paging.next[after]', ['x']],
    ["$.['paging'].total", [3]],
  ])('%s on a page of records', (path, expected) => {
    expect(selectJsonPath(path, page)).toEqual(expected)
  })

  it('reads Maps, bigints and whole floats, and returns the values themselves', () => {
    const data = parseJson(
      '{"2":{"id":9007199254740993,"n":1.0},"1":{"id":9007199254740992,"n":2.50},"x":[{"10":"a","9":"b"}]}',
    )
    expect(data).toBeInstanceOf(Map)
    expect([
      selectJsonPath('$.*.id', data),
      selectJsonPath('$[?(@.id == 9007199254740993)].n', data),
      selectJsonPath('$[?(@.id > 9007199254740992)].n', data),
      selectJsonPath('$[?(@.id - 1 == 9007199254740992)].n', data),
      selectJsonPath('$[?(@.id % 2 == 1)].n', data),
      selectJsonPath('$[?(@.n == 1)].id', data),
      selectJsonPath('$[?(@.n * 2 == 5)].id', data),
      selectJsonPath("$['1'].n", data),
      selectJsonPath('$.x[0].*', data),
      selectJsonPath('$.x[0].10', data),
      selectJsonPath('$..n', data),
      selectJsonPath('$[?(@.id * 3 == 27021597764222979)].n', data),
    ]).toEqual([
      [9007199254740993n, 9007199254740992n],
      [new Float(1)],
      [new Float(1)],
      [new Float(1)],
      [new Float(1)],
      [9007199254740993n],
      [9007199254740992n],
      [2.5],
      ['a', 'b'],
      ['a'],
      [new Float(1), 2.5],
      [new Float(1)],
    ])
    expect(selectJsonPath('$.x', data)[0]).toBe((data as Map<string, Data>).get('x'))
  })

  it('returns the normalized path of every value', () => {
    expect(selectJsonPathNodes('$.data[?(@.owner)].owner.name', page)).toEqual([
      { path: "$['data'][2]['owner']['name']", value: "O'Hara" },
    ])
    expect(selectJsonPathNodes('$', 5)).toEqual([{ path: '$', value: 5 }])
    const paths = (path: string) => selectJsonPathNodes(path, page).map((node) => node.path)
    expect(paths('$..id')).toEqual([
      "$['data'][0]['id']",
      "$['data'][1]['id']",
      "$['data'][2]['id']",
      "$['data'][2]['owner']['id']",
    ])
    expect(paths("$['my list'][-1, 0, 1:3]")).toEqual([
      "$['my list'][4]",
      "$['my list'][0]",
      "$['my list'][1]",
      "$['my list'][2]",
    ])
    expect(paths('$.rows.0[(@.length-1)]')).toEqual(["$['rows'][0][1]"])
    expect(paths('$["quo\'te","back\\\\slash"]')).toEqual(["$['quo\\'te']", "$['back\\\\slash']"])
    expect(selectJsonPathNodes('$.*', { 'a\nb\u0001': 1 })[0]?.path).toBe("$['a\\nb\\u0001']")
  })

  it('finds exactly the original node by its normalized path', () => {
    const nodes = selectJsonPathNodes('$..*', page)
    expect(nodes.map((node) => selectJsonPath(node.path, page))).toEqual(nodes.map((node) => [node.value]))
    expect(nodes.length).toBeGreaterThan(50)
  })

  it('works on any value as the root', () => {
    const roots: Data[] = [null, 5, 'text', true, 5n, new Float(1), [], {}]
    expect(
      roots.map((root) => [
        selectJsonPath('$', root).length,
        selectJsonPath('$.a', root),
        selectJsonPath('$..*', root),
      ]),
    ).toEqual(roots.map(() => [1, [], []]))
    expect(selectJsonPath('$[?(@.a == 1)]', [{ a: 1 }, { a: 2 }, 3, null])).toEqual([{ a: 1 }])
    expect(selectJsonPath('$[0]', ['x'])).toEqual(['x'])
    expect(selectJsonPath('[0].a', [{ a: 1 }])).toEqual([1])
  })
})

describe('invalid paths', () => {
  it('are rejected with the position and a sentence', () => {
    const paths = [
      '', ' ', '$.', '$..', '$...a', '$.a[', '$.a[0', '$.a b', '@.a', '$.a)', '$[]', '$[a,]', '$[1.5]', "$['a", "$['a\\x']",
      '$[99999999999999999999]', '$.a^', '$.a.^', '$.a~', '$.`a', '$.a.@string()', '$[@.length-1]', '$[?]', '$[?(@.a]', '$[?@.a',
      '$[?(@.a && )]', '$[?(@.a = 1)]', '$[?(@.a =~ /x/)]', '$[?(/x/ == @.a)]', '$[?(@.a.match("x"))]', '$[?(size(@.a) > 1)]',
      '$[?(constructor)]', '$[?(@.a and @.b)]', '$[?(@..a == 1)]', '$[?(@.* > 1)]', '$[?(@parent.a)]', '$[?(@path)]',
      '$[?(@.a ; 1)]', '$[?(@.a, 1)]', '$.a()', '$[?(new Date)]', '$[?(@.a ? 1 : 2)]', '$[?(`x`)]', '$[?({})]', '$[?([1])]',
      '$[?(@.a = 5, true)]', '$[?(@.a++)]', ' $.a', '$.a ', '$.a&b', '$.a/b', '$.a\u00a0', '$[1a]', '$[+1]', '$[01]', '$[-0]', '$[:01]',
      "$['a\nb']", '$["\u0001"]', `$['\\"']`, `$["\\'"]`, "$['\\uD800']", "$['\\uD800\\u0041']", "$['\\uDE00']",
    ] // prettier-ignore
    expect(paths.map((path) => checkJsonPath(path)?.message ?? `accepted ${path}`)).toMatchInlineSnapshot(`
      [
        "JSONPath "", character 1: it is empty; write "$" for the whole value",
        "JSONPath " ", character 1: it is empty; write "$" for the whole value",
        "JSONPath "$.", character 3: a name is missing at the end",
        "JSONPath "$..", character 4: a name is missing at the end",
        "JSONPath "$...a", character 4: expected a name, found "."",
        "JSONPath "$.a[", character 4: this bracket is never closed",
        "JSONPath "$.a[0", character 4: this bracket is never closed",
        "JSONPath "$.a b", character 4: expected ".", "[" or the end, found " "; put a name with other characters in brackets and quotes: ['my name']",
        "JSONPath "@.a", character 2: "@" can only be used in a filter; a path begins with "$"",
        "JSONPath "$.a)", character 4: expected ".", "[" or the end, found ")"; put a name with other characters in brackets and quotes: ['my name']",
        "JSONPath "$[]", character 3: expected a name, an index or a filter, found "]"",
        "JSONPath "$[a,]", character 5: expected a name, an index or a filter, found "]"",
        "JSONPath "$[1.5]", character 3: an index is a whole number like 0 or -1; put a name that begins like a number in quotes",
        "JSONPath "$['a", character 3: this quote is never closed",
        "JSONPath "$['a\\x']", character 5: unknown escape; write a backslash itself as "\\\\"",
        "JSONPath "$[99999999999999999999]", character 3: the index 99999999999999999999 is too large",
        "JSONPath "$.a^", character 4: the parent operator "^" is not supported",
        "JSONPath "$.a.^", character 5: the parent operator "^" is not supported",
        "JSONPath "$.a~", character 4: the name operator "~" is not supported",
        "JSONPath "$.\`a", character 3: "\`" is not supported; write the name in brackets and quotes",
        "JSONPath "$.a.@string()", character 12: type operators like "@string()" are not supported; compare values in a filter",
        "JSONPath "$[@.length-1]", character 3: expected a name, an index or a filter, found "@"",
        "JSONPath "$[?]", character 4: expected a value, found "]"",
        "JSONPath "$[?(@.a]", character 8: expected an operator or ")", found "]"",
        "JSONPath "$[?@.a", character 2: this bracket is never closed",
        "JSONPath "$[?(@.a && )]", character 12: expected a value, found ")"",
        "JSONPath "$[?(@.a = 1)]", character 9: compare values with "=="",
        "JSONPath "$[?(@.a =~ /x/)]", character 11: write a regular expression as search(@.name, '…')",
        "JSONPath "$[?(/x/ == @.a)]", character 5: write a regular expression as search(@.name, '…')",
        "JSONPath "$[?(@.a.match("x"))]", character 14: values have no methods; the functions are length, count, value, match and search",
        "JSONPath "$[?(size(@.a) > 1)]", character 5: "size()" isn't a function; the functions are length, count, value, match and search",
        "JSONPath "$[?(constructor)]", character 5: "constructor" isn't valid here; write "@.constructor", or put a string in quotes",
        "JSONPath "$[?(@.a and @.b)]", character 12: write "&&" for "and"",
        "JSONPath "$[?(@..a == 1)]", character 5: "==" needs one value, but this path can select several",
        "JSONPath "$[?(@.* > 1)]", character 5: ">" needs one value, but this path can select several",
        "JSONPath "$[?(@parent.a)]", character 6: "@parent" is not supported; write "@.parent" for the member",
        "JSONPath "$[?(@path)]", character 6: "@path" is not supported; write "@.path" for the member",
        "JSONPath "$[?(@.a ; 1)]", character 9: expected an operator or ")", found ";"",
        "JSONPath "$[?(@.a, 1)]", character 8: expected an operator or ")", found ","",
        "JSONPath "$.a()", character 4: functions can only be called in a filter: $[?length(@.name) > 0]",
        "JSONPath "$[?(new Date)]", character 5: "new" isn't valid here; write "@.new", or put a string in quotes",
        "JSONPath "$[?(@.a ? 1 : 2)]", character 9: expected an operator or ")", found "?"",
        "JSONPath "$[?(\`x\`)]", character 5: expected a value, found "\`"",
        "JSONPath "$[?({})]", character 5: expected a value, found "{"",
        "JSONPath "$[?([1])]", character 5: expected a value, found "["",
        "JSONPath "$[?(@.a = 5, true)]", character 9: compare values with "=="",
        "JSONPath "$[?(@.a++)]", character 9: expected a value, found "+"",
        "JSONPath " $.a", character 1: remove the space before the path",
        "JSONPath "$.a ", character 4: remove the space after the path",
        "JSONPath "$.a&b", character 4: expected ".", "[" or the end, found "&"; put a name with other characters in brackets and quotes: ['my name']",
        "JSONPath "$.a/b", character 4: expected ".", "[" or the end, found "/"; put a name with other characters in brackets and quotes: ['my name']",
        "JSONPath "$.a ", character 4: remove the space after the path",
        "JSONPath "$[1a]", character 3: an index is a whole number like 0 or -1; put a name that begins like a number in quotes",
        "JSONPath "$[+1]", character 3: an index is a whole number like 0 or -1; put a name that begins like a number in quotes",
        "JSONPath "$[01]", character 3: write 1 instead of 01",
        "JSONPath "$[-0]", character 3: write 0 instead of -0",
        "JSONPath "$[:01]", character 3: write 1 instead of 01",
        "JSONPath "$['a
      b']", character 5: write this control character as \\n",
        "JSONPath "$[""]", character 4: write this control character as \\u0001",
        "JSONPath "$['\\"']", character 4: write " without a backslash in these quotes",
        "JSONPath "$["\\'"]", character 4: write ' without a backslash in these quotes",
        "JSONPath "$['\\uD800']", character 4: this escape is half of a surrogate pair; write both halves, as in "\\uD83D\\uDE00"",
        "JSONPath "$['\\uD800\\u0041']", character 4: this escape is half of a surrogate pair; write both halves, as in "\\uD83D\\uDE00"",
        "JSONPath "$['\\uDE00']", character 4: this escape is half of a surrogate pair; write both halves, as in "\\uD83D\\uDE00"",
      ]
    `)
    for (const path of paths) expect(() => selectJsonPath(path, page)).toThrow(JsonPathError)
  })

  it('have a code and a position', () => {
    expect(checkJsonPath('$.a[')).toEqual({
      position: 3,
      message: expect.stringContaining('never closed'),
      said: {
        key: 'JSONPath {{0}}, character {{1}}: {{2}}',
        params: { 0: '"$.a["', 1: 4, 2: { key: 'this bracket is never closed', params: {} } },
      },
    })
    expect(checkJsonPath('$.a[0]')).toBe(null)
    const error = new JsonPathError({ key: 'x', params: {} }, 3)
    expect({ code: error.code, position: error.position, isError: error instanceof Error }).toEqual({
      code: 'jsonpath_error',
      position: 3,
      isError: true,
    })
  })

  it('are rejected if longer than 1,000 characters or nested deeper than 40 levels', () => {
    expect(checkJsonPath(`$.${'a'.repeat(998)}`)).toBe(null)
    expect(checkJsonPath(`$.${'a'.repeat(999)}`)?.message).toMatch(/1001 characters/)
    expect(checkJsonPath('x'.repeat(5_000_000))?.message.length).toBeLessThan(200)
    for (const nested of ['(', '!', '@[?', '@[(', '!(', '-(', 'length(', 'match(@,']) {
      expect(checkJsonPath(`$[?${nested.repeat(100)}1`)?.message).toMatch(/nested deeper/)
    }
    expect(checkJsonPath(`$${'[?@'.repeat(40)}${']'.repeat(40)}`)).toBe(null)
  })
})

describe('hostile paths', () => {
  it('never reach a prototype, a function or a member that is not data', () => {
    const data = JSON.parse('{"a":{"b":1},"l":[1,2],"s":"text"}') as Data
    const paths = [
      'constructor', '__proto__', 'a.constructor', 'a.constructor.constructor', 'l.constructor', 'l.push', 'l.map', 's.constructor',
      's.at', 'a.toString', 'a.hasOwnProperty', "a['__proto__']", "['constructor']['prototype']", '..constructor', '..__proto__', 'l.__proto__',
      's.__proto__', 'l.at', 'l[at]', 'l["length"]', 's["length"]', 's[0]', 's.0', 'l["0"]',
    ] // prettier-ignore
    expect(paths.flatMap((path) => selectJsonPath(path, data))).toEqual([])
    const filters = [
      '@.constructor',
      '@.__proto__',
      "@['constructor']",
      '@.constructor.name',
      '@.toString',
      '@.l.push',
      '@.valueOf == $.valueOf && @.valueOf',
    ]
    expect(filters.flatMap((filter) => selectJsonPath(`$..[?(${filter})]`, data))).toEqual([])
    expect(selectJsonPath("$['l'][('constructor')]", data)).toEqual([])
    expect(selectJsonPath('$[("__pro" + "to__")]', data)).toEqual([])
  })

  it('treat own keys with such names as data', () => {
    const data = parseJson('{"constructor":{"prototype":1},"toString":2,"hasOwnProperty":3,"length":4}')
    expect(selectJsonPath('$..prototype', data)).toEqual([1])
    expect(selectJsonPath('$.toString', data)).toEqual([2])
    expect(selectJsonPath('$[?(@ > 2)]', data)).toEqual([3, 4])
    expect(selectJsonPath('$.length', data)).toEqual([4])
  })

  it('cannot change the data', () => {
    const text = '{"a":[{"b":1},{"b":2}],"c":{"d":[]}}'
    const data = parseJson(text)
    for (const path of [
      '$..*',
      '$..[?(@.b == 1)]',
      '$.a[::-1]',
      '$.a[(@.length - 1)]',
      '$..[?(@.b + 1 > 2)]',
    ])
      selectJsonPath(path, data)
    expect(data).toEqual(parseJson(text))
    expect(
      ['$[?(@.a = 1)]', '$[?(@.a += 1)]', '$[?(delete @.a)]', '$[?(@.a++)]'].map(
        (path) => checkJsonPath(path) === null,
      ),
    ).toEqual([false, false, false, false])
  })

  it('end soon, whatever they combine', () => {
    const deep = parseJson(`${'['.repeat(60)}1${',1]'.repeat(60)}`)
    const wide = { l: Array.from({ length: 200_000 }, (_, index) => index) }
    const texts = { a: 'x'.repeat(1_000_000), b: 'x'.repeat(1_000_000), l: wide.l }
    const digits = { l: Array.from({ length: 2000 }, () => ({ n: 10n ** 4000n })) }
    const probes: [string, Data][] = [
      [`$${'..*'.repeat(4)}`, deep],
      [`$${'..*'.repeat(300)}`, deep],
      [`$${'..[?@'.repeat(30)}${']'.repeat(30)}`, deep],
      [`$[${'*,'.repeat(400)}*]${'[*,*]'.repeat(30)}`, deep],
      ['$.l[?($.l[*] && $.l[?(@ == -1)])]', wide],
      ['$.l[?($..nothing)]', wide],
      ['$.l[?($.a == $.b)]', texts],
      ['$.l[?($.a < $.b)]', texts],
      [`$.l[?(${'$.a + '.repeat(100)} $.a == 1)]`, texts],
      [`$.l[?(${'@ * '.repeat(200)} 1 < 0)]`, wide],
      [`$.l[?(${'@.n * '.repeat(100)} 1 < 0)]`, digits],
      [`$.l[?(${'@.n - '.repeat(100)} 1 < 0)]`, digits],
    ]
    // Each takes at most a fifth of a second by itself; without limits most would exceed the time limit of a test.
    expect(probes.map(([path, data]) => selectOrRefuse(path, data))).toHaveLength(probes.length)
  })

  it('report the limit they reached', () => {
    const list = Array.from({ length: 100 }, () => [1])
    expect(() => selectJsonPath('$..*', list, { maxSteps: 50 })).toThrow(/takes more than 50 steps/)
    expect(selectJsonPath('$[*]', list, { maxSteps: 102 })).toHaveLength(100)
    let deep: Data = 1
    for (let depth = 0; depth < 70; depth++) deep = [deep]
    expect(() => selectJsonPath('$..*', deep)).toThrow(/nested deeper than 64 levels/)
    expect(selectJsonPath('$..*', deep, { maxDepth: 70 })).toHaveLength(70)
  })

  it('compare strings by code point', () => {
    const data = ['\u{1F600}', '\uFF5E', 'a']
    expect(selectJsonPath('$[?(@ > "\uFF5E")]', data)).toEqual(['\u{1F600}'])
    expect(selectJsonPath('$[?(@ < "\u{1F600}")]', data)).toEqual(['\uFF5E', 'a'])
  })
})

function selectOrRefuse(path: string, data: Data): void {
  try {
    selectJsonPath(path, data)
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
  }
}

function titleOf(found: Data): Data {
  return isDictionary(found) ? (getKey(found, 'title') ?? found) : found
}
