import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { readGiven } from '../../src/main/headless/support/text-file.ts'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome, type Home } from '../helpers/program.ts'
import type { CommandResult } from '../helpers/run-command.ts'

const COMMAND = join(import.meta.dirname, '../../out/main/headless.js')

/** A flow as a file, as a colleague might send it, including their credentials. */
const FLOW_FILE = {
  name: 'Greet',
  description: 'Says hello to whom the input names.',
  settings: { error_handling_flow_id: '6c7f2b9e-3a54-4d0c-9a55-0a8f0c5b1d11' },
  steps: [
    { ref_id: 'hook', type: 'webhook', config: { response_body: '{ "text": {{ greeting.text }} }' } },
    {
      ref_id: 'greeting',
      type: 'set',
      config: { values: { text: 'Hello {{ hook.name }}', id: '{{ hook.id }}' } },
    },
    {
      ref_id: 'known',
      type: 'condition',
      config: { when: '{{ false }}' },
      then: [
        {
          ref_id: 'crm',
          type: 'rest',
          config: {
            url: 'https://crm.example.test/contacts',
            auth_id: '0b1c9a52-7a0e-4c9c-8f53-2f10b7a3e9d4',
          },
        },
      ],
      else: [],
    },
  ],
}

describe.each([
  ['through the running Millrace', true],
  ['on the folder itself', false],
])('millrace flow, %s:', (_how, isRunning) => {
  let home: Home
  beforeEach(async () => {
    home = createHome()
    if (isRunning) await home.serve()
  })
  afterEach(() => home.remove())

  /** Returns `never`, so that each test can read the result as what it expects. */
  const json = async (...args: string[]): Promise<never> => {
    const { code, stdout, stderr } = await home.run([...args, '--json'])
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout) as never
  }

  test('flow import accepts a file larger than a body, and keeps no copy of it', async () => {
    const file = join(home.folder, 'large.json')
    const steps = Array.from({ length: 70 }, (_, at) => ({
      ref_id: `step${at}`,
      type: 'set',
      config: { values: { text: `${at} `.repeat(33_000) } },
    }))
    writeFileSync(file, JSON.stringify({ name: 'Large', steps }))
    const imported = (await json('flow', 'import', file)) as { flow: { steps: { config: unknown }[] } }
    expect(imported.flow.steps.at(-1)?.config).toEqual(steps.at(-1)?.config)
    expect(readdirSync(join(home.dataDir, 'files')).filter((name) => !name.startsWith('.'))).toEqual([])
  })

  test('flow import creates a draft without credentials, run runs it, export returns it', async () => {
    const file = join(home.folder, 'greet.json')
    writeFileSync(file, JSON.stringify(FLOW_FILE))
    const imported = (await json('flow', 'import', file)) as { flow: { id: string } }
    const run = await json('flow', 'run', 'Greet', '--input', '{"name": "Ada", "id": 12345678901234567890}')
    const copy = join(home.folder, 'copy.json')
    await json('flow', 'export', imported.flow.id, '--out', copy)
    const exported = await home.run(['flow', 'export', 'Greet'])
    expect({ imported, run, exported: JSON.parse(exported.stdout) as unknown }).toMatchObject({
      imported: {
        flow: { name: 'Greet', status: 'draft', settings: { error_handling_flow_id: null } },
        addresses: ['crm.example.test'],
        without_auth: ['crm'],
      },
      run: { flow_id: imported.flow.id, trigger: 'manual', status: 'success', error: null },
      exported: {
        format: 'millrace-flow',
        flows: [{ name: 'Greet', description: FLOW_FILE.description, steps: [{ ref_id: 'hook' }, {}, {}] }],
      },
    })
    expect(exported.stdout).toBe(readFileSync(copy, 'utf8'))
    expect(exported.stdout).not.toContain('0b1c9a52-7a0e-4c9c-8f53-2f10b7a3e9d4')
  })

  test('a flow can also come from stdin, and an invalid one is rejected by step and field', async () => {
    const wrong = { name: 'Wrong', steps: [{ ref_id: 'say', type: 'rest', config: {} }] }
    const ends = await Promise.all([
      home.run(['flow', 'import', '-', '--json'], {}, JSON.stringify(FLOW_FILE)),
      home.run(['flow', 'import', '-'], {}, '[]'),
      home.run(['flow', 'import', '-'], {}, '{"name": "x", "steps": [}'),
      home.run(['flow', 'import', join(home.folder, 'not-there.json')]),
      home.run(['flow', 'import', '-'], {}, JSON.stringify(wrong)),
    ])
    expect(ends.map(({ code }) => code)).toEqual([0, 1, 1, 1, 1])
    expect(ends.slice(1).map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining("The input isn't a Millrace flow"),
      expect.stringMatching(
        /must be a Millrace flow or an n8n workflow in JSON, but isn't valid JSON in line 1, column 25/,
      ),
      expect.stringContaining('not-there.json'),
      expect.stringContaining('say'),
    ])
  })

  test('a run that ends in an error ends the command with 1', async () => {
    const file = join(home.folder, 'stop.json')
    const steps = [{ ref_id: 'end', type: 'stop', config: { status: 'error', message: 'Out of stock' } }]
    writeFileSync(file, JSON.stringify({ name: 'Stop', steps }))
    const imported = await home.run(['flow', 'import', file])
    const { code, stdout } = await home.run(['flow', 'run', 'Stop'])
    expect({ imported: imported.stdout, code, stdout }).toEqual({
      imported: expect.stringContaining('"Stop" (1 step)\n'),
      code: 1,
      stdout: expect.stringMatching(/^Run \S+: error.*\n.*Out of stock/),
    })
  })

  test('an unknown flow is named', async () => {
    const { code, stderr } = await home.run(['flow', 'run', 'Nothing of that name'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'millrace: No flow has the name "Nothing of that name"; "millrace flow list" shows names and IDs\n',
    })
  })

  test('list shows the flows, run --steps the output of each step, and a second import gets a different name', async () => {
    const file = join(home.folder, 'greet.json')
    writeFileSync(file, JSON.stringify(FLOW_FILE))
    const one = (await json('flow', 'import', file)) as { flow: { id: string } }
    const { stdout: list } = await home.run(['flow', 'list'])
    const run = await home.run(['flow', 'run', 'Greet', '--input', '{"name": "Ada"}', '--steps'])
    const steps = await json('flow', 'run', 'Greet', '--input', '{"name": "Ada"}', '--steps')
    const two = (await json('flow', 'import', file)) as { flow: { id: string; name: string } }
    const again = await home.run(['flow', 'run', 'Greet', '--input', '{"name": "Ada"}'])
    expect({ list, run: run.stdout, steps }).toEqual({
      list: expect.stringMatching(new RegExp(`^${one.flow.id} +draft +webhook +Greet$`, 'm')),
      run: expect.stringMatching(
        /^Run \S+: success.*\nhook: success .*\ngreeting: success \{.*Hello Ada[^]*\nResponse 200 \(application\/json\)\n\{ "text": "Hello Ada" \}\n$/,
      ),
      steps: expect.objectContaining({
        status: 'success',
        response: expect.objectContaining({ status: 200, body: '{ "text": "Hello Ada" }' }),
        output: { result: false },
        steps: expect.arrayContaining([
          expect.objectContaining({
            ref_id: 'greeting',
            output: expect.objectContaining({ text: 'Hello Ada' }),
          }),
        ]),
      }),
    })
    expect({ code: again.code, copy: two.flow.name }).toEqual({ code: 0, copy: 'Greet (copy)' })
  })
})

