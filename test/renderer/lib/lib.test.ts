import { expect, test } from 'vitest'
import { formatBytes, formatDuration, formatRelative, plural } from '../../../src/renderer/lib/format.ts'
import {
  ancestorsOf,
  idOfPath,
  searchJson,
  pathOf,
  toJsonPath,
  toTemplate,
  visibleRows,
} from '../../../src/renderer/lib/json-rows.ts'
import type { JsonRow, JsonRows, OpenIds } from '../../../src/renderer/lib/json-rows.ts'
import { mergeFirstPage } from '../../../src/renderer/lib/keyed-list.ts'
import { matchKey } from '../../../src/renderer/lib/keys.ts'
import { diffLines } from '../../../src/renderer/lib/line-diff.ts'
import { safeHref } from '../../../src/renderer/lib/urls.ts'
import { readAuthFields, readSchemaFields } from '../../../src/renderer/lib/schema-fields.ts'
import { oneOf, searchOf, text } from '../../../src/renderer/lib/search.ts'

test('durations, sizes and counts carry their unit', () => {
  const durations = [0.4, 3, 999, 1_240, 12_400, 60_000, 125_000, 3_900_000, 90_000_000].map(formatDuration)
  expect(durations).toEqual([
    '< 1 ms',
    '3 ms',
    '999 ms',
    '1.24 s',
    '12.4 s',
    '1 min',
    '2 min 5 s',
    '1 h 5 min',
    '1 d 1 h',
  ])
  expect([412, 3_200, 5_242_880, 80_905_000_000].map(formatBytes)).toEqual([
    '412 B',
    '3.1 kB',
    '5 MB',
    '75 GB',
  ])
  expect({ one: plural(1, 'step'), many: plural(1_204, 'step') }).toEqual({
    one: '1 step',
    many: '1,204 steps',
  })
})

test('times are shown as how long ago, and as a date after a week', () => {
  const now = Date.parse('2027-05-20T12:00:00')
  const at = (ms: number) => formatRelative(now + ms, now)
  expect([at(-2_000), at(-45_000), at(-240_000), at(3 * 86_400_000), at(-20 * 86_400_000)]).toEqual([
    'just now',
    '45 s ago',
    '4 min ago',
    'in 3 days',
    '30 Apr',
  ])
})

test('a tree lists open rows, searches closed ones, and names paths', () => {
  const value = { list: [{ 'first name': 'Ada' }], n: 1 }
  const open = visibleRows(value, opened())
  expect(listed(open).map((row) => [pathOf(row).join('/'), row.size])).toEqual([
    ['', 2],
    ['list', 1],
    ['n', null],
  ])
  const [found] = [...searchJson(value, 'ada')].filter((id) => id !== null)
  const ways = new Set(ancestorsOf(found ?? ''))
  const rows = visibleRows(value, opened({ isOpenAtFirst: () => false, ways }))
  const deep = rows.at(rows.indexOf(found ?? ''))
  expect({
    jsonPath: toJsonPath(deep === undefined ? [] : pathOf(deep)),
    template: toTemplate('web1', deep === undefined ? [] : pathOf(deep)),
  }).toEqual({ jsonPath: "$.list[0]['first name']", template: "{{ web1.list[0]['first name'] }}" })
})

test('a path escapes what quotes cannot hold', () => {
  expect(toJsonPath(["it's", 'a\\b', 'two\nlines\u0001'])).toBe(
    String.raw`$['it\'s']['a\\b']['two\nlines\u0001']`,
  )
})

test('a tree lists 100,000 items, and none of their contents while they are closed', () => {
  const value = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `Contact ${id}` }))
  const rows = visibleRows(value, opened({ toggled: new Set([idOfPath([50_000]), idOfPath([99_999])]) }))
  expect(rows.length).toBe(100_005)
  const at = [1, 50_001, 50_002, 50_003, 50_004, 100_002, 100_003, 100_005]
  expect(at.map((index) => rows.at(index)).map((row) => row && toJsonPath(pathOf(row)))).toEqual([
    '$[0]',
    '$[50000]',
    '$[50000].id',
    '$[50000].name',
    '$[50001]',
    '$[99999]',
    '$[99999].id',
    undefined,
  ])
})

