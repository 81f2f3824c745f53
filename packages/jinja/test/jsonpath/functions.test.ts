import { beforeAll, describe, expect, it } from 'vitest'
import { parseJson } from '../../src/data/json.ts'
import type { Data } from '../../src/data/value.ts'
import { checkJsonPath, JsonPathError, selectJsonPath, setPlusEvaluator } from '../../src/jsonpath/index.ts'

// Millrace sets the evaluator for the whole process.
beforeAll(() => setPlusEvaluator(null))

const records = parseJson(`[
  {"id": 0, "name": "Ann Lee", "tags": ["new", "vip"], "owner": {"id": 7, "mail": "ann@x.test"}, "note": null},
  {"id": 1, "name": "Bo", "tags": [], "pattern": "B.", "note": "\u{1F600}"},
  {"id": 2, "tags": "none", "owner": {"10": 1, "9": 2}, "pattern": "("}
]`)

const idsWhere = (filter: string) => selectJsonPath(`$[?${filter}].id`, records)

describe('functions in filters', () => {
  it.each<[string, number[]]>([
    ['length(@.name) > 2', [0]],
    ['length(@.tags) == 0', [1]],
    ['length(@.tags) == 4', [2]],
    ['length(@.owner) == 2', [0, 2]],
    ['length(@.note) == 1', [1]],
    ['length(@.id) == 1', []],
    ['length(@.name) == length(@.missing)', [2]],
    ['length(@.tags) - 1 == 1', [0]],
    ['-length(@.tags) < -3', [2]],
    ["length(@.name + '!') == 3", [1]],
    ['length((@.tags)) == 2', [0]],
    ['length(value(@..mail)) == 10', [0]],
    ['(length(@.tags) > 0) == true', [0, 2]],
    ['count(@.tags[*]) > 1', [0]],
    ['count(@..id) == 2', [0]],
    ['count(@.name) == 0', [2]],
    ['count(@) + count($[*]) == 4', [0, 1, 2]],
    ["count(@.tags[?@ == 'vip']) == 1", [0]],
    ['value(@.tags[*]) == null', [0, 1, 2]],
    ['value(@.owner.mail) == "ann@x.test"', [0]],
    ['value(@..mail) != null', [0]],
    ["match(@.name, 'A.*')", [0]],
    ["match(@.name, 'B')", []],
    ["search(@.name, 'B')", [1]],
    ["!search(@.name, 'B')", [0, 2]],
    ["search(@.name, 'Lee') && @.owner", [0]],
    ['match(@.name, @.pattern)', [1]],
    ['search(@.name, $[1].pattern)', [1]],
    ["match(@.id, '1')", []],
    ["match('1', '[0-9]')", [0, 1, 2]],
    ["match(value(@..mail), '[^@]+@x\\\\.test')", [0]],
  ])('%s', (filter, expected) => {
    expect(idsWhere(filter)).toEqual(expected)
  })

  it('match the name or index of the value', () => {
    const data = { 'data-1': 1, 'data-2': 2, meta: 3 }
    expect(selectJsonPath("$[?match(@property, 'data-[0-9]')]", data)).toEqual([1, 2])
    expect(selectJsonPath('$.l[(length(@) - 1)]', { l: [1, 2, 3] })).toEqual([3])
  })

  it('treat an invalid pattern in the data as one that matches nothing', () => {
    expect(idsWhere("match('(', @.pattern)")).toEqual([])
    expect(idsWhere("search('(', @.pattern)")).toEqual([])
  })
})

