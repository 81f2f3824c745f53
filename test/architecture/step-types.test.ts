/** What is known about a step type is in one place: counts the source files that name one, and lists them. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { STEP_TYPES, TRIGGER_TYPES } from '../../src/shared/contract/step-types/index.ts'

/** Written by `npm run docs`. */
const WRITTEN = 'src/main/engine/flow/steps/index.ts'
/** A new type adds sentences there, too. */
const GERMAN = 'src/renderer/locales/de/flows.json'

const SOURCES = globSync('src/**/*.{ts,tsx}')
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path !== WRITTEN && !path.startsWith('src/main/engine/imports/'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** Types whose names mean nothing else. */
const NAMED = STEP_TYPES.filter((type) => type.includes('_'))

const filesOf = (type: string): readonly string[] => [
  ...SOURCES.filter(({ text }) => new RegExp(`'${type}'|^ +${type}: \\w+[,(]`, 'm').test(text)).map(
    ({ path }) => path,
  ),
  `src/shared/contract/step-types/${familyOf(type)}/${type.replaceAll('_', '-')}.ts`,
  GERMAN,
]

function familyOf(type: string): string {
  const [path = ''] = globSync(`src/shared/contract/step-types/*/${type.replaceAll('_', '-')}.ts`)
  return path.replaceAll('\\', '/').split('/').at(-2) ?? ''
}

/** Types that other parts of the program need to know as well: flows that call flows, tables, forms. */
const KNOWN_ELSEWHERE = new Set([
  'ask_person',
  'connector_action',
  'data_table',
  'form_trigger',
  'html_extract',
  'list_trigger',
  'loop_while',
  'plugin_trigger',
  'run_flow',
  'send_email',
  'sql_trigger',
  'wait_for_callback',
  'write_records',
])

test('a step type is in at most four source files, and a trigger in six', () => {
  const counts = NAMED.filter((type) => !KNOWN_ELSEWHERE.has(type)).map((type) => ({
    type,
    files: filesOf(type),
    most: TRIGGER_TYPES.includes(type) ? 6 : 4,
  }))
  expect(counts.length).toBeGreaterThan(10)
  expect(counts.filter(({ files, most }) => files.length > most)).toEqual([])
})

test('the types that other parts know are still those', () => {
  const others = NAMED.filter((type) => filesOf(type).length > (TRIGGER_TYPES.includes(type) ? 6 : 4))
  expect(others.filter((type) => !KNOWN_ELSEWHERE.has(type))).toEqual([])
})
