import { describe, expect, it } from 'vitest'
import { equalData, estimateBytes } from '../../src/data/deep.ts'
import { JsonError, OWN_JSON_LIMITS, parseJson, parseLargeJson, writeJson } from '../../src/data/json.ts'
import { type Data, Float, getKey, isDictionary, isList, isOfDictionary } from '../../src/data/value.ts'
import { randomFrom } from '../../../../test/helpers/random.ts'

const float = (value: number) => new Float(value)
const read = (text: string) => parseJson(text)
const map = (...entries: [string, Data][]) => new Map<string, Data>(entries)

function problemOf(text: string, limits = {}): JsonError {
  try {
    parseJson(text, limits)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error(`accepted: ${text.slice(0, 80)}`)
}

describe('reading JSON', () => {
  it.each<[string, Data]>([
    ['null', null],
    [' true ', true],
    ['"a"', 'a'],
    ['\uFEFF{"a":1}', { a: 1 }],
    ['0', 0],
    ['-0', 0],
    ['[-0]', [0]],
    ['-1', -1],
    ['1.5', 1.5],
    ['-12.25', -12.25],
    ['1.0', float(1)],
    ['[1.50, 2.00, -3.0]', [1.5, float(2), float(-3)]],
    ['0.0', float(0)],
    ['-0.0', float(-0)],
    ['1e2', float(100)],
    ['{"a":1E+2}', { a: float(100) }],
    ['15e-1', 1.5],
    ['1e-7', 1e-7],
    ['1e300', float(1e300)],
    ['1e-400', float(0)],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['{"id":9007199254740993}', { id: 9007199254740993n }],
    ['-123456789012345678901234567890', -123456789012345678901234567890n],
    ['123456789012345', 123456789012345],
    ['1234567890123.99999', float(1234567890124)],
    ['0.99999999999999999999', float(1)],
    ['0.1234567890123456789', 0.12345678901234568],
    ['"9007199254740993"', '9007199254740993'],
    ['"1.0"', '1.0'],
    ['"a\\u0041\\n\\\\\\"\\/"', 'aA\n\\"/'],
    ['["a\\\\",1.0]', ['a\\', float(1)]],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\ud800"', '\ud800'],
    ['{}', {}],
    ['[]', []],
    ['[[],{},[{}]]', [[], {}, [{}]]],
    ['{"a":1,"b":2,"a":3}', { a: 3, b: 2 }],
    ['{"a":1.0,"b":2,"a":3}', { a: 3, b: 2 }],
    [
      '{"constructor":1,"toString":2,"hasOwnProperty":null}',
      { constructor: 1, toString: 2, hasOwnProperty: null },
    ],
    ['{"constructor":1.0}', { constructor: float(1) }],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(withoutPrototypes(expected))
  })

  it('keeps the order of keys that an object would sort', () => {
    expect([
      read('{"2":1,"1":2}'),
      read('{"b":1,"10":2}'),
      read('[{"x":{"1":"a","0":"b"}}]'),
      read('{"1":"a","2":"b","n":3}'),
      read('{"01":1,"1.5":2,"-1":3,"4294967295":4,"0":5}'),
      read('{"\\u0032":1,"1":2}'),
    ]).toEqual([
      map(['2', 1], ['1', 2]),
      map(['b', 1], ['10', 2]),
      [withoutPrototypes({ x: map(['1', 'a'], ['0', 'b']) })],
      withoutPrototypes({ 1: 'a', 2: 'b', n: 3 }),
      map(['01', 1], ['1.5', 2], ['-1', 3], ['4294967295', 4], ['0', 5]),
      map(['2', 1], ['1', 2]),
    ])
  })

  it('drops the key __proto__ and reads no inherited keys, with either parser', () => {
    for (const text of [
      '{"__proto__":{"x":1},"a":{"__proto__":1,"b":[{"__proto__":2,"c":3}]}}',
      '{"__proto__":{"x":1.0},"a":{"__proto__":1e0,"b":[{"\\u005f_proto__":2,"c":3}]}, "z": 1.5e1, "n":1}',
      '{"5":1,"__proto__":{"x":1},"1":2}',
    ]) {
      const keys = allKeys(read(text))
      expect(keys).not.toContain('__proto__')
      expect(keys.length).toBeGreaterThan(1)
    }
    expect(({} as Record<string, unknown>).x).toBe(undefined)
  })

  it('reports where the input stops being JSON and what is wrong there', () => {
    const problems = [
      '',
      '  ',
      '{"a":1,}',
      '{\n  "a": 1\n  "b": 2\n}',
      '[1 2]',
      '{a: 1}',
      "{'a': 1}",
      '{"a" 1}',
      '{"a":}',
      '[1,]',
      '01',
      '1.',
      '.5',
      '+1',
      '-',
      '1e',
      'nul',
      'NaN',
      'Infinity',
      '"abc',
      '"a\nb"',
      '"\\x41"',
      '"\\u00g1"',
      '{"a":1} {"b":2}',
      '[',
      '{"a":1.0',
      '1e999',
      'undefined',
      '😀',
    ].map((text) => `${text.slice(0, 30)} → ${problemOf(text).message}`)
    expect(problems).toMatchInlineSnapshot(`
      [
        " → Line 1, column 1: expected JSON, but the text is empty.",
        "   → Line 1, column 3: expected JSON, but the text is empty.",
        "{"a":1,} → Line 1, column 8: expected a key in double quotes, found "}".",
        "{
        "a": 1
        "b": 2
      } → Line 3, column 3: expected "," or "}", found a double quote.",
        "[1 2] → Line 1, column 4: expected "," or "]", found "2".",
        "{a: 1} → Line 1, column 2: expected a key in double quotes, found "a".",
        "{'a': 1} → Line 1, column 2: expected a key in double quotes, found "'".",
        "{"a" 1} → Line 1, column 6: expected ":" after a key, found "1".",
        "{"a":} → Line 1, column 6: expected a value, found "}".",
        "[1,] → Line 1, column 4: expected a value, found "]".",
        "01 → Line 1, column 2: the JSON value ends before "1"; remove what follows it.",
        "1. → Line 1, column 2: the JSON value ends before "."; remove what follows it.",
        ".5 → Line 1, column 1: expected a value, found ".".",
        "+1 → Line 1, column 1: expected a value, found "+".",
        "- → Line 1, column 1: expected a value, found "-".",
        "1e → Line 1, column 2: the JSON value ends before "e"; remove what follows it.",
        "nul → Line 1, column 1: expected a value, found "n".",
        "NaN → Line 1, column 1: expected a value, found "N".",
        "Infinity → Line 1, column 1: expected a value, found "I".",
        ""abc → Line 1, column 1: this string is never closed; a double quote is missing.",
        ""a
      b" → Line 1, column 3: a control character in a string must be written as an escape.",
        ""\\x41" → Line 1, column 2: unknown escape; write a backslash itself as "\\\\".",
        ""\\u00g1" → Line 1, column 2: unknown escape; write a backslash itself as "\\\\".",
        "{"a":1} {"b":2} → Line 1, column 9: the JSON value ends before "{"; remove what follows it.",
        "[ → Line 1, column 2: expected a value, found the end of the text.",
        "{"a":1.0 → Line 1, column 9: expected "," or "}", found the end of the text.",
        "1e999 → Line 1, column 1: the number is too large for a float.",
        "undefined → Line 1, column 1: expected a value, found "u".",
        "😀 → Line 1, column 1: expected a value, found "😀".",
      ]
    `)
  })

  it('applies the limits on depth, values and digits exactly', () => {
    const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth)
    expect(read(nested(64))).toBeInstanceOf(Array)
    expect(read(nested(64, '1.0'))).toBeInstanceOf(Array)
    expect(problemOf(nested(65)).message).toBe('Line 1, column 65: the JSON is nested deeper than 64 levels.')
    expect(problemOf('['.repeat(1_000_000))).toMatchObject({ reason: 'limit', column: 65 })
    expect(problemOf('{"a":'.repeat(1_000_000))).toMatchObject({ reason: 'limit' })

    const ones = (count: number) => `[${'1,'.repeat(count - 1)}1]`
    expect(read(ones(499_999))).toHaveLength(499_999)
    expect(problemOf(ones(500_000)).message).toMatch(/has more than 500000 values/)
    expect(read('[[],[],[],[]]')).toHaveLength(4)
    expect(parseJson('[[],[],[],[]]', { maxValues: 5 })).toHaveLength(4)
    expect(problemOf('[[],[],[],[]]', { maxValues: 4 }).reason).toBe('limit')
    expect(parseJson('[[1]]', { maxDepth: 2 })).toEqual([[1]])
    expect(problemOf('[[[1]]]', { maxDepth: 2 }).reason).toBe('limit')

    expect(read('9'.repeat(4300))).toBe(BigInt('9'.repeat(4300)))
    expect(problemOf('9'.repeat(4301)).reason).toBe('limit')
    const long = (count: number, digits: number) => `[${Array(count).fill('9'.repeat(digits)).join()}]`
    expect(read(long(100, 4300))).toHaveLength(100)
    expect(problemOf(long(101, 4300)).message).toMatch(/integers with more than 100 digits have more/)
    expect(read(long(5_000, 100))).toHaveLength(5_000)
    expect(parseJson(long(101, 5_000), OWN_JSON_LIMITS)).toHaveLength(101)
    expect(problemOf('1e400').reason).toBe('number')
  })

  it('reads the first of very many keys without iterating over all of them', () => {
    const text = `{${Array.from({ length: 300_000 }, (_, index) => `"key${index}":${index}`).join()}}`
    const value = read(`{"__proto__":1,${text.slice(1)}`)
    expect([writeJson(value), writeJson([value, 1n])]).toEqual([text, `[${text},1]`])
    // Iterating over all of them each time would exceed the time limit of a test.
    for (let look = 0; look < 20_000; look++) estimateBytes(value, 1_000)
  })

  it('accepts and rejects exactly what JSON.parse does', () => {
    const random = randomFrom(7)
    const pieces = [
      ...'{}[]:,"\\ -+.eE012',
      'true',
      'false',
      'null',
      '"a"',
      '"b":',
      '\\u0041',
      '1.5',
      '\n',
      '\u0001',
      'é',
    ]
    const differing: string[] = []
    let valid = 0
    for (let round = 0; round < 60_000; round++) {
      const text = Array.from({ length: 1 + random(7) }, () => pieces[random(pieces.length)]).join('')
      const expected = outcome(() => JSON.parse(text))
      const actual = outcome(() => JSON.parse(writeJson(read(text))))
      if (expected !== 'refused') valid++
      if (actual !== expected) differing.push(text)
    }
    expect(differing).toEqual([])
    expect(valid).toBeGreaterThan(500)
  })

  // Quadratic work would exceed the time limit of a test.
  it('reads ten megabytes of numbers, of quotes and of backslashes', () => {
    const big = 5_000_000
    problemOf('1'.repeat(big))
    problemOf('"'.repeat(big))
    problemOf('\\'.repeat(big))
    problemOf(`"${'\\'.repeat(big)}`)
    problemOf(`[${'1.'.repeat(big / 2)}`)
    expect(read(`"${'\\\\'.repeat(big / 2)}"`)).toHaveLength(big / 2)
  })
})