describe('invalid function calls', () => {
  it('are rejected with the position and a sentence', () => {
    const filters = [
      'length(@.a)', 'count(@.*)', 'value(@.a)', '!count(@.*)', '@.a && length(@.a)', "match(@.a, 'x') == true", "1 + search(@.a, 'x') == 2",
      'length()', 'length(@.a, @.b) > 1', 'length(@.*) > 1', 'length(@.a == 1) > 1', 'length(!@.a) > 1', "length(match(@.a, 'x')) > 1",
      'count() > 1', 'count(1) > 1', "count('a') > 1", 'count(length(@.a)) > 1', 'count(@.a, @.b) > 1', 'count(@.a > 1', 'count (@.a) > 1',
      'match(@.a)', "match(@.a 'x')", "match(@.a, 'x', 'y')", 'match(@.*, "x")', 'match(@.a, @.*)', 'Length(@.a) > 1', 'keys(@) == 1',
      "match(@.a, '(')", "search(@.a, '\\\\d+')", "match(@.a, 'a{1001}{2}')", "match(@.a, 'a{2001}')", "match(@.a, '\\d')", 'true', '!null',
      "@.a || 'x'", 'value == 1', '$[(@.*)]', '$[(@.a == 1)]', '--1 < @.a', '- 1 < @.a', '@.a == 01', '-@.* < 1',
    ] // prettier-ignore
    expect(filters.map((filter) => checkJsonPath(`$[?${filter}]`)?.message ?? `accepted ${filter}`))
      .toMatchInlineSnapshot(`
        [
          "JSONPath "$[?length(@.a)]", character 4: length() is not a test; compare it with something",
          "JSONPath "$[?count(@.*)]", character 4: count() is not a test; compare it with something",
          "JSONPath "$[?value(@.a)]", character 4: value() is not a test; compare it with something",
          "JSONPath "$[?!count(@.*)]", character 5: count() is not a test; compare it with something",
          "JSONPath "$[?@.a && length(@.a)]", character 11: length() is not a test; compare it with something",
          "JSONPath "$[?match(@.a, 'x') == true]", character 4: "==" needs a value, but match() is a test",
          "JSONPath "$[?1 + search(@.a, 'x') == 2]", character 8: "+" needs a value, but search() is a test",
          "JSONPath "$[?length()]", character 11: too few arguments; write length(value)",
          "JSONPath "$[?length(@.a, @.b) > 1]", character 14: too many arguments; write length(value)",
          "JSONPath "$[?length(@.*) > 1]", character 11: length() needs one value, but this path can select several",
          "JSONPath "$[?length(@.a == 1) > 1]", character 11: length() needs a value, not a test",
          "JSONPath "$[?length(!@.a) > 1]", character 11: length() needs a value, not a test",
          "JSONPath "$[?length(match(@.a, 'x')) > 1]", character 11: length() needs a value, but match() is a test",
          "JSONPath "$[?count() > 1]", character 10: too few arguments; write count(path)",
          "JSONPath "$[?count(1) > 1]", character 10: count() needs a path, such as "@.items[*]"",
          "JSONPath "$[?count('a') > 1]", character 10: count() needs a path, such as "@.items[*]"",
          "JSONPath "$[?count(length(@.a)) > 1]", character 10: count() needs a path, such as "@.items[*]"",
          "JSONPath "$[?count(@.a, @.b) > 1]", character 13: too many arguments; write count(path)",
          "JSONPath "$[?count(@.a > 1]", character 10: count() needs a path, such as "@.items[*]"",
          "JSONPath "$[?count (@.a) > 1]", character 4: write count(path), without a space",
          "JSONPath "$[?match(@.a)]", character 13: too few arguments; write match(text, pattern)",
          "JSONPath "$[?match(@.a 'x')]", character 14: expected an operator or ",", found "'"",
          "JSONPath "$[?match(@.a, 'x', 'y')]", character 18: too many arguments; write match(text, pattern)",
          "JSONPath "$[?match(@.*, "x")]", character 10: match() needs one value, but this path can select several",
          "JSONPath "$[?match(@.a, @.*)]", character 15: match() needs one value, but this path can select several",
          "JSONPath "$[?Length(@.a) > 1]", character 4: "Length()" isn't a function; the functions are length, count, value, match and search",
          "JSONPath "$[?keys(@) == 1]", character 4: "keys()" isn't a function; the functions are length, count, value, match and search",
          "JSONPath "$[?match(@.a, '(')]", character 15: the pattern "(" is not an I-Regexp (RFC 9485): character 1: this parenthesis is never closed",
          "JSONPath "$[?search(@.a, '\\\\d+')]", character 16: the pattern "\\d+" is not an I-Regexp (RFC 9485): character 1: write "[0-9]" for "\\d"",
          "JSONPath "$[?match(@.a, 'a{1001}{2}')]", character 15: the pattern "a{1001}{2}" is not an I-Regexp (RFC 9485): character 8: "{" has nothing to repeat",
          "JSONPath "$[?match(@.a, 'a{2001}')]", character 15: the pattern "a{2001}" is too large: its counts add up to more than 2000 characters",
          "JSONPath "$[?match(@.a, '\\d')]", character 16: unknown escape; write a backslash itself as "\\\\"",
          "JSONPath "$[?true]", character 4: true is not a test; compare it with something",
          "JSONPath "$[?!null]", character 5: null is not a test; compare it with something",
          "JSONPath "$[?@.a || 'x']", character 11: "x" is not a test; compare it with something",
          "JSONPath "$[?value == 1]", character 4: "value" isn't valid here; write "@.value", or put a string in quotes",
          "JSONPath "$[?$[(@.*)]]", character 6: "[(…)]" needs one value, but this path can select several",
          "JSONPath "$[?$[(@.a == 1)]]", character 6: "[(…)]" needs a value, not a test",
          "JSONPath "$[?--1 < @.a]", character 5: a minus must be directly followed by a number, a path, a function or "("",
          "JSONPath "$[?- 1 < @.a]", character 5: a minus must be directly followed by a number, a path, a function or "("",
          "JSONPath "$[?@.a == 01]", character 11: a number has no leading zeros",
          "JSONPath "$[?-@.* < 1]", character 5: "-" needs one value, but this path can select several",
        ]
      `)
  })

  it('report a pattern in the data that is too large', () => {
    const patterns = {
      long: 'a'.repeat(1001),
      deep: `${'('.repeat(41)}a${')'.repeat(41)}`,
      wide: '(a{50}){50}',
    }
    expect(Object.keys(patterns).map((key) => messageOf(`$[?match('a', $.${key})]`, patterns)))
      .toMatchInlineSnapshot(`
      [
        "the pattern "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" is too large: it has 1001 characters; at most 1000 are allowed",
        "the pattern "(((((((((((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))))))))))" is too large: groups are nested deeper than 40 levels",
        "the pattern "(a{50}){50}" is too large: its counts add up to more than 2000 characters",
      ]
    `)
  })
})

