import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, type Home } from '../helpers/program.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/bank_accounts')
const IBAN = 'DE02120300000000202051'

function aHome(): Home {
  const home = createHome()
  onTestFinished(() => home.remove())
  return home
}

async function said(home: Home, ...args: string[]) {
  const { code, stdout, stderr } = await home.run(args)
  return [code, `${stdout}${stderr}`]
}

/** A flow with a step and a filter of the example plug-in. */
function flowFile(home: Home): string {
  const file = join(home.folder, 'accounts.json')
  const steps = [
    {
      ref_id: 'checked',
      type: 'plugin',
      config: { plugin: 'bank_accounts', step: 'check_iban', input: { iban: IBAN } },
    },
    {
      ref_id: 'text',
      type: 'set',
      config: {
        values: { iban: '{{ checked.iban | bank_accounts_iban("-") }}', isValid: '{{ checked.valid }}' },
      },
    },
  ]
  writeFileSync(file, JSON.stringify({ name: 'Accounts', steps }))
  return file
}

const RIGHT = [0, expect.stringContaining('{"iban":"DE02-1203-0000-0000-2020-51","isValid":true}')]

/** The example plug-in, with a connector. */
function exampleIn(home: Home): string {
  const folder = join(home.folder, 'bank_accounts')
  cpSync(EXAMPLE, folder, { recursive: true })
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8')
  writeFileSync(
    join(folder, 'manifest.json'),
    manifest.replace('"filters"', '"connectors": ["bank"], "filters"'),
  )
  mkdirSync(join(folder, 'connectors'))
  const connector = { name: 'Bank of examples', base_domain: 'https://bank.example.com' }
  const file = { format: 'millrace-connector', version: 1, connector, actions: [] }
  writeFileSync(join(folder, 'connectors', 'bank.json'), JSON.stringify(file))
  return folder
}

test('a plug-in is begun, tested, added, confirmed, used and removed on the command line', async () => {
  const home = aHome()
  await home.serve()
  const folder = join(home.folder, 'name_tags')
  const made = [
    await said(home, 'plugin', 'new', folder),
    await said(home, 'plugin', 'new', folder),
    await said(home, 'plugin', 'test', folder),
    await said(home, 'plugin', 'test', EXAMPLE),
  ]
  writeFileSync(
    join(folder, 'tests', 'greet.json'),
    '{ "step": "greet", "input": { "name": "Bo" }, "expect": 1 }',
  )
  made.push(await said(home, 'plugin', 'test', folder))
  expect(made).toEqual([
    [0, expect.stringContaining('Created ')],
    [1, expect.stringContaining('already exists')],
    [0, expect.stringContaining('ok tests/greet.json')],
    [0, expect.stringMatching(/^ok tests\/groups.json\nok tests\/right.json\nok tests\/wrong-digits.json/)],
    [1, expect.stringContaining('FAILED tests/greet.json: returned {"text":"Hello Bo"} instead of 1')],
  ])

  const source = exampleIn(home)
  const used = [
    await said(home, 'plugin', 'add', source),
    await said(home, 'plugin', 'list'),
    await said(home, 'plugin', 'add', source, '--yes'),
    await said(home, 'plugin', 'list'),
    await said(home, 'connector', 'list'),
    await said(home, 'flow', 'import', flowFile(home), '--yes'),
    await said(home, 'flow', 'run', 'Accounts', '--steps'),
    await said(home, 'plugin', 'remove', 'bank_accounts'),
    await said(home, 'plugin', 'list'),
    await said(home, 'flow', 'run', 'Accounts', '--steps'),
  ]
  const connectors = await said(home, 'connector', 'list')
  expect(used).toEqual([
    [
      0,
      expect.stringContaining('Look at it under Plug-ins in the app and confirm it, or add it with --yes.'),
    ],
    [0, expect.stringMatching(/bank_accounts +1.0.0 +unconfirmed/)],
    [0, expect.stringContaining('Added "bank_accounts". It can only compute.')],
    [0, expect.stringMatching(/bank_accounts +1.0.0 +ready/)],
    [0, expect.stringContaining('Bank of examples')],
    [0, expect.any(String)],
    RIGHT,
    [0, expect.stringContaining('Removed "bank_accounts".')],
    [0, expect.not.stringContaining('bank_accounts')],
    [
      1,
      expect.stringContaining(
        'The plug-in "bank_accounts" isn\'t installed; add it with: millrace plugin add',
      ),
    ],
  ])
  expect(connectors).toEqual([0, expect.not.stringContaining('Bank of examples')])
})

test('a backup brings the plug-ins of its flows along; a folder of flows names them by their hash', async () => {
  const home = aHome()
  const served = await home.serve()
  await said(home, 'plugin', 'add', exampleIn(home), '--yes')
  await said(home, 'flow', 'import', flowFile(home), '--yes')
  const [backup, folder] = [join(home.folder, 'whole.backup'), join(home.folder, 'flows')]
  const written = [await said(home, 'backup', backup), await said(home, 'flow', 'pull', folder)]
  const yaml = readFileSync(join(folder, 'accounts.yaml'), 'utf8')
  const [, hash] = /hash: ['"]?([0-9a-f]{64})/.exec(yaml) ?? []
  expect({ written: written.map(([code]) => code), names: yaml.includes('plugin: bank_accounts') }).toEqual({
    written: [0, 0],
    names: true,
  })

  const restored = aHome()
  expect((await said(restored, 'restore', backup))[0]).toBe(0)
  rmSync(join(restored.dataDir, 'plugins'), { recursive: true, force: true })
  const there = await restored.serve()
  const plugins = await fetch(`${there.url}/v1/plugins`, {
    headers: { Authorization: `Bearer ${there.bearer}` },
  })
  expect({
    plugins: await plugins.json(),
    run: await said(restored, 'flow', 'run', 'Accounts', '--steps'),
    connectors: await said(restored, 'connector', 'list'),
  }).toMatchObject({
    plugins: [{ name: 'bank_accounts', status: 'ready', hash }],
    run: RIGHT,
    connectors: [0, expect.stringContaining('Bank of examples')],
  })

  const elsewhere = aHome()
  await elsewhere.serve()
  const pushed = await said(elsewhere, 'flow', 'push', folder)
  const missing = await said(elsewhere, 'flow', 'run', 'Accounts', '--steps')
  await said(elsewhere, 'plugin', 'add', exampleIn(elsewhere), '--yes')
  const pushedAgain = await said(elsewhere, 'flow', 'push', folder)
  const found = await said(elsewhere, 'flow', 'run', 'Accounts', '--steps')
  expect({ pushed, missing, pushedAgain, found }).toEqual({
    pushed: [0, expect.stringMatching(/create +accounts.yaml/)],
    missing: [
      1,
      expect.stringContaining('Step "checked": The plug-in "bank_accounts" isn\'t installed; add it with'),
    ],
    pushedAgain: [0, expect.stringContaining('0 changed')],
    found: RIGHT,
  })
  served.process.kill()
})
