/** The sources keep to their rooms, and each kind of violation is found when it is planted in a set of three rooms. */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileCircles, roomFaults, type Room } from '../helpers/room-faults.ts'
import { ROOMS } from './rooms.ts'

const ROOT = join(import.meta.dirname, '../..')

function readSources(): ReadonlyMap<string, string> {
  const files = globSync('{src,packages/*/src}/**/*', { cwd: ROOT }).filter((path) =>
    statSync(join(ROOT, path)).isFile(),
  )
  const read = (path: string) => (/\.tsx?$/.test(path) ? readFileSync(join(ROOT, path), 'utf8') : '')
  return new Map(files.toSorted().map((path) => [path, read(path)]))
}

test('the sources keep to their rooms', () => {
  expect(roomFaults(readSources(), ROOMS)).toEqual([])
})

test('no files import each other in a circle', () => {
  expect(fileCircles(readSources())).toEqual([])
})

test.each([
  ['an import', "import { page } from '../page/page.tsx'"],
  ['an import of a type', "import type { Page } from '../page/page.tsx'"],
  ['a lazy import', "const page = import('../page/page.tsx')"],
])('a circle that %s closes is found', (_, code) => {
  expect(fileCircles(new Map(Object.entries({ ...FILES, 'src/words/inner.ts': code })))).toEqual([
    'a circle: src/words/text.ts > src/words/inner.ts > src/page/page.tsx > src/work/index.ts > src/work/parts/part.ts > src/words/text.ts',
  ])
})

const HOUSE: readonly Room[] = [
  { room: 'src/words', mayImport: [], entries: ['text'] },
  { room: 'src/work', mayImport: ['words'], entries: ['index'], insiders: ['src/page/doctor'] },
  { room: 'src/work/(root)', mayImport: ['parts'], entries: 'all' },
  { room: 'src/work/parts', mayImport: [], entries: ['part'] },
  { room: 'src/page', mayImport: ['work'], entries: [] },
]
const FILES: Readonly<Record<string, string>> = {
  'src/words/text.ts': "import { inner } from './inner.ts'",
  'src/words/inner.ts': '',
  'src/work/index.ts': "export { part } from './parts/part.ts'",
  'src/work/parts/part.ts': "import type { Text } from '../../words/text.ts'",
  'src/work/parts/helper.ts': '',
  'src/page/page.tsx': "const work = await import('../work/index.ts')",
  'src/page/doctor.ts': "import { part } from '../work/parts/part.ts'",
  'src/page/style.css': '',
}

const faultsOf = (planted: Readonly<Record<string, string>> = {}, rooms: readonly Room[] = HOUSE) =>
  roomFaults(new Map(Object.entries({ ...FILES, ...planted })), rooms)

const without = (room: string) => HOUSE.filter((row) => row.room !== room)
const withRow = (row: Room) => [...without(row.room), row]

test('a tree that keeps to its rooms has no faults', () => {
  expect(faultsOf()).toEqual([])
})

test.each([
  ['an import', "import { page } from '../page/page.tsx'"],
  ['an import of a type', "import type { Page } from '../page/page.tsx'"],
  ['an import for its effect', "import '../page/page.tsx'"],
  ['an export from', "export { page } from '../page/page.tsx'"],
  ['an export of all', "export * from '../page/page.tsx'"],
  ['an export of a type', "export type { Page } from '../page/page.tsx'"],
  ['a lazy import', "const page = import('../page/page.tsx')"],
  ['an import with a query', "import page from '../page/page.tsx?url'"],
])('an import of a forbidden room is found in %s', (_, code) => {
  expect(faultsOf({ 'src/words/inner.ts': code })).toEqual([
    'src/words/inner.ts imports src/page/page.tsx: src/words may not import page',
    'src/words/inner.ts imports src/page/page.tsx: src/page has no entry page',
  ])
})

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'a file that is no entry',
    { 'src/work/parts/helper.ts': "import { inner } from '../../words/inner.ts'" },
    'src/work/parts/helper.ts imports src/words/inner.ts: src/words has no entry inner',
  ],
  [
    'an inner room entered past the entries of the outer one',
    { 'src/page/page.tsx': "import '../work/index.ts'\nimport '../work/parts/part.ts'" },
    'src/page/page.tsx imports src/work/parts/part.ts: src/work has no entry parts/part',
  ],
  [
    'an insider who imports what the inner room does not open',
    { 'src/page/doctor.ts': "import '../work/parts/part.ts'\nimport '../work/parts/helper.ts'" },
    'src/page/doctor.ts imports src/work/parts/helper.ts: src/work/parts has no entry helper',
  ],
  [
    'an inner room that imports the files around it',
    { 'src/work/parts/helper.ts': "import { part } from '../index.ts'" },
    'src/work/parts/helper.ts imports src/work/index.ts: src/work/parts may not import (root)',
  ],
  ['a folder in no row', { 'src/page/list/row.tsx': '' }, 'src/page/list is in no row of the table'],
  [
    'a folder of more than thirty files',
    Object.fromEntries(Array.from({ length: 29 }, (_, at) => [`src/words/${at}.json`, ''])),
    'src/words has 31 files, more than 30',
  ],
])('%s is found', (_, planted, fault) => {
  expect(faultsOf(planted)).toEqual([fault])
})

test.each<[string, readonly Room[], string]>([
  ['files beside rooms', without('src/work/(root)'), 'src/work/(root) is in no row of the table'],
  [
    'a room allowed that is not imported',
    withRow({ room: 'src/page', mayImport: ['words', 'work'], entries: [] }),
    'src/page may import words, and does not',
  ],
  [
    'an entry that nobody uses',
    withRow({ room: 'src/page', mayImport: ['work'], entries: ['page'] }),
    'src/page has the entry page, which nobody uses',
  ],
  [
    'an insider who keeps to the entries',
    withRow({
      room: 'src/work',
      mayImport: ['words'],
      entries: ['index'],
      insiders: ['src/page/doctor', 'src/page/page'],
    }),
    'src/work has the insider src/page/page, who uses entries',
  ],
  [
    'a row of a folder that is gone',
    [...HOUSE, { room: 'src/attic', mayImport: [], entries: [] }],
    'src/attic is no folder with sources',
  ],
])('%s is found in the table', (_, rooms, fault) => {
  expect(faultsOf({}, rooms)).toEqual([fault])
})

test('rooms that import each other in a circle are found', () => {
  const rooms = [
    ...without('src/words').filter(({ room }) => room !== 'src/page'),
    { room: 'src/words', mayImport: ['page'], entries: ['text'] },
    { room: 'src/page', mayImport: ['work'], entries: ['page'] },
  ]
  expect(faultsOf({ 'src/words/inner.ts': "import '../page/page.tsx'" }, rooms)).toEqual([
    'a circle: src/work > src/words > src/page > src/work',
  ])
})

test("features of the page don't import each other", () => {
  const planted = new Map(readSources())
  planted.set('src/renderer/features/flows/state/planted.ts', "import '../../tokens/tokens-store.ts'")
  expect(roomFaults(planted, ROOMS)).toContain(
    'src/renderer/features/flows/state/planted.ts imports src/renderer/features/tokens/tokens-store.ts: src/renderer/features/flows may not import tokens',
  )
})