it('end soon, whatever strings and patterns they get', () => {
  const texts = { a: 'ab'.repeat(10_000), l: Array.from({ length: 10_000 }, (_, index) => `${index}`) }
  const large = { t: 'x'.repeat(1_000_000), l: texts.l }
  const patterns = Array.from({ length: 10_000 }, (_, index) => `(a?){400}[a-z]{300}${index}`)
  const probes: [string, Data][] = [
    ["$.l[?match($.a, '(a|b)*a(a|b){300}c')]", texts],
    ["$.l[?search($.a, '((a*)*)*((b*)*)*c')]", texts],
    ["$.l[?search($.a, '(a?){300}(a){300}c')]", texts],
    ["$.l[?search($.t, '[a-c][d-f]|y|z')]", large],
    ['$.l[?length($.t) == 1]', large],
    ["$[?match('aaa', @)]", patterns],
    ['$[?search(@, @)]', patterns],
    [`$.l[?${"search($.t, 'yx') || ".repeat(40)} @.a]`, large],
  ]
  // Each takes at most a fifth of a second by itself; without limits most would exceed the time limit of a test.
  expect(probes.map(([path, data]) => messageOf(path, data))).toEqual(
    probes.map(() => expect.stringMatching(/takes more than 2000000 steps/)),
  )
})

function messageOf(path: string, data: Data): string {
  try {
    return `selected ${selectJsonPath(path, data).length}`
  } catch (error) {
    if (error instanceof JsonPathError) return error.message
    throw error
  }
}
