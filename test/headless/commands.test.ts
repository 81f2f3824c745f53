import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHome, type Home } from '../helpers/program.ts'
import { askToEnd, onLinux } from '../helpers/platform.ts'

describe.each([
  ['through the running Millrace', true],
  ['on the folder itself', false],
])('millrace, %s:', (_how, isRunning) => {
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

  test('token create prints the record with the token, list shows it, revoke revokes it', async () => {
    const { code, stdout } = await home.run([
      'token',
      'create',
      '--scopes',
      'automation, connectors:view',
      '--note',
      'for the shop',
      '--expiration',
      '30',
    ])
    const created = JSON.parse(stdout) as { id: string; token: string; expiration: string }
    const listed = await json('token', 'list')
    const revoked = await json('token', 'revoke', created.id)
    expect({ code, created, listed, revoked, after: await json('token', 'list') }).toEqual({
      code: 0,
      created: {
        id: expect.any(String),
        token: expect.stringMatching(/^mr_pat_[0-9A-Za-z]{54}$/),
        expiration: expect.stringMatching(/^\d{4}-.*Z$/),
        note: 'for the shop',
        last_used: null,
        scopes: ['automation', 'connectors:view'],
        flow_ids: null,
        auth_ids: null,
      },
      listed: [expect.objectContaining({ id: created.id, last_four: created.token.slice(-4) })],
      revoked: { id: created.id, revoked: true },
      after: [],
    })
    expect(JSON.stringify(listed)).not.toContain(created.token)
  })

  test('token create limits a token to flows and auths by name', async () => {
    const add = async (sample: string): Promise<{ id: string; name: string }> => {
      const { flow } = (await json('flow', 'import', sample)) as { flow: { id: string; name: string } }
      return flow
    }
    const [first, second] = [await add('sample:echo'), await add('sample:form-to-json')]
    const token = ['token', 'create', '--scopes', 'webhook_run', '--note', 'the shop']
    const flows = ['--flow', first.name, '--flow', second.id]
    expect(await json(...token, ...flows, '--no-auths')).toMatchObject({
      flow_ids: [first.id, second.id],
      auth_ids: [],
    })
    const unknown = await home.run([...token, '--flow', 'Nothing'])
    const both = await home.run([...token, '--auth', 'x', '--no-auths'])
    expect([unknown.stderr, both.stderr]).toEqual([
      expect.stringContaining('No flow has the name "Nothing"'),
      expect.stringContaining('--auth and --no-auths exclude each other'),
    ])
  })

  test('without --expiration a token never expires', async () => {
    expect(await json('token', 'create', '--scopes', 'automation', '--note', 'x')).toMatchObject({
      expiration: null,
    })
  })

  test('a rejected command exits with 1 and the error', async () => {
    const ends = await Promise.all([
      home.run(['token', 'create', '--scopes', 'automation', '--note', 'x'.repeat(300), '--json']),
      home.run(['token', 'revoke', 'b2a4a8f0-52a5-4f5f-9b58-6d7f8d3a7b11']),
    ])
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual([
      [1, ''],
      [1, ''],
    ])
    expect(JSON.parse(ends[0]?.stderr ?? '')).toMatchObject({ error: 'validation', data: expect.any(Object) })
  })

  test('an unknown scope is a usage error that names the valid ones', async () => {
    const { code, stdout, stderr } = await home.run([
      'token',
      'create',
      '--scopes',
      'automation,nope',
      '--note',
      'x',
    ])
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^millrace: --scopes is "nope", but must be one of "automation", /),
    })
  })

  test('token check identifies a value from stdin or an argument', async () => {
    const { token, id } = (await json(
      'token',
      'create',
      '--scopes',
      'automation:view',
      '--note',
      'for the shop',
    )) as {
      token: string
      id: string
    }
    const fromStdin = await home.run(['token', 'check'], {}, `${token}\n`)
    const asArgument = await home.run(['token', 'check', `Bearer ${token}`, '--json'])
    const wrong = await home.run([
      'token',
      'check',
      `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
    ])
    const { stdout: list } = await home.run(['token', 'list'])
    expect({ fromStdin, asArgument: JSON.parse(asArgument.stdout) as unknown, wrong, list }).toMatchObject({
      fromStdin: {
        code: 0,
        stdout: expect.stringMatching(
          new RegExp(`^valid: .*\nid: ${id}\nscopes: automation:view\nnote: for the shop\n`),
        ),
      },
      asArgument: { state: 'valid', token: { id } },
      wrong: { code: 1, stdout: expect.stringMatching(/^malformed: /) },
      list: expect.stringMatching(new RegExp(`^ID +TOKEN +EXPIRES.*\n${id} +…${token.slice(-4)} `)),
    })
  })

  test('with --json a usage error is one JSON value, too', async () => {
    const ends = await Promise.all([home.run(['token', 'create', '--json']), home.run(['swerve', '--json'])])
    expect(ends.map(({ code, stdout, stderr }) => [code, stdout, JSON.parse(stderr) as unknown])).toEqual([
      [2, '', { error: 'usage', message: "required option '--scopes <scopes>' not specified", data: null }],
      [2, '', { error: 'usage', message: "unknown command 'swerve' (Did you mean serve?)", data: null }],
    ])
  })

  test('each level of commands has its help', async () => {
    const [asWord, asOption] = await Promise.all([
      home.run(['help', 'token', 'create']),
      home.run(['token', 'create', '--help']),
    ])
    expect({ code: asWord.code, stdout: asWord.stdout }).toEqual({ code: 0, stdout: asOption.stdout })
    expect(asWord.stdout).toMatch(/^Usage: millrace token create/)
  })

  test('doctor finds nothing wrong', async () => {
    const port = isRunning ? [] : ['--port', '0']
    const { code, stdout } = await home.run(['doctor', ...port])
    expect({ code, problems: stdout.split('\n').filter((line) => line.startsWith('problem')) }).toEqual({
      code: 0,
      problems: [],
    })
  })
})

describe('millrace', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  test('open without a running Millrace ends with 1 and says how to start one', async () => {
    const { code, stdout, stderr } = await home.run(['open'])
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('start it with "millrace start"'),
    })
  })

  test('the printed link opens everything the page needs, only for the owner', async () => {
    const { url } = await home.serve()
    const { stdout } = await home.run(['open', '--json'])
    const { session_url: link } = JSON.parse(stdout) as { session_url: string }
    const ask = async (bearer: string) =>
      (await fetch(`${url}/v1/settings`, { headers: { Authorization: `Bearer ${bearer}` } })).status
    expect({ ofLink: await ask(link.split('=')[1] ?? ''), other: await ask('x'.repeat(43)) }).toEqual({
      ofLink: 200,
      other: 401,
    })
  })

  test('concurrent commands on the folder itself wait for each other', async () => {
    const ends = await Promise.all(
      ['a', 'b', 'c'].map((note) => home.run(['token', 'create', '--scopes', 'automation', '--note', note])),
    )
    const { stdout } = await home.run(['token', 'list', '--json'])
    expect({
      codes: ends.map(({ code }) => code),
      notes: (JSON.parse(stdout) as { note: string }[]).map(({ note }) => note).toSorted(),
    }).toEqual({ codes: [0, 0, 0], notes: ['a', 'b', 'c'] })
  })

  test('doctor names what is wrong, changes nothing, and ends with 1', async () => {
    const served = await home.serve()
    askToEnd(served.process)
    await served.ended
    const database = join(home.dataDir, 'millrace.db')
    writeFileSync(database, readFileSync(database).fill(0x5a, 4_096, 16_384))
    writeFileSync(join(home.folder, 'config', 'millrace', 'master.key'), 'nonsense')
    const before = readFileSync(database)
    const { code, stdout } = await home.run(['doctor', '--port', '0'])
    expect({
      code,
      problems: stdout.split('\n').filter((line) => line.startsWith('problem')),
      isUntouched: readFileSync(database).equals(before),
    }).toEqual({
      code: 1,
      problems: [expect.stringContaining('database'), expect.stringContaining("doesn't contain a key")],
      isUntouched: true,
    })
  })

  test.runIf(onLinux)(
    "doctor finds a folder that can't be created, and exits like a start there",
    async () => {
      const file = join(home.folder, 'a-file')
      writeFileSync(file, '')
      const inFile = join(file, 'data')
      const inProc = '/proc/millrace/data'
      const ends = []
      for (const folder of [inFile, inProc])
        for (const args of [['doctor'], ['serve', '--no-open']])
          ends.push(await home.run([...args, '--port', '0', '--data-dir', folder]))
      const missing = join(home.folder, 'not', 'there', 'yet')
      const good = await home.run(['doctor', '--port', '0', '--data-dir', missing])
      expect({
        codes: ends.map(({ code }) => code),
        doctor: ends[0]?.stdout,
        good: good.code,
        isLeftAlone: !existsSync(join(home.folder, 'not')),
      }).toEqual({
        codes: [78, 78, 78, 78],
        doctor: expect.stringMatching(/^problem +data folder: .*a-file\/data can't be created \(ENOTDIR\)/m),
        good: 0,
        isLeftAlone: true,
      })
    },
  )

  test('no key file is created if the environment has the key', async () => {
    await home.serve({ env: { MILLRACE_MASTER_KEY: 'ab'.repeat(32) } })
    expect(() => readFileSync(join(home.folder, 'config', 'millrace', 'master.key'))).toThrow('ENOENT')
  })
})
