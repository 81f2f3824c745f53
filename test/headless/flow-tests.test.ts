import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseXml } from '@millrace/jinja/xml'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { FlowTest } from '../../src/shared/contract/flow-tests.ts'
import { createHome } from '../helpers/program.ts'

const home = createHome()
const folder = join(home.folder, 'flows')
const tests = join(folder, 'orders.tests')
let calls = 0
let api: Server
let recorded: FlowTest

const STEPS = (url: string) => [
  { ref_id: 'hook', type: 'webhook', config: { async: false, response_body: '{"sum": {{ total.sum }}}' } },
  { ref_id: 'orders', type: 'rest', config: { url: `${url}/orders`, query: { limit: '{{ hook.limit }}' } } },
  {
    ref_id: 'many',
    type: 'condition',
    config: { when: '{{ hook.limit > 10 }}' },
    then: [{ ref_id: 'alarm', type: 'set', config: { values: { text: 'many' } } }],
    else: [],
  },
  { ref_id: 'total', type: 'set', config: { values: { sum: "{{ orders.body | sum(attribute='total') }}" } } },
]

beforeAll(async () => {
  api = createServer((_request, response) => {
    calls++
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('[{"total": 19}, {"total": 23}]')
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', () => resolve()))
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  writeFileSync(join(home.folder, 'orders.json'), JSON.stringify({ name: 'Orders', steps: STEPS(url) }))
  await ok('flow', 'import', join(home.folder, 'orders.json'), '--yes')
  await ok('flow', 'pull', folder)
  const run = JSON.parse(await ok('flow', 'run', 'Orders', '--input', '{"limit": 2}', '--json')) as FlowRun
  await ok('flow', 'test', folder, '--record', run.id, '--name', 'Two orders')
  recorded = readTest()
})
afterAll(async () => {
  api.close()
  await home.remove()
})
beforeEach(() => writeTest(recorded))

const ok = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.run(args)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}
const FILE = join(tests, 'two-orders.json')
const readTest = () => JSON.parse(readFileSync(FILE, 'utf8')) as FlowTest
const writeTest = (value: unknown) =>
  writeFileSync(FILE, typeof value === 'string' ? value : JSON.stringify(value))
const runTests = (...args: string[]) => home.run(['flow', 'test', folder, ...args])

test('a recorded test passes on another, empty data folder, without a call', async () => {
  const before = calls
  const passed = await home.run(['flow', 'test', folder, '--json'], {
    MILLRACE_DATA_DIR: join(home.folder, 'ci'),
  })
  expect({ ...passed, stdout: JSON.parse(passed.stdout) as unknown, calls: calls - before }).toMatchObject({
    code: 0,
    stdout: {
      passed: 1,
      failed: 0,
      tests: [{ flow: 'Orders', name: 'Two orders', file: 'orders.tests/two-orders.json' }],
    },
    calls: 0,
  })
  expect(recorded.calls).toMatchObject([
    { type: 'http', step: 'orders', response: { body: [{ total: 19 }, { total: 23 }] } },
  ])
})

test('a failure shows the difference; --update accepts a new result, but no new call', async () => {
  const [call] = recorded.calls
  const other = { ...recorded, expect: { ...recorded.expect, results: { total: { exact: { sum: 1 } } } } }
  writeTest(other)
  const wrong = await runTests()
  const updated = await runTests('--update')
  const again = await runTests()
  writeTest({
    ...recorded,
    calls: [{ ...call, request: { method: 'GET', url: 'http://127.0.0.1:1/orders' } }],
  })
  const moved = await runTests('--update')
  expect({ wrong, updated, again, moved }).toMatchObject({
    wrong: {
      code: 1,
      stdout: expect.stringMatching(
        /The result of step "total" differs\n\s+sum\n\s+- 1\n\s+\+ 42\n0 passed, 1 failed/,
      ),
    },
    updated: { code: 0, stdout: expect.stringContaining('updated  Orders › Two orders') },
    again: { code: 0 },
    moved: { code: 1, stdout: expect.stringContaining('url\n             - "http://127.0.0.1:1/orders"') },
  })
})

test('--coverage names steps and branches that no test ran, and --junit writes the results', async () => {
  const file = join(home.folder, 'results.xml')
  const covered = await runTests('--coverage', '--junit', file)
  expect(covered).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'Orders: 4 of 5 steps ran\n  never run: alarm\n  never entered: many.then',
    ),
  })
  writeTest({ ...recorded, name: 'A <b> & "c"', expect: { status: 'error' } })
  await runTests('--junit', file)
  const xml = readFileSync(file, 'utf8')
  expect({ read: parseXml(xml) !== undefined, xml }).toEqual({
    read: true,
    xml: expect.stringMatching(
      /<testsuites tests="1" failures="1"[\s\S]*name="A &lt;b&gt; &amp; &quot;c&quot;"[\s\S]*<failure type="status"/,
    ),
  })
})