test('a name that two flows have is reported with both ids', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const { url, bearer } = await home.serve()
  const add = async () => {
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Twin', steps: [] })
    return (
      (await (await fetch(`${url}/v1/flows`, { method: 'POST', headers, body })).json()) as { id: string }
    ).id
  }
  const ids = [await add(), await add()]
  const { code, stderr } = await home.run(['flow', 'run', 'Twin'])
  expect({ code, names: ids.filter((id) => stderr.includes(id)) }).toEqual({ code: 1, names: ids })
})

test('files in UTF-16, as PowerShell writes them, are read, and binary files are sent unchanged', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const inUtf16 = (name: string, value: unknown) => {
    const path = join(home.folder, name)
    writeFileSync(path, Buffer.from(`\ufeff${JSON.stringify(value)}\r\n`, 'utf16le'))
    return path
  }
  const steps = [
    { ref_id: 'web1', type: 'webhook', config: {} },
    { ref_id: 'hello', type: 'set', config: { values: { text: 'Grüße, {{ web1.name }}' } } },
  ]
  const binary = join(home.folder, 'photo.jpg')
  writeFileSync(binary, Buffer.from('ffd8ffe0', 'hex'))
  const imported = await home.run(['flow', 'import', inUtf16('flow.json', { name: 'Hello', steps })])
  const input = `@${inUtf16('input.json', { name: 'Zoë' })}`
  const run = await home.run(['flow', 'run', 'Hello', '--input', input, '--steps'])
  const quoted = await home.run(['flow', 'run', 'Hello', '--input', "'{name:"])
  expect({ imported, run, quoted }).toMatchObject({
    imported: { code: 0, stderr: expect.stringContaining('millrace start') },
    run: { code: 0, stdout: expect.stringContaining('Grüße, Zoë') as string },
    quoted: {
      code: 2,
      stderr: expect.stringContaining(
        'found "\'". On Windows, quotes get lost: put the JSON into a file and use',
      ) as string,
    },
  })
  expect([readGiven(input), readGiven(`@${binary}`), readGiven('{"a": "@b"}')]).toEqual([
    '{"name":"Zoë"}\r\n',
    Buffer.from('ffd8ffe0', 'hex'),
    '{"a": "@b"}',
  ])
})