describe('writing JSON', () => {
  it('is the inverse of reading', () => {
    const texts = [
      'null',
      '[1,1.0,1.5,-0.0,9007199254740993,-5]',
      '{"2":1,"1":[2.0],"a":{"z":null,"b":{}}}',
      '{"a":"\\"\\\\\\n","b":"é😀"}',
      '[]',
      '{}',
      '1e+300',
      '{"constructor":1}',
    ]
    expect(texts.map((text) => writeJson(read(text)))).toEqual(texts)
  })

  it('indents like JSON.stringify', () => {
    const value = { a: [1, { b: [] }, {}], c: 'x' }
    expect(writeJson(value, 2)).toBe(JSON.stringify(value, null, 2))
    expect(writeJson({ ...value, d: float(1) }, 2)).toBe(
      JSON.stringify({ ...value, d: 'X' }, null, 2).replace('"X"', '1.0'),
    )
  })

  it('writes values that JSON does not have as null', () => {
    expect(writeJson([Number.NaN, Infinity, float(-Infinity)])).toBe('[null,null,null]')
  })

  it('leaves out keys without a value, even next to numbers that JSON.stringify cannot write', () => {
    // Objects created in code can have such keys, although they aren't Data.
    const record = { a: undefined, b: 2n, c: { d: undefined } } as never
    expect(writeJson(record)).toBe('{"b":2,"c":{}}')
  })
})

