import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Flow } from '../src/shared/contract/flows.ts'
import { readConfig } from '../src/main/host/config.ts'
import {
  pullFlows,
  type PullOptions,
  pushFlows,
  type PushOptions,
} from '../src/main/headless/commands/flow-folder.ts'
import type { Output } from '../src/main/headless/support/output.ts'
import { onPosix } from './helpers/platform.ts'
import { startTestApp, type TestApp } from './helpers/test-app.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

const former = process.env.MILLRACE_TOKEN
beforeAll(() => {
  delete process.env.MILLRACE_TOKEN
})
afterAll(() => {
  if (former === undefined) delete process.env.MILLRACE_TOKEN
  else process.env.MILLRACE_TOKEN = former
})

interface Answer {
  readonly code: number
  readonly text: string
  readonly flows: readonly { name: string; file: string | null; action: string; message?: string }[]
}

/** A folder and a Millrace, which is called with a token for flows alone. */
async function aFolder() {
  const app = await startTestApp()
  const folder = join(temporaryFolder(), 'flows')
  const body = { scopes: ['automation'], expiration: null, note: 'Git' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as { token: string }
  const work =
    <O extends PullOptions>(command: typeof pullFlows, where = folder) =>
    async (options: O = {} as O): Promise<Answer> => {
      let answer = { text: '', value: { flows: [] as Answer['flows'] } }
      const nothing = () => undefined
      const output: Output = {
        json: true,
        answer: (value, text) => (answer = { text, value: value as typeof answer.value }),
        line: nothing,
        text: nothing,
        note: nothing,
        warning: nothing,
        progress: nothing,
        failure: nothing,
      }
      process.env.MILLRACE_TOKEN = token
      const url = `http://127.0.0.1:${app.port}`
      const code = await command(
        { config: readConfig({ arguments: {} }), output, readerGone: new AbortController().signal },
        { ...options, url },
        where,
      )
      return { code, text: answer.text, flows: answer.value.flows }
    }
  return {
    app,
    folder,
    pull: work<PullOptions>(pullFlows),
    push: work<PushOptions>(pushFlows),
    /** A second clone of the repository. */
    pushFrom: (where: string) => work<PushOptions>(pushFlows, where)(),
    files: () => readdirSync(folder).filter((name) => !name.startsWith('.')),
    read: (file: string) => readFileSync(join(folder, file), 'utf8'),
    write: (file: string, text: string) => writeFileSync(join(folder, file), text),
    edit: (file: string, from: string, to: string) => {
      const path = join(folder, file)
      writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
    },
  }
}

const greet = (text: string) => [{ ref_id: 'a', type: 'set', config: { values: { text } } }]

async function make(app: TestApp, name: string, more: object = {}): Promise<Flow> {
  const answer = await app.call('POST', '/v1/flows', { name, steps: greet('hello'), ...more })
  expect(answer.status).toBe(201)
  return answer.json as Flow
}

const change = (app: TestApp, { id }: Flow, patch: object) => app.call('PUT', `/v1/flows/${id}`, patch)
const namesIn = async (app: TestApp) =>
  ((await app.call('GET', '/v1/flows?sort=name')).json as Flow[]).map(({ name }) => name)
const actions = ({ flows }: Answer) => flows.map(({ file, action }) => `${action} ${file}`)

test('pull writes a file for each flow, and later only the changed ones', async () => {
  const { app, pull, files, read } = await aFolder()
  const order = await make(app, 'Receive an order')
  await make(app, 'Other')
  const first = await pull()
  const text = read('receive-an-order.yaml')
  const second = await pull()
  await change(app, order, { steps: greet('bye'), status: 'active' })
  const third = await pull()
  expect({ first, second, third: third.text, files: files(), text }).toEqual({
    first: {
      code: 0,
      text: expect.stringMatching(/^create {4}other\.yaml {2}"Other"\ncreate[^]*\n2 changed, 0 unchanged$/),
      flows: [expect.anything(), expect.anything()],
    },
    second: { code: 0, text: '0 changed, 2 unchanged', flows: [] },
    third:
      'change    receive-an-order.yaml  "Receive an order"\n            ~ a: config.values.text "hello" → "bye"\n1 changed, 1 unchanged',
    files: ['other.yaml', 'receive-an-order.yaml'],
    text: `millrace_flow: 1
id: ${order.id}
name: Receive an order
steps:
  - ref_id: a
    type: set
    config:
      values:
        text: hello
`,
  })
})

test('push imports a changed file, previews it with a dry run, and leaves the others unchanged', async () => {
  const { app, folder, pull, push, edit, read } = await aFolder()
  const order = await make(app, 'Order', { status: 'active' })
  await make(app, 'Other')
  await pull()
  edit('order.yaml', 'text: hello', 'text: "bye"\n        more: 1')
  writeFileSync(
    join(folder, 'new.yml'),
    read('other.yaml')
      .replace(/^id: .*$/m, 'id: 7c9e6679-7425-40de-944b-e07fc1f90ae7')
      .replace('Other', 'New'),
  )
  const dry = await push({ dryRun: true })
  const before = await namesIn(app)
  const pushed = await push()
  const after = (await app.call('GET', `/v1/flows/${order.id}`)).json as Flow
  const again = await push()
  const pulled = await pull()
  expect({
    dry,
    before,
    pushed: actions(pushed),
    after,
    again: again.text,
    pulled: pulled.text,
  }).toMatchObject({
    dry: {
      code: 0,
      text: `create    new.yml  "New"
change    order.yaml  "Order"
            ~ a: config.values.text "hello" → "bye"
            + a: config.values.more 1
Nothing was changed, 1 unchanged`,
    },
    before: ['Order', 'Other'],
    pushed: ['create new.yml', 'change order.yaml'],
    after: { status: 'active', version: 2, steps: [{ config: { values: { text: 'bye', more: 1 } } }] },
    again: '0 changed, 3 unchanged',
    pulled: '0 changed, 3 unchanged',
  })
})

test('a flow that changed on both sides is a conflict, and stays unchanged unless forced', async () => {
  const { app, pull, push, edit, read } = await aFolder()
  const order = await make(app, 'Order')
  await make(app, 'Other')
  await pull()
  edit('order.yaml', 'hello', 'from the file')
  await change(app, order, { steps: greet('from the app') })
  edit('other.yaml', 'hello', 'also from the file')
  const pulled = await pull()
  const pushed = await push()
  const kept = { file: read('order.yaml'), flow: (await app.call('GET', `/v1/flows/${order.id}`)).text }
  const forced = await pull({ force: true })
  expect({ pulled, pushed, forced: actions(forced), file: read('order.yaml') }).toMatchObject({
    pulled: {
      code: 1,
      flows: [
        {
          action: 'conflict',
          file: 'order.yaml',
          message:
            'changed on both sides since the last pull or push: "--force" takes the flow from Millrace',
        },
        { action: 'keep', message: 'changed in the folder only: "flow push" saves it in Millrace' },
      ],
    },
    pushed: { code: 1, flows: [{ action: 'conflict' }, { action: 'change', file: 'other.yaml' }] },
    forced: ['change order.yaml'],
    file: expect.stringContaining('from the app'),
  })
  expect(kept).toEqual({
    file: expect.stringContaining('from the file'),
    flow: expect.stringContaining('from the app'),
  })
  edit('order.yaml', 'from the app', 'now from the file')
  await change(app, order, { steps: greet('again from the app') })
  expect(actions(await push({ force: true }))).toEqual(['change order.yaml'])
  expect(await pull()).toMatchObject({ code: 0, flows: [] })
})

test("without a record of the last pull, a flow that differs is a conflict, and an equal one isn't", async () => {
  const { app, folder, pull, pushFrom, edit } = await aFolder()
  await make(app, 'Order')
  await make(app, 'Other')
  await pull()
  edit('order.yaml', 'hello', 'bye')
  rmSync(join(folder, '.millrace'), { recursive: true })
  const pushed = await pushFrom(folder)
  expect({ code: pushed.code, flows: pushed.flows }).toMatchObject({
    code: 1,
    flows: [{ action: 'conflict', message: expect.stringContaining("isn't known which one is newer") }],
  })
  expect(readFileSync(join(folder, '.millrace/.gitignore'), 'utf8')).toMatch(/^\*$/m)
})

test('a file is renamed with its flow, unless the user gave it another name', async () => {
  const { app, folder, pull, files } = await aFolder()
  const one = await make(app, 'One')
  const two = await make(app, 'Two')
  await pull()
  renameSync(join(folder, 'two.yaml'), join(folder, 'mine.yaml'))
  await change(app, one, { name: 'Number 1' })
  await change(app, two, { name: 'Number 2' })
  const { flows } = await pull()
  expect({ actions: flows.map(({ file }) => file), files: files() }).toEqual({
    actions: ['number-1.yaml', 'mine.yaml'],
    files: ['mine.yaml', 'number-1.yaml'],
  })
})

test("a flow's name never leads out of the folder, and no two file names are the same on another system", async () => {
  const { app, pull, push, files } = await aFolder()
  const names = [
    '../../etc/passwd',
    'Order',
    'ORDER',
    'order!',
    'CON',
    '/',
    '..',
    'Straße 1',
    '日本',
    'a'.repeat(200),
  ]
  for (const name of names) await make(app, name)
  await pull()
  const written = files()
  expect(written.map((name) => name.replace(/-[0-9a-f]{8}\.yaml$/, '-ID.yaml')).toSorted()).toEqual(
    [
      `${'a'.repeat(60)}.yaml`,
      'etc-passwd.yaml',
      'flow-con.yaml',
      'flow-ID.yaml',
      'flow.yaml',
      'order-ID.yaml',
      'order-ID.yaml',
      'order.yaml',
      'straße-1.yaml',
      '日本.yaml',
    ].toSorted(),
  )
  expect((await pull()).text).toBe('0 changed, 10 unchanged')
  expect(await push()).toMatchObject({ code: 0, flows: [] })
  expect(files()).toEqual(written)
})

test('deleting a flow in Millrace deletes its unchanged file; deleting a file deletes the flow only on request', async () => {
  const { app, folder, pull, push, files, edit } = await aFolder()
  const [gone, both, kept] = [await make(app, 'Gone'), await make(app, 'Both'), await make(app, 'Kept')]
  await pull()
  for (const { id } of [gone, both]) await app.call('DELETE', `/v1/flows/${id}`)
  edit('both.yaml', 'hello', 'bye')
  rmSync(join(folder, 'kept.yaml'))
  const pulled = await pull()
  expect({ code: pulled.code, flows: pulled.flows, files: files() }).toMatchObject({
    code: 1,
    flows: [
      {
        action: 'conflict',
        message: expect.stringContaining('it was deleted in Millrace, and its file changed'),
      },
      { action: 'delete', file: 'gone.yaml' },
      { action: 'keep', message: expect.stringContaining('its file was deleted') },
    ],
    files: ['both.yaml'],
  })
  const pushed = await push()
  const deleted = await push({ delete: true, force: true })
  expect({ pushed: actions(pushed), deleted: actions(deleted), names: await namesIn(app) }).toEqual({
    pushed: ['conflict both.yaml', 'keep null'],
    deleted: ['create both.yaml', 'delete null'],
    names: ['Both'],
  })
  expect((await app.call('GET', `/v1/flows/${kept.id}`)).status).toBe(404)
})

test('missing dependencies are named before anything is pushed', async () => {
  const { app, pull, push, read, write } = await aFolder()
  await make(app, 'Fine')
  await pull()
  const text = read('fine.yaml')
  const other = (id: string, steps: string) =>
    text
      .replace(/^id: .*$/m, `id: ${id}`)
      .replace('name: Fine', `name: ${id}`)
      .replace(/steps:[^]*$/, `steps:\n${steps}`)
  write(
    'new.yaml',
    other(
      '7c9e6679-7425-40de-944b-e07fc1f90ae1',
      '  - ref_id: a\n    type: set\n    config: { values: { x: "{{ region }}" } }\n',
    ),
  )
  const lacks = await push()
  await app.call('POST', '/v1/env-variables', { name: 'region', type: 'text', value: 'EU', secret: false })
  write(
    'read.yaml',
    other(
      '7c9e6679-7425-40de-944b-e07fc1f90ae3',
      '  - ref_id: a\n    type: file_read\n    config: { path: a.csv }\n',
    ),
  )
  const later = await push()
  write(
    'call.yaml',
    other(
      '7c9e6679-7425-40de-944b-e07fc1f90ae2',
      '  - ref_id: a\n    type: connector_action\n    config: { connector: Nowhere, action: list }\n',
    ),
  )
  const never = await push()
  expect({ lacks, later, never, names: await namesIn(app) }).toMatchObject({
    lacks: { code: 1, text: expect.stringMatching(/missing: variable region\nNothing was changed/) },
    later: { code: 0, text: expect.stringContaining('missing: allowed folder for a.csv (step a)') },
    never: { code: 1, text: expect.stringContaining('missing: connector Nowhere (step a)') },
    names: ['7c9e6679-7425-40de-944b-e07fc1f90ae1', '7c9e6679-7425-40de-944b-e07fc1f90ae3', 'Fine'],
  })
})

test('on another computer, a secret keeps back only its own flow until its value is written into the file', async () => {
  const { app, pull, read } = await aFolder()
  const headers = { Authorization: 'Bearer abc123' }
  const call = await make(app, 'Call', {
    steps: [{ ref_id: 'call', type: 'rest', config: { url: 'https://api.example.com', headers } }],
  })
  await make(app, 'Greet', { settings: { error_handling_flow_id: call.id } })
  await pull()
  const there = await aFolder()
  mkdirSync(there.folder)
  for (const file of ['call.yaml', 'greet.yaml']) there.write(file, read(file))
  const dry = await there.push({ dryRun: true })
  const pushed = await there.push()
  const before = await namesIn(there.app)
  there.write('call.yaml', read('call.yaml').replace(/\n\s*\$secret: .*/, ' Bearer abc123'))
  const given = await there.push()
  there.write('call.yaml', read('call.yaml'))
  const restored = await there.push()
  const [first, second] = (await there.app.call('GET', '/v1/flows?sort=name')).json as Flow[]
  expect({
    dry: [dry.code, dry.text],
    pushed: [pushed.code, pushed.text],
    before,
    given: [given.code, actions(given)],
    restored: [restored.code, restored.text],
    config: first?.steps[0]?.config,
    handler: second?.settings.error_handling_flow_id,
  }).toMatchObject({
    dry: [
      0,
      `create    call.yaml  "Call"
            missing: secret in config.headers.Authorization (step call)
create    greet.yaml  "Greet"
Nothing was changed, 0 unchanged`,
    ],
    pushed: [
      1,
      expect.stringMatching(
        /^FAILED {4}call\.yaml {2}"Call": write the value .*\n {12}missing: secret in config\.headers\.Authorization \(step call\)\nFAILED/,
      ),
    ],
    before: ['Greet'],
    given: [0, ['create call.yaml', 'change greet.yaml']],
    restored: [0, '0 changed, 2 unchanged'],
    config: { headers },
    handler: call.id,
  })
})

test('new flows that refer to each other are pushed in any order', async () => {
  const { app, pull, read } = await aFolder()
  const one = await make(app, 'One')
  const two = await make(app, 'Two', { settings: { error_handling_flow_id: one.id } })
  await change(app, one, { settings: { error_handling_flow_id: two.id } })
  await pull()
  const texts = [read('one.yaml'), read('two.yaml')]
  const there = await aFolder()
  mkdirSync(there.folder)
  for (const [at, text] of texts.entries()) there.write(`${at}.yaml`, text)
  const pushed = await there.push()
  const written = await Promise.all(
    [one, two].map(async ({ id }) => (await there.app.call('GET', `/v1/flows/${id}`)).json as Flow),
  )
  expect({
    code: pushed.code,
    handlers: written.map(({ settings }) => settings.error_handling_flow_id),
  }).toEqual({
    code: 0,
    handlers: [two.id, one.id],
  })
  expect((await there.push()).text).toBe('0 changed, 2 unchanged')
})

test('a flow that fails is named, and the others are pushed', async () => {
  const { app, pull, push, edit } = await aFolder()
  const first = await make(app, 'A')
  await make(app, 'B')
  await pull()
  edit('a.yaml', 'hello', 'bye')
  edit('b.yaml', 'hello', 'bye')
  // Somebody saves it between the plan and the push.
  const { flows } = app.services
  const update = flows.update.bind(flows)
  let isFirst = true
  Object.assign(flows, {
    update: async (...args: Parameters<typeof flows.update>) => {
      if (isFirst) {
        isFirst = false
        await change(app, first, { description: 'Saved meanwhile' })
      }
      return update(...args)
    },
  })
  const pushed = await push()
  expect(pushed).toMatchObject({
    code: 1,
    flows: [
      {
        action: 'fail',
        file: 'a.yaml',
        message: 'The flow "A" has changed since you read it; read it again',
      },
      { action: 'change', file: 'b.yaml' },
    ],
  })
})

test.runIf(onPosix)('invalid files are reported with their line, and nothing is changed', async () => {
  const { app, folder, pull, push, read, write, files } = await aFolder()
  await make(app, 'Fine')
  await pull()
  const text = read('fine.yaml')
  write('broken.yaml', text.replace('type: set', 'type: [set'))
  write('crlf.yaml', text.replaceAll('\n', '\r\n'))
  write('aux.yaml', text)
  write('Fine.yaml', text)
  write('binary.yaml', '\xff\xfe')
  writeFileSync(join(folder, 'latin.yaml'), Buffer.from([0x6e, 0xfc]))
  symlinkSync('/etc/passwd', join(folder, 'link.yaml'))
  mkdirSync(join(folder, 'folder.yaml'))
  write('readme.md', 'not ours')
  const before = files()
  const pushed = await push({ force: true })
  const pulled = await pull({ force: true })
  expect({ code: pushed.code, same: pulled.text === pushed.text, files: files() }).toEqual({
    code: 1,
    same: true,
    files: before,
  })
  expect(pushed.text.replaceAll(`${folder}/`, '').split('\n')).toEqual([
    'Fine.yaml is the same file as fine.yaml on Windows and macOS; rename one of them',
    'aux.yaml has a name that is the name of a device on Windows; rename it',
    expect.stringMatching(/^binary\.yaml:1: isn't a flow/),
    expect.stringMatching(/^broken\.yaml:\d+: Flow sequence/),
    'fine.yaml is the same file as Fine.yaml on Windows and macOS; rename one of them',
    "folder.yaml isn't a file",
    "latin.yaml isn't text in UTF-8",
    "link.yaml is a link, which isn't followed; put the file itself here",
    'Nothing was done, because of these files',
  ])
})

test('two files with one id are named', async () => {
  const { app, pull, read, write } = await aFolder()
  await make(app, 'Fine')
  await pull()
  write('copy.yaml', read('fine.yaml'))
  expect((await pull()).text).toContain(
    'fine.yaml:2: has the same ID as copy.yaml; remove one of the two, or give it a new ID',
  )
})

test('a symbolic link in place of a file is replaced, not followed', async () => {
  const { app, folder, pull, read } = await aFolder()
  await make(app, 'Fine')
  mkdirSync(folder)
  const outside = join(temporaryFolder(), 'outside')
  writeFileSync(outside, 'mine')
  symlinkSync(outside, join(folder, '.fine.yaml.part'))
  await pull()
  expect({ outside: readFileSync(outside, 'utf8'), file: read('fine.yaml') }).toEqual({
    outside: 'mine',
    file: expect.stringContaining('name: Fine'),
  })
})