test('flow pull and push keep a folder and Millrace in sync while they watch', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const { url, bearer } = await home.serve()
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' }
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as { id: string; name: string; description: string }
  }
  const folder = join(home.folder, 'flows')
  const file = join(folder, 'greet.yaml')
  const read = () => readFileSync(file, 'utf8')
  const { id } = await send('POST', '/v1/flows', { name: 'Greet', steps: [] })
  const pull = await home.run(['flow', 'pull', folder, '--json'])
  const watching = ['pull', 'push'].map((command) =>
    spawn(process.execPath, [...FLAGS, COMMAND, 'flow', command, folder, '--watch'], { env: home.env }),
  )
  await send('PUT', `/v1/flows/${id}`, { description: 'From the app' })
  await expect.poll(read).toContain('description: From the app')
  writeFileSync(file, read().replace('From the app', 'From the file'))
  await expect.poll(async () => (await send('GET', `/v1/flows/${id}`)).description).toBe('From the file')
  for (const child of watching) child.kill()
  await Promise.all(watching.map((child) => once(child, 'close')))
  expect({ code: pull.code, pulled: JSON.parse(pull.stdout) as unknown }).toMatchObject({
    code: 0,
    pulled: {
      flows: [
        { id, name: 'Greet', file: 'greet.yaml', action: 'create', changes: [] },
        { file: 'receive-an-order.yaml' },
      ],
      unchanged: 0,
    },
  })
})

test('without a running Millrace, no URL of this moment is printed, but how to get one', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const told = await home.run(['flow', 'import', 'sample:echo'])
  const imported = await home.run(['flow', 'import', 'sample:form-to-json', '--json'])
  const file = join(home.folder, 'hook.json')
  await home.run(['flow', 'export', 'Echo', '--out', file])
  const again = await home.run(['flow', 'import', file, '--json'])
  const listed = await home.run(['flow', 'list', '--json'])
  const served = await home.serve()
  const later = await home.run(['flow', 'list', '--json'])
  const urls = ({ stdout }: CommandResult) =>
    (JSON.parse(stdout) as { webhook_url: string | null }[]).map(({ webhook_url: url }) => url)
  expect({
    told,
    imported: (JSON.parse(imported.stdout) as { flow: Flow }).flow.webhook?.url,
    again: (JSON.parse(again.stdout) as { flow: Flow }).flow.webhook?.url,
    listed: urls(listed).every((url) => url === null),
    later: urls(later).every((url) => url?.startsWith(served.url)),
  }).toEqual({
    told: {
      code: 0,
      signal: null,
      stdout: expect.stringMatching(/^Imported "Echo" as a draft: \S+\n$/),
      stderr: expect.stringContaining('start it with "millrace start"'),
    },
    imported: null,
    again: null,
    listed: true,
    later: true,
  })
})