/** The keys of every object in a value; none may have others. */
function allKeys(data: Data): string[] {
  if (data instanceof Map) return [...data].flatMap(([key, item]) => [key, ...allKeys(item)])
  if (isList(data)) return data.flatMap(allKeys)
  if (!isDictionary(data)) return []
  expect(isOfDictionary(Object.getPrototypeOf(data))).toBe(true)
  expect([getKey(data, 'toString'), getKey(data, 'constructor'), getKey(data, 'x0')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  return Object.entries(data).flatMap(([key, item]) => [key, ...allKeys(item)])
}

/** The result of a parser as a string, where -0 and 0 are the same. */
function outcome(readAgain: () => unknown): string {
  try {
    return JSON.stringify(readAgain())
  } catch {
    return 'refused'
  }
}

function withoutPrototypes(value: Data): Data {
  if (typeof value !== 'object' || value === null || value instanceof Float || value instanceof Map)
    return value
  if (Array.isArray(value)) return value.map((item: Data) => withoutPrototypes(item))
  const copy = Object.create(null) as Record<string, Data>
  for (const [key, item] of Object.entries(value)) copy[key] = withoutPrototypes(item)
  return copy
}

describe('parsing large JSON in slices', () => {
  const filler = `"filler":[${Array.from({ length: 60_000 }, (_, at) => `{"n":${at}}`).join()}]`
  const large = (members: string) => `{${members},${filler}}`

  it('returns the same as parsing it at once: numbers, order, escapes', async () => {
    const text = large(
      '"10":1.0,"2":12345678901234567890,"e":1e2,"z":-0,"t":"\\u00e9\\n","list":[1,[],{}],"none":null',
    )
    const value = await parseLargeJson(text)
    expect(equalData(value, parseJson(text))).toBe(true)
    expect(writeJson(value)).toBe(text)
    expect(writeJson([{ held: value }])).toBe(`[{"held":${text}}]`)
  })

  it('drops what parsing at once drops, and writes nothing that was dropped', async () => {
    for (const members of ['"a":1,"a":2', '"__proto__":{"b":1},"a":2', '"in":{"a":1,"a":2}']) {
      const text = large(members)
      expect(writeJson(await parseLargeJson(text))).toBe(writeJson(parseJson(text)))
    }
    const keys = Array.from({ length: 20_000 }, (_, at) => `"key${at}":${at}`).join()
    const twice = large(`${keys},"key7":true`)
    const value = await parseLargeJson(twice)
    expect([isDictionary(value) && getKey(value, 'key7'), writeJson(value)]).toEqual([
      true,
      writeJson(parseJson(twice)),
    ])
  })

  it('fails with the same message', async () => {
    const wrong = [large('"a":01'), large('"a":"\t"'), `${large('"a":1')}x`, large('"a":1').slice(0, -1)]
    for (const text of [...wrong, large(`"a":${'['.repeat(65)}${']'.repeat(65)}`)]) {
      const inOneGo = captured(() => parseJson(text))
      expect(await Promise.resolve(parseLargeJson(text)).catch((error: unknown) => error)).toEqual(inOneGo)
      expect(inOneGo).toBeInstanceOf(JsonError)
    }
  })
})

function captured(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
