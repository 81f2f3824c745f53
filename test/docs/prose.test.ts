import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Allowed, findFaults } from '../../scripts/prose/find-faults.ts'
import {
  passagesOfJson,
  passagesOfMarkdown,
  passagesOfSource,
  readPassages,
} from '../../scripts/prose/sources.ts'

const ROOT = join(import.meta.dirname, '../..')

test('no document, message or built-in connector has a phrase that sounds translated', () => {
  const allowed = JSON.parse(readFileSync(join(ROOT, 'scripts/prose/allowed.json'), 'utf8')) as Allowed[]
  const passages = readPassages(ROOT)
  const { faults, unused } = findFaults(passages, allowed)
  expect({
    faults: faults.map(({ path, line, found, instead }) => `${path}:${line}: “${found}”: write ${instead}`),
    unused,
    unexplained: allowed.filter(({ reason }) => reason.split(' ').length < 3),
  }).toEqual({ faults: [], unused: [], unexplained: [] })
})

test('planted faults are found in a document, each at its line', () => {
  const page = [
    '# What lies in the folder',
    '',
    'A wrong token is answered 401, and the flow',
    'goes on. That is no error.',
    '',
    '- Where there is none, it is set up anew.',
    '- `goes on` is code, [stands](stands.md) a link.',
    '',
    '| send a mail | each turn |',
    '',
    '```text',
    'it stands in place of the texts',
    '```',
    '',
    `${'a word and '.repeat(20)}a last one.`,
  ].join('\n')
  expect(foundIn(passagesOfMarkdown('page.md', page))).toEqual([
    '1 lies',
    '3 is no error',
    '3 goes on',
    '3 answered 401',
    '6 Where there is',
    '6 anew',
    '7 stands',
    '9 mail',
    '9 each turn',
    '15 a word and a word and …',
  ])
})

test('planted faults are found in the strings of a program, but not in its comments, imports and SQL', () => {
  const source = [
    "import { a } from 'one that stands for two'",
    '// what stands here is a comment',
    "refuse('the value is no text at all')",
    'throw new Error(`The run ${id} goes on without it`)',
    'const sql = `',
    '  -- the run goes on here',
    "  SELECT 'the row lies in a table' FROM runs`",
    "const word = 'stands'",
    'const label = <p>Load the page anew</p>',
  ].join('\n')
  expect(foundIn(passagesOfSource('source.tsx', source))).toEqual([
    '3 is no text',
    '4 goes on',
    '5 lies',
    '9 anew',
  ])
})

test('planted faults are found in the values of JSON, but not in its keys', () => {
  const json = '{\n  "what lies in it": "Sends all the mails",\n  "b": ["Clear it when it is made anew"]\n}'
  expect(foundIn(passagesOfJson('data.json', json))).toEqual(['2 mails', '3 anew'])
})

test('an exception holds only in its place, and an unused one is reported', () => {
  const passages = [
    { path: 'a.md', line: 1, text: 'The old mail room' },
    { path: 'b.md', line: 1, text: 'The old mail room' },
  ]
  const used = { path: 'a.md', phrase: 'mail room', reason: 'the name of a place' }
  const idle = { path: 'a.md', phrase: 'goes on stage', reason: 'the name of a play' }
  const { faults, unused } = findFaults(passages, [used, idle])
  expect({ faults: faults.map(({ path }) => path), unused }).toEqual({ faults: ['b.md'], unused: [idle] })
})

test('plain English passes', () => {
  const page =
    'There is no limit. The total is no longer sent. It stands for a value. A mail server and email work. You go on to the next page. Turn it off where it says so.'
  expect(foundIn(passagesOfMarkdown('page.md', page))).toEqual([])
})

const foundIn = (passages: Parameters<typeof findFaults>[0]) =>
  findFaults(passages, []).faults.map(({ line, found }) => `${line} ${found.trim()}`)
