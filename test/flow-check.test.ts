import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkFlows } from '../src/main/headless/commands/flow-check.ts'
import { initFolder } from '../src/main/headless/commands/init.ts'
import type { CommandContext } from '../src/main/headless/support/command-context.ts'
import { readConfig } from '../src/main/host/config.ts'
import { onPosix } from './helpers/platform.ts'
import { startTestApp } from './helpers/test-app.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

const former = process.env.MILLRACE_TOKEN
beforeAll(() => {
  delete process.env.MILLRACE_TOKEN
})
afterAll(() => {
  if (former === undefined) delete process.env.MILLRACE_TOKEN
  else process.env.MILLRACE_TOKEN = former
})

/** Runs a command and returns what it printed. */
async function answered(command: (context: CommandContext) => Promise<number>) {
  let answer = { text: '', value: null as unknown }
  const nothing = () => undefined
  const output: CommandContext['output'] = {
    json: true,
    answer: (value, text) => (answer = { text, value }),
    line: nothing,
    text: nothing,
    note: nothing,
    warning: nothing,
    progress: nothing,
    failure: nothing,
  }
  const readerGone = new AbortController().signal
  const code = await command({ config: readConfig({ arguments: {} }), output, readerGone })
  return { code, ...answer }
}

const ORDER = `millrace_flow: 1
$schema: ../flow.schema.json
id: 7c9e6679-7425-40de-944b-e07fc1f90ae7
name: Order # as the shop calls it
steps:
  - ref_id: order
    type: webhook
    config:
      asnyc: true
  - ref_id: text
    type: set
    config:
      values:
        # one line
        short: "{{ ordr.id }}"
        long: |
          Hello
          {{ order.name | uper }}
        open: "{% if order %}x"
  - ref_id: gone
    type: delay
    config: { seconds: 5, extra: 1 }
`

async function aFolder() {
  const app = await startTestApp()
  const folder = join(temporaryFolder(), 'flows')
  mkdirSync(folder)
  const body = { scopes: ['automation:view'], expiration: null, note: 'Check' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as { token: string }
  const check = (path = folder, options = {}) => {
    process.env.MILLRACE_TOKEN = token
    const url = `http://127.0.0.1:${app.port}`
    return answered((context) => checkFlows(context, { ...options, url }, path))
  }
  return { app, folder, check }
}

test('flow check prints the place, the reason, the line of the template with a caret, and the fix', async () => {
  const { folder, check } = await aFolder()
  writeFileSync(join(folder, 'order.yaml'), ORDER)
  const { code, text } = await check()
  expect(code).toBe(1)
  expect(text.replaceAll(folder, 'flows').split('\n')).toEqual([
    'flows/order.yaml:9:7: error: step "order", config.asnyc: is unknown; did you mean "async"?',
    '    fix: Rename it to "async"',
    `flows/order.yaml:15:20: error: step "text", config.values.short: line 1, column 4: 'ordr' is undefined (Did you mean "order"?)`,
    '    {{ ordr.id }}',
    '       ^',
    '    fix: Change "ordr" to "order"',
    `flows/order.yaml:18:27: error: step "text", config.values.long: line 2, column 17: No filter named 'uper'. (Did you mean "upper"?)`,
    '    {{ order.name | uper }}',
    '                    ^',
    '    fix: Change "uper" to "upper"',
    expect.stringMatching(
      /^flows\/order.yaml:19:\d+: error: step "text", config.values.open: .*"if" was opened in line 1, column 4/,
    ),
    '    {% if order %}x',
    expect.stringMatching(/^ +\^$/),
    '    possible fix: Insert "{% endif %}"',
    expect.stringMatching(
      /^flows\/order.yaml:22:27: error: step "gone", config.extra: is unknown; remove it/,
    ),
    '    possible fix: Remove it',
    '1 file, 5 errors, 0 warnings',
  ])
})

test('--fix makes the safe fixes, keeps the rest of the file, and says what it did', async () => {
  const { folder, check } = await aFolder()
  const file = join(folder, 'order.yaml')
  writeFileSync(file, ORDER)
  const { code, value } = await check(file, { fix: true })
  const fixed = ['Rename it to "async"', 'Change "ordr" to "order"', 'Change "uper" to "upper"']
  expect({ code, value }).toMatchObject({
    code: 1,
    value: { errors: 2, fixed: 3, files: [{ file, fixed: expect.arrayContaining(fixed) }] },
  })
  const wanted = ORDER.replace('asnyc: true', 'async: true').replace('ordr', 'order').replace('uper', 'upper')
  expect(readFileSync(file, 'utf8')).toBe(wanted)
  expect(readdirSync(folder)).toEqual(['order.yaml'])
  expect((await check(file, { fix: true })).value).toMatchObject({ errors: 2, fixed: 0 })
})

test('what is no flow is named with its line, and a sound folder has nothing to say', async () => {
  const { folder, check } = await aFolder()
  writeFileSync(join(folder, 'a.yaml'), 'name: [')
  writeFileSync(join(folder, 'b.yaml'), 'name: x\n')
  writeFileSync(join(folder, 'c.yaml'), 'millrace_flow: 1\nid: 7\nnmae: x\nsteps: 5\n')
  const { code, text } = await check()
  expect(code).toBe(1)
  expect(text.replaceAll(folder, 'flows')).toMatch(
    /flows\/a.yaml:1:1: error: [^]*flows\/b.yaml:1:1: error: isn't a flow[^]*flows\/c.yaml:2:1: error: "id" must be a string[^]*flows\/c.yaml:3:1: error: "nmae" is unknown; did you mean "name"/,
  )
  const sound = await aFolder()
  writeFileSync(
    join(sound.folder, 'json.json'),
    JSON.stringify({ millrace_flow: 1, id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'x', steps: [] }),
  )
  expect([await sound.check(), await sound.check(join(sound.folder, 'json.json'))]).toMatchObject([
    { code: 0, text: '0 files, 0 errors, 0 warnings' },
    { code: 0, text: '1 file, 0 errors, 0 warnings' },
  ])
})

test('init writes what is missing, and keeps what you changed without --force', async () => {
  const folder = temporaryFolder()
  const init = (options = {}) => answered((context) => initFolder(context, options, folder))
  const outcomes = ({ value }: { value: unknown }) =>
    (value as { files: { outcome: string }[] }).files.map(({ outcome }) => outcome)
  const first = await init()
  const again = await init()
  writeFileSync(join(folder, 'AGENTS.md'), 'Mine')
  writeFileSync(join(folder, '.vscode/settings.json'), '{}')
  const kept = await init()
  const forced = await init({ force: true })
  expect([first, again, kept, forced].map((one) => [one.code, outcomes(one)])).toEqual([
    [0, ['written', 'written', 'written', 'written']],
    [0, ['unchanged', 'unchanged', 'unchanged', 'unchanged']],
    [1, ['kept', 'unchanged', 'unchanged', 'kept']],
    [0, ['written', 'unchanged', 'unchanged', 'kept']],
  ])
  expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toContain('millrace flow check --fix')
  expect(readFileSync(join(folder, '.vscode/settings.json'), 'utf8')).toBe('{}')
})

test.runIf(onPosix)('init replaces no file that a link leads to', async () => {
  const folder = temporaryFolder()
  const elsewhere = join(temporaryFolder(), 'notes.md')
  writeFileSync(elsewhere, 'Mine')
  symlinkSync(elsewhere, join(folder, 'AGENTS.md'))
  await answered((context) => initFolder(context, { force: true }, folder))
  expect(readFileSync(elsewhere, 'utf8')).toBe('Mine')
})