test('tests are pushed and pulled like flows, and conflicts are kept', async () => {
  const push = async (...more: string[]) => {
    const { code, stdout } = await home.run(['flow', 'push', folder, '--json', ...more])
    return [code, ...actionsIn(stdout)]
  }
  const pull = async (...more: string[]) => {
    const { code, stdout } = await home.run(['flow', 'pull', folder, '--json', ...more])
    return [code, ...actionsIn(stdout)]
  }
  const actionsIn = (text: string) => {
    const { tests: own } = JSON.parse(text) as { tests: { name: string; action: string; message?: string }[] }
    return own.map(({ name, action, message }) => [name, action, message])
  }
  const name = 'Orders › Two orders'
  const created = await push()
  const again = await push()
  writeTest({ ...recorded, ignore: ['headers.x-a'] })
  const changed = await push()
  // Another copy of the folder changes it in Millrace.

  const other = join(home.folder, 'copy')
  const { tests: copied } = JSON.parse(await ok('flow', 'pull', other, '--json')) as {
    tests: { file: string }[]
  }
  const copy = join(other, copied[0]!.file)
  const there = JSON.parse(readFileSync(copy, 'utf8')) as FlowTest
  writeFileSync(copy, JSON.stringify({ ...there, ignore: ['headers.x-b'] }))
  await ok('flow', 'push', other)
  const pulled = await pull()
  writeTest({ ...recorded, ignore: ['headers.x-c'] })
  writeFileSync(copy, JSON.stringify({ ...there, ignore: ['headers.x-d'] }))
  await ok('flow', 'push', other)
  const conflict = await pull()
  const forced = await pull('--force')
  const ignored = readTest().ignore
  rmSync(FILE)
  const deleted = [await push(), await push('--delete')]
  writeTest({ ...recorded, script: 'rm' })
  const hostile = await home.run(['flow', 'push', folder])
  expect({
    created,
    again,
    changed,
    there: there.ignore,
    pulled,
    conflict,
    forced,
    ignored,
    deleted,
    hostile,
  }).toEqual({
    created: [0, [name, 'create', undefined]],
    again: [0],
    changed: [0, [name, 'change', undefined]],
    there: ['headers.x-a'],
    pulled: [0, [name, 'change', undefined]],
    conflict: [1, [name, 'conflict', expect.stringContaining('changed on both sides')]],
    forced: [0, [name, 'change', undefined]],
    ignored: ['headers.x-d'],
    deleted: [
      [0, [name, 'keep', expect.stringContaining('"--delete" deletes the test')]],
      [0, [name, 'delete', undefined]],
    ],
    hostile: expect.objectContaining({ code: 1, stdout: expect.stringContaining('two-orders.json') }),
  })
})

test('files that could do harm are refused, and nothing is written through them', async () => {
  const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  const refused: Record<string, unknown> = {}
  const cases: Record<string, () => void> = {
    bomb: () => writeTest(nested),
    large: () => writeTest(`"${'x'.repeat(17_000_000)}"`),
    unknown: () => writeTest({ ...recorded, secret: 1 }),
    other: () => writeTest({ ...recorded, flow: '00000000-0000-4000-8000-000000000000' }),
    notJson: () => writeTest('{'),
  }
  for (const [name, plant] of Object.entries(cases)) {
    plant()
    const { code, stderr } = await runTests()
    refused[name] = { code, stderr: stderr.slice(0, 300) }
  }
  const said = (text: RegExp) => ({ code: 2, stderr: expect.stringMatching(text) as unknown })
  expect(refused).toEqual({
    bomb: said(/two-orders\.json: is not JSON/),
    large: said(/larger than 16 MB/),
    unknown: said(/two-orders\.json: the test: .*secret/),
    other: said(/has no file here/),
    notJson: said(/is not JSON/),
  })
  writeTest(recorded)
  const elsewhere = join(home.folder, 'elsewhere')
  mkdirSync(elsewhere)
  renameSync(tests, join(elsewhere, 'moved'))
  symlinkSync(join(elsewhere, 'moved'), tests)
  const link = await runTests()
  const runs = JSON.parse(await ok('run', 'list', '--json')) as FlowRun[]
  const through = await home.run(['flow', 'test', folder, '--record', runs.at(-1)!.id, '--name', '../../out'])
  expect({
    link,
    through,
    files: readdirSync(join(elsewhere, 'moved')),
    out: existsSync(join(home.folder, 'out.json')),
  }).toMatchObject({
    link: { code: 2, stderr: expect.stringContaining("orders.tests: isn't a folder") },
    through: { code: 1, stderr: expect.stringContaining('must be a folder') },
    files: ['two-orders.json'],
    out: false,
  })
})
