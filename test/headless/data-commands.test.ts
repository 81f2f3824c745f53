import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { askToEnd, isPrivate, onLinux } from '../helpers/platform.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const run = (...args: string[]) => home.run(args)

const HEADLESS = join(import.meta.dirname, '../../out/main/headless.js')

/** Runs a command on a terminal of its own and types an answer at each prompt. */
async function onTerminal(args: readonly string[], answers: readonly string[]) {
  const command = [process.execPath, ...FLAGS, HEADLESS, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: home.env })
  let shown = ''
  let answered = 0
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    const prompts = shown.match(/(?:Passphrase|Again): /g)?.length ?? 0
    for (; answered < prompts; answered += 1) child.stdin.write(`${answers[answered]}\r`)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, shown }
}

/** `never`, so that each test can read it as what it expects. */
async function api(served: Served, method: string, path: string, body?: object): Promise<never> {
  const answer = await fetch(`${served.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${served.bearer}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as never
}

test('a backup of the running program, restored after it has ended, brings the data back', async () => {
  const served = await home.serve()
  const file = join(home.folder, 'copy.db')
  const flow: { id: string } = await api(served, 'POST', '/v1/flows', { name: 'Kept', steps: [] })
  expect(await run('backup', file)).toMatchObject({ code: 0, stdout: expect.stringContaining(file) })
  await fetch(`${served.url}/v1/flows/${flow.id}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${served.bearer}` },
  })
  expect(await run('restore', file)).toMatchObject({ code: 75, stderr: expect.stringContaining('in use') })
  askToEnd(served.process)
  await served.ended

  const restored = await run('restore', file)
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  const kept = /kept as (\S+)/.exec(restored.stdout)?.[1] ?? ''
  expect(existsSync(kept)).toBe(true)
  const again = await home.serve()
  expect(await api(again, 'GET', `/v1/flows/${flow.id}`)).toMatchObject({ name: 'Kept' })
})

test.runIf(onLinux)(
  'on a terminal a backup asks twice for its passphrase, a restore once, and none of it is shown',
  async () => {
    await run('flow', 'import', 'sample:echo')
    const file = join(home.folder, 'sealed.backup')
    const secret = 'a passphrase of some length'
    const differs = await onTerminal(['backup', file, '--passphrase'], [secret, `${secret}.`])
    const backedUp = await onTerminal(['backup', file, '--passphrase'], [secret, secret])
    const wrong = await onTerminal(['restore', file], ['not the one of the backup'])
    const restored = await onTerminal(['restore', file], [secret])
    expect({
      codes: [differs, backedUp, wrong, restored].map(({ code }) => code),
      differs: differs.shown,
      wrong: wrong.shown,
      leaks: [differs, backedUp, wrong, restored].filter(({ shown }) => shown.includes(secret)),
    }).toEqual({
      codes: [1, 0, 1, 0],
      differs: expect.stringContaining('The two passphrases differ'),
      wrong: expect.stringContaining("The passphrase doesn't open"),
      leaks: [],
    })
  },
)

test("a file that isn't a backup is rejected, and the folder stays unchanged", async () => {
  await run('token', 'list')
  const before = readFileSync(join(home.dataDir, 'millrace.db'))
  const file = join(home.folder, 'letter.txt')
  writeFileSync(file, 'Dear Ada')
  const refused = await run('restore', file)
  expect(refused).toMatchObject({ code: 74, stderr: expect.stringContaining('nothing was restored') })
  expect(readFileSync(join(home.dataDir, 'millrace.db')).equals(before)).toBe(true)
})

test('a backup is only written to a file in an existing folder', async () => {
  const nowhere = join(home.folder, 'not', 'there.db')
  for (const path of [nowhere, home.folder])
    expect(await run('backup', path)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`millrace: ${path} `),
    })
})

test('a backup is never written into the data folder, however the path is spelled', async () => {
  const served = await home.serve()
  const link = join(home.folder, 'link')
  symlinkSync(home.dataDir, link)
  const inside = [
    join(home.dataDir, 'millrace.db'),
    join(home.dataDir, 'backups', 'mine.db'),
    `${home.folder}/elsewhere/../${relative(home.folder, home.dataDir)}/copy.db`,
    join(link, 'millrace.db'),
    join(link, 'files', 'copy.db'),
    `${join(home.folder, 'elsewhere', 'deeper')}/../millrace.db`,
  ]
  mkdirSync(join(home.folder, 'elsewhere'))
  mkdirSync(join(home.dataDir, 'files'), { recursive: true })
  mkdirSync(join(home.dataDir, 'backups'), { recursive: true })
  symlinkSync(join(home.dataDir, 'backups'), join(home.folder, 'elsewhere', 'deeper'))
  for (const path of inside) {
    const answer = await api(served, 'POST', '/v1/database/backup', { path, overwrite: true })
    expect({ path, answer }).toMatchObject({
      answer: { status: 400, data: { path: [expect.stringContaining('is inside the data folder')] } },
    })
  }
  expect(await api(served, 'GET', '/v1/flows')).toMatchObject([{ name: 'Receive an order' }])
  const path = join(home.folder, 'a'.repeat(300))
  expect(await api(served, 'POST', '/v1/database/backup', { path })).toMatchObject({
    status: 400,
    data: { path: ["can't be used (ENAMETOOLONG); choose another file"] },
  })
})

test('a backup replaces a file only if that is allowed', async () => {
  await home.serve()
  const file = join(home.folder, 'letter.txt')
  writeFileSync(file, 'Dear Ada')
  const neighbour = `${file}.partial`
  writeFileSync(neighbour, 'Dear Grace')
  expect(await run('backup', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already exists; choose another file'),
  })
  expect(readFileSync(file, 'utf8')).toBe('Dear Ada')
  expect(await run('backup', file, '--overwrite')).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'latin1').slice(0, 15)).toBe('SQLite format 3')
  expect(readFileSync(neighbour, 'utf8')).toBe('Dear Grace')
})

describe('the key', () => {
  const AUTH = { name: 'Shop', auth_type: 'bearer', auth_token: 'planted-secret-of-ada' }

  test('opens on another machine what was stored on the first', async () => {
    const first = await home.serve()
    const connectors: { id: string; name: string }[] = await api(first, 'GET', '/v1/connectors?per_page=200')
    const http = connectors.find(({ name }) => name === 'HTTP')?.id
    const auth: { id: string } = await api(first, 'POST', '/v1/connector-auths', {
      ...AUTH,
      connector_id: http,
    })
    const [file, key] = [join(home.folder, 'copy.db'), join(home.folder, 'key.txt')]
    await run('backup', file)
    expect(await run('key', 'export', '--out', key)).toMatchObject({ code: 0 })
    expect(isPrivate(key)).toBe(true)

    const other = createHome()
    try {
      await other.run(['restore', file])
      const served = await other.serve()
      const state = async () => {
        const folder: { secrets: string } = await api(served, 'GET', '/v1/data-folder')
        const shown: { state: string } = await api(served, 'GET', `/v1/connector-auths/${auth.id}`)
        return [folder.secrets, shown.state]
      }
      expect(await state()).toEqual(['needs_key', 'needs_reentry'])
      expect(await other.run(['key', 'import', key])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('All stored credentials can be read'),
      })
      expect(await state()).toEqual(['readable', 'ok'])
    } finally {
      await other.remove()
    }
  })

  test("is rejected if it isn't one", async () => {
    const file = join(home.folder, 'key.txt')
    writeFileSync(file, 'abc')
    const refused = await run('key', 'import', file)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('64 hexadecimal digits') })
  })

  test('in the file is protected by a passphrase, which each start needs', async () => {
    const served = await home.serve()
    await api(served, 'POST', '/v1/env-variables', { key: 'TOKEN', value: 'very secret text', secret: true })
    await run('stop')
    const short = await home.run(['key', 'protect'], {}, 'short\n')
    const protect = await home.run(['key', 'protect', '--json'], {}, 'correct horse\n')
    const file = readFileSync(join(home.folder, 'config/millrace/master.key'), 'utf8')
    const unasked = await run('flow', 'list')
    const wrong = await home.run(['flow', 'list'], { MILLRACE_PASSPHRASE: 'wrong' })
    const again = await home.serve({ env: { MILLRACE_PASSPHRASE: 'correct horse' } })
    const folder: { secrets: string } = await api(again, 'GET', '/v1/data-folder')
    await run('stop')
    const off = await home.run(['key', 'unprotect'], { MILLRACE_PASSPHRASE: 'correct horse' })
    const open = await run('flow', 'list')
    expect({
      short: [short.code, short.stderr.includes('at least 8 characters')],
      protect: protect.code,
      file: file.startsWith('millrace-sealed-key scrypt 131072 '),
      unasked: [unasked.code, unasked.stderr.includes('MILLRACE_PASSPHRASE')],
      wrong: [wrong.code, wrong.stderr.includes("isn't the passphrase")],
      secrets: folder.secrets,
      off: off.code,
      open: open.code,
      plain: /^[0-9a-f]{64}$/m.test(readFileSync(join(home.folder, 'config/millrace/master.key'), 'utf8')),
    }).toEqual({
      short: [2, true],
      protect: 0,
      file: true,
      unasked: [1, true],
      wrong: [2, true],
      secrets: 'readable',
      off: 0,
      open: 0,
      plain: true,
    })
  })

  test('and backups are only for the owner: a token of any scope is rejected', async () => {
    const served = await home.serve()
    const { token }: { token: string } = await api(served, 'POST', '/v1/personal-access-tokens', {
      note: 'all',
      expiration: null,
      scopes: ['automation', 'connectors', 'connector_auth', 'company'],
    })
    const statuses = await Promise.all(
      ['/v1/data-keys/export', '/v1/data-keys/import', '/v1/database/backup'].map(async (path) => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
        return (await fetch(`${served.url}${path}`, { method: 'POST', headers, body: '{}' })).status
      }),
    )
    expect(statuses).toEqual([403, 403, 403])
  })
})

test('paginate prints every record of every page, and exits with 1 if the list is incomplete', async () => {
  const served = await home.serve()
  const { playground_url: playground }: { playground_url: string } = await api(served, 'GET', '/v1/meta')
  const file = join(home.folder, 'config.json')
  writeFileSync(file, JSON.stringify({ query: "{'page': {{ page + 1 }}}", response_jsonpath: '$.contacts' }))
  const read = await run('paginate', '--config', file, '--url', `${playground}/contacts`)
  const records = read.stdout.trim().split('\n')
  expect({ code: read.code, stderr: read.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`${records.length} records on`),
  })
  expect(records.map((line) => typeof JSON.parse(line))).not.toContain('string')

  const failed = await run('paginate', '--config', file, '--url', `${playground}/nothing-here`)
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('404') })
  writeFileSync(
    file,
    JSON.stringify({ query: '{"after": "{{ previous_request.aftr }}"}', response_jsonpath: '$.contacts' }),
  )
  const inDoubt = ['paginate', '--config', file, '--url', `${playground}/contacts`]
  const outcomes = await Promise.all(
    [[], ['--json'], ['--when-in-doubt', 'fail'], ['--when-in-doubt', 'so']].map((more) =>
      run(...inDoubt, ...more),
    ),
  )
  expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: expect.stringMatching(/^In doubt: .*"aftr"[^]*complete: in doubt/) as string },
    {
      code: 0,
      stderr: expect.stringMatching(/^{"warning":"cursor_never_seen",.*"in_doubt":true}/) as string,
    },
    { code: 1, stderr: expect.stringContaining('millrace: The list may be incomplete') as string },
    { code: 2, stderr: expect.stringContaining('must be warn or fail') as string },
  ])
  const usage = await run('paginate', '--config', file, '--url', 'contacts')
  expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining('--url is "contacts"') })
})

describe('the data folder', () => {
  test('is moved while Millrace is stopped, found in its new place by every command, and reported missing with its disk', async () => {
    const served = await home.serve()
    const flow: { id: string } = await api(served, 'POST', '/v1/flows', { name: 'Kept', steps: [] })
    const to = join(home.folder, 'disk', 'millrace')
    const running = await run('move', to)
    await run('stop')
    const moved = await run('move', to, '--json')
    const listed = await run('flow', 'list', '--json')
    const back = join(home.folder, 'disk', 'unplugged')
    renameSync(to, back)
    const missed = await run('serve', '--no-open')
    expect({
      running: running.code,
      moved: JSON.parse(moved.stdout) as unknown,
      flows: listed.stdout.includes(flow.id),
      old: existsSync(home.dataDir),
      missed: [
        missed.code,
        missed.stderr.includes(`was moved to ${to}, which now has no data; connect its disk`),
      ],
      fresh: existsSync(to),
    }).toEqual({
      running: 75,
      moved: { data_dir: to, moved_from: home.dataDir },
      flows: true,
      old: false,
      missed: [78, true],
      fresh: false,
    })
  })

  test('and its key survive an uninstall unless the user says otherwise; other files of the user always do', async () => {
    const cache = join(home.folder, 'cache')
    const env = { XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: '' }
    await home.serve({ env })
    const entry = join(home.folder, 'config/autostart/millrace.desktop')
    mkdirSync(dirname(entry), { recursive: true })
    writeFileSync(entry, '[Desktop Entry]')
    writeFileSync(join(home.dataDir, 'letter.txt'), 'mine')
    mkdirSync(join(home.folder, '.local/bin'), { recursive: true })
    writeFileSync(join(home.folder, '.local/bin/millrace'), '#!/bin/sh\n# of somebody else\n')
    const uninstall = (...args: string[]) => home.run(['uninstall', ...args], env)
    const unasked = [await uninstall('--data'), await uninstall()]
    const running = await home.run(['status'], env)
    const kept = await uninstall('--yes')
    const afterIt = [
      existsSync(entry),
      existsSync(join(cache, 'millrace')),
      existsSync(join(home.dataDir, 'millrace.db')),
    ]
    const gone = await uninstall('--data', '--yes', '--json')
    expect({
      unasked: unasked.map(({ code }) => code),
      running: running.code,
      kept: [kept.code, kept.stdout.includes(`Your flows are still in ${home.dataDir}`)],
      afterIt,
      gone: gone.code,
      left: readdirSync(home.dataDir),
      config: existsSync(join(home.folder, 'config/millrace')),
      cache: existsSync(join(cache, 'millrace')),
      foreignCommand: existsSync(join(home.folder, '.local/bin/millrace')),
    }).toEqual({
      unasked: [2, 2],
      running: 0,
      kept: [0, true],
      afterIt: [false, false, true],
      gone: 0,
      left: ['letter.txt'],
      config: false,
      cache: false,
      foreignCommand: true,
    })
  })
})