test('each row of a tree is at its calculated position, whichever rows are open', () => {
  const leaf = (at: number) => (at % 3 === 0 ? at : at % 3 === 1 ? { a: at, b: [at, at] } : [])
  const value = {
    list: Array.from({ length: 150 }, (_, at) => leaf(at)),
    wide: Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`key ${at}`, leaf(at)])),
    none: {},
    few: [leaf(1), leaf(4), 'text'],
  }
  const paths = [['list'], ['list', 4], ['list', 4, 'b'], ['list', 148], ['wide', 'key 118'], ['few', 1]]
  const isOpenAtFirst = (depth: number, siblings: number) => depth < 3 && siblings < 100
  const open = opened({
    isOpenAtFirst,
    toggled: new Set(paths.map(idOfPath)),
    ways: new Set([['list'], ['wide'], ['wide', 'key 1']].map(idOfPath)),
  })
  const rows = listed(visibleRows(value, open))
  expect(rows.map((row) => toJsonPath(pathOf(row)))).toEqual(walked(value, open).map(toJsonPath))
  const again = visibleRows(value, open)
  expect(rows.map((row) => again.indexOf(row.id))).toEqual(rows.map((_row, index) => index))
  const hidden = [['few', 1, 'a'], ['list', 150], ['gone']].map(idOfPath)
  expect(hidden.map((id) => again.indexOf(id))).toEqual([-1, -1, -1])
})

function opened(open: Partial<OpenIds> = {}): OpenIds {
  return { isOpenAtFirst: (depth) => depth < 1, toggled: new Set(), ways: new Set(), ...open }
}

function listed(rows: JsonRows): JsonRow[] {
  return Array.from({ length: rows.length }, (_, index) => rows.at(index)).filter((row) => row !== undefined)
}

/** The paths of the visible rows, found by walking the whole value. */
function walked(
  value: unknown,
  open: OpenIds,
  path: readonly (string | number)[] = [],
  siblings = 1,
): (readonly (string | number)[])[] {
  const id = idOfPath(path)
  const isOpen = open.ways.has(id) || open.toggled.has(id) !== open.isOpenAtFirst(path.length, siblings)
  if (!isOpen || typeof value !== 'object' || value === null) return [path]
  const isList = Array.isArray(value)
  const entries = Object.entries(value as Record<string, unknown>)
  const below = entries.flatMap(([key, item]) =>
    walked(item, open, [...path, isList ? Number(key) : key], entries.length),
  )
  return [path, ...below]
}

test('a search finds every matching row, in keys, strings, numbers and literals', () => {
  const value = { Ada: [{ name: 'ADA L', n: 20 }, null, true], ada2: { x: 'no' }, list: [120, 'canada'] }
  const found = (wanted: string) => [...searchJson(value, wanted)].filter((id) => id !== null)
  expect([found('ada'), found('20'), found('null'), found('TRUE'), found('nowhere')]).toEqual([
    [['Ada'], ['Ada', 0, 'name'], ['ada2'], ['list', 1]].map(idOfPath),
    [
      ['Ada', 0, 'n'],
      ['list', 0],
    ].map(idOfPath),
    [idOfPath(['Ada', 1])],
    [idOfPath(['Ada', 2])],
    [],
  ])
  expect([...searchJson('Ada', 'ada')].filter((id) => id !== null)).toEqual(['$'])
})

test('a reloaded first page is merged with the loaded rows below, or replaces them', () => {
  const items = (...ids: string[]) => ids.map((id) => ({ id }))
  const known = { items: items('4', '3', '2', '1'), after: '1' }
  expect(mergeFirstPage(known, { items: items('6', '5', '4'), after: '4' })).toEqual({
    items: items('6', '5', '4', '3', '2', '1'),
    after: '1',
  })
  expect(mergeFirstPage(known, { items: items('9', '8', '7'), after: '7' })).toEqual({
    items: items('9', '8', '7'),
    after: '7',
  })
  expect(mergeFirstPage(known, { items: items('4', '2'), after: null })).toEqual({
    items: items('4', '2'),
    after: null,
  })
})

