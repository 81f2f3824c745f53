import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { STEP_TYPES, type StepType, TRIGGER_TYPES } from '../../src/shared/contract/step-types/index.ts'
import { readText, withLf } from '../../scripts/lib/read-text.ts'
import { exampleOfStep, writeReference } from '../../scripts/lib/reference.ts'
import { writeRunners } from '../../scripts/lib/step-runners.ts'
import { startTestApp } from '../helpers/test-app.ts'

test('the reference and the table of runners match the contract; otherwise "npm run docs" updates them', () => {
  const stale = [...writeReference(), writeRunners()].filter(
    ({ path, text }) => withLf(readFileSync(path, 'utf8')) !== text,
  )
  expect(stale.map(({ path }) => path)).toEqual([])
})

test('the figures in the README match the measurements', () => {
  const [, table = ''] = /^## Numbers\n(.*?)^\[How they were measured\]/ms.exec(readText('README.md')) ?? []
  const figures = table.match(/\d[\d,]{2,}/g) ?? []
  const measured = new Set(readText('docs/internals/numbers.md').match(/\d[\d,]*\d/g))
  expect({ many: figures.length >= 5, unknown: figures.filter((figure) => !measured.has(figure)) }).toEqual({
    many: true,
    unknown: [],
  })
})

test('no table has an empty cell in the column that explains', () => {
  const unexplained = writeReference().flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter(
        (line) =>
          /^\| `.*\|  \|$/.test(line) && !path.endsWith('connectors.md') && !path.endsWith('scopes.md'),
      ),
  )
  expect(unexplained).toEqual([])
})

/**
 * These need a mail server, a database, another flow or a local folder; their examples are still checked by saving
 * them.
 */
const NEEDS_MORE: readonly StepType[] = [
  'run_flow',
  'send_email',
  'sql',
  'run_program',
  'plugin',
  'plugin_trigger',
  'file_read',
  'file_write',
  'write_records',
  'read_cursor',
  'folder_trigger',
  'ask_person',
  'wait_for_callback',
  'sql_trigger',
  'data_table',
  'imap_trigger',
]

describe('the example of each step type', () => {
  test.for(STEP_TYPES)('%s', async (type) => {
    const app = await startTestApp({ playground: true })
    const example = exampleOfStep(type)
    const isTrigger = TRIGGER_TYPES.includes(type)
    const input = { order_id: 4711, total: 120, country: 'DE', price: 2 }
    const web = { ref_id: 'web1', type: 'webhook' }
    const steps = isTrigger ? [{ ...example, ref_id: 'web1' }] : [web, example]
    const made = await app.call('POST', '/v1/flows', { name: type, steps })
    const { problems } = (await app.call('POST', `/v1/flows/${(made.json as Flow).id}/check`, { steps }))
      .json as { problems: { severity: string }[] }
    expect({ saved: made.status, errors: problems.filter(({ severity }) => severity === 'error') }).toEqual({
      saved: 201,
      errors: [],
    })
    if (NEEDS_MORE.includes(type)) return
    const run = await app.call('POST', `/v1/flows/${(made.json as Flow).id}/run?wait=true`, { input })
    const { status, error } = run.json as FlowRun
    expect({ status, error }).toEqual({ status: 'success', error: null })
  })
})