test('a difference is the shortest one between two texts', () => {
  const lines = diffLines('a\nb\nc\nd', 'a\nx\nc\nd\ne')
  expect(lines.map(({ kind, text: line }) => `${kind[0]}${line}`)).toEqual([
    'sa',
    'rb',
    'ax',
    'sc',
    'sd',
    'ae',
  ])
  expect(diffLines('same', 'same').every((line) => line.kind === 'same')).toBe(true)
  const numbers = Array.from({ length: 20_000 }, (_, index) => index)
  const changed = diffLines(
    numbers.join('\n'),
    numbers.map((number) => (number % 1_000 === 0 ? `new ${number}` : number)).join('\n'),
  )
  expect(changed.filter(({ kind }) => kind !== 'same')).toHaveLength(40)
})

test('keys match with exactly their modifiers', () => {
  const key = (
    name: string,
    modifiers: Partial<Record<'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey', boolean>> = {},
  ) => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...modifiers,
  })
  expect([
    matchKey('mod+s', key('s', { ctrlKey: true }), false),
    matchKey('mod+s', key('s', { metaKey: true }), true),
    matchKey('mod+s', key('s', { ctrlKey: true, altKey: true }), false),
    matchKey('mod+z', key('Z', { ctrlKey: true, shiftKey: true }), false),
    matchKey('mod+shift+z', key('Z', { ctrlKey: true, shiftKey: true }), false),
    matchKey('?', key('?', { shiftKey: true }), false),
    matchKey('g', key('g'), false),
    matchKey('alt+up', key('ArrowUp', { altKey: true }), false),
  ]).toEqual([true, true, false, false, true, true, true, true])
})

test('only web and mail addresses become links', () => {
  expect(
    ['https://a.example', 'mailto:a@b.c', 'javascript:alert(1)', 'data:text/html,x', ''].map(safeHref),
  ).toEqual(['https://a.example', 'mailto:a@b.c', undefined, undefined, undefined])
})

test('invalid values in a URL are ignored', () => {
  const read = searchOf((search) => ({
    q: text(search.q),
    status: oneOf(search.status, ['draft', 'active']),
  }))
  expect([read({ q: '', status: 'gone' }), read({ q: 42, status: 'draft' }), read({ q: { a: 1 } })]).toEqual([
    {},
    { q: '42', status: 'draft' },
    {},
  ])
})

test('the form of a connector is read even if parts of it are invalid', () => {
  const fields = readSchemaFields([
    {
      name: 'status',
      type: 'select',
      options: ['open', { value: 'paid', label: 'Paid' }, 5, null],
      required: true,
    },
    { name: 'x', type: 'rocket' },
    { label: 'no name' },
    null,
    { name: 'on', type: 'boolean' },
    { name: 'group', type: 'object', fields: [{ name: 'inner', type: 'date' }] },
  ])
  expect(
    fields.map(({ name, label, type, options, fields: inner }) => [
      name,
      label,
      type,
      options.map(({ label: word, sent }) => [word, sent]),
      inner.map((field) => `${field.name} ${field.type}`),
    ]),
  ).toEqual([
    [
      'status',
      'status',
      'select',
      [
        ['open', 'open'],
        ['Paid', 'paid'],
        ['5', 5],
      ],
      [],
    ],
    ['x', 'x', 'text', [], []],
    ['on', 'on', 'switch', [], []],
    ['group', 'group', 'nested_object', [], ['inner date']],
  ])
})

test("in a form of credentials some field names are secrets; in other forms they aren't", () => {
  const schema = [{ name: 'key' }, { name: 'proxy', type: 'nested_object', fields: [{ name: 'secret' }] }]
  const secretsIn = (fields: ReturnType<typeof readSchemaFields>): unknown =>
    fields.map(({ secret, fields: inner }) => [secret, secretsIn(inner)])
  expect({ ofForm: secretsIn(readSchemaFields(schema)), ofAuth: secretsIn(readAuthFields(schema)) }).toEqual({
    ofForm: [
      [false, []],
      [false, [[false, []]]],
    ],
    ofAuth: [
      [true, []],
      [false, [[true, []]]],
    ],
  })
})
