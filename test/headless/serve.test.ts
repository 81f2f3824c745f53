import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'
import { createNumberedFlow, sendNumber } from '../helpers/served-api.ts'
import { heedStop } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { askToEnd, onLinux, onPosix } from '../helpers/platform.ts'

const SERVE = [
  ...FLAGS,
  join(import.meta.dirname, '../../out/main/headless.js'),
  'serve',
  '--no-open',
  '--port',
  '0',
]

describe('millrace serve', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  test('prints where it listens once requests are served, then the page with its session', async () => {
    const { url, sessionUrl, bearer } = await home.serve()
    const page = await fetch(url)
    const settings = await fetch(`${url}/v1/settings`, { headers: { Authorization: `Bearer ${bearer}` } })
    expect({
      port: Number(new URL(url).port) > 0,
      sessionUrl,
      page: [page.status, (await page.text()).includes('<title>Millrace</title>')],
      settings: settings.status,
    }).toEqual({
      port: true,
      sessionUrl: `${url}/#session=${bearer}`,
      page: [200, true],
      settings: 200,
    })
  })

  test.runIf(onPosix)('keeps folder, database, lock and key private to their owner', async () => {
    await home.serve()
    const mode = (...path: string[]) => (statSync(join(home.folder, ...path)).mode & 0o777).toString(8)
    expect({
      folder: mode('data', 'millrace'),
      database: mode('data', 'millrace', 'millrace.db'),
      lock: mode('data', 'millrace', 'millrace.lock'),
      key: mode('config', 'millrace', 'master.key'),
    }).toEqual({ folder: '700', database: '600', lock: '600', key: '600' })
  })

  test.runIf(onPosix).each(['SIGTERM', 'SIGINT'] as const)(
    '%s shuts it down properly with exit code 0, and the folder is unlocked',
    async (signal) => {
      const served = await home.serve()
      served.process.kill(signal)
      expect({ end: await served.ended, stderr: served.stderr(), files: readdirSync(home.dataDir) }).toEqual({
        end: 0,
        stderr: '',
        files: expect.not.arrayContaining(['millrace.lock', 'millrace.db-wal']),
      })
    },
  )

  test.runIf(onPosix)('a second signal stops it at once', async () => {
    const served = await home.serve()
    // A caller waiting for a run that never ends keeps the first signal from taking effect.
    const isAsked = Promise.withResolvers<void>()
    const shop = await startThirdPartyApi(() => isAsked.resolve())
    const flow = await createNumberedFlow(served, {}, [
      { ref_id: 'call', type: 'rest', config: { url: shop.url } },
    ])
    const answer = sendNumber(served, flow, 1).catch(() => 'cut')
    await isAsked.promise
    const stop = await heedStop(served)
    askToEnd(served.process)
    await stop.begun
    askToEnd(served.process)
    expect({ exitCode: await served.ended, answer: await answer }).toEqual({ exitCode: 1, answer: 'cut' })
  })

  test('after kill -9 it starts again on the same folder', async () => {
    const first = await home.serve()
    first.process.kill('SIGKILL')
    expect(await first.ended).toBe('SIGKILL')
    const second = await home.serve()
    expect((await fetch(second.url)).status).toBe(200)
  })

  test('--json prints the two URLs as one object', async () => {
    const { url } = await home.serve()
    const { stdout } = await home.run(['open', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      url,
      session_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#session=/),
    })
  })

  test.runIf(onPosix)('an uncaught error is logged and ends it with 70', async () => {
    const bomb = join(home.folder, 'bomb.mjs')
    writeFileSync(bomb, "process.once('SIGUSR2', () => { throw new Error('the bomb') })")
    const served = await home.serve({ nodeArgs: ['--import', pathToFileURL(bomb).href] })
    served.process.kill('SIGUSR2')
    expect({ end: await served.ended, logged: served.stderr().includes('the bomb') }).toEqual({
      end: 70,
      logged: true,
    })
  })
})

describe('millrace serve ends with', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  const serve = (...args: string[]) => home.run(['serve', '--no-open', ...args])

  test('2 for a wrong argument, which is named', async () => {
    const ends = await Promise.all([
      serve('--port', '99999'),
      serve('--prot', '1'),
      serve('extra'),
      home.run(['swerve']),
      home.run(['serve', '--no-open', '--port', '0'], { MILLRACE_MASTER_KEY: 'short' }),
    ])
    expect(ends.map(({ code, stdout, stderr }) => [code, stdout, stderr.split('\n')[0]])).toEqual([
      [
        2,
        '',
        'millrace: --port is "99999", but must be a whole number from 0 to 65535 (0 for any free port)',
      ],
      [2, '', "millrace: unknown option '--prot' (Did you mean --port?); add --help to see what there is"],
      [2, '', expect.stringContaining('too many arguments')],
      [2, '', expect.stringContaining("unknown command 'swerve'")],
      [2, '', expect.stringContaining('MILLRACE_MASTER_KEY must be 32 bytes')],
    ])
  })

  test('69 if the port is taken, naming it', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await serve('--port', String(port))
    other.close()
    expect({ code, stderr, files: readdirSync(home.dataDir) }).toEqual({
      code: 69,
      stderr: expect.stringContaining(`Port ${port} is in use`),
      files: expect.not.arrayContaining(['millrace.lock']),
    })
  })

  test('nothing if --next-port lets it take the next port, which is printed', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const served = await home.serve({ args: ['--port', String(port), '--next-port'] })
    other.close()
    expect({ status: (await fetch(served.url)).status, stderr: served.stderr() }).toEqual({
      status: 200,
      stderr: `Port ${port} is in use by another program, so another one is used this time.\n`,
    })
  })

  test('75 if another process has the folder open, which keeps running', async () => {
    const first = await home.serve()
    const { code, stderr } = await serve('--port', '0')
    expect({ code, stderr, stillThere: (await fetch(first.url)).status }).toEqual({
      code: 75,
      stderr: expect.stringContaining(`(process ${first.process.pid}`),
      stillThere: 200,
    })
  })

  test.each([
    ['empty', Buffer.alloc(0)],
    ['no database', Buffer.from('This is my shopping list, and nothing to write over.')],
    ['zeros', Buffer.alloc(8_192)],
  ])('74 if the database is %s, and leaves it unchanged', async (_what, content) => {
    mkdirSync(home.dataDir, { recursive: true })
    const database = join(home.dataDir, 'millrace.db')
    writeFileSync(database, content)
    const { code, stderr } = await serve('--port', '0')
    expect({ code, stderr, files: readdirSync(home.dataDir), content: readFileSync(database) }).toEqual({
      code: 74,
      stderr: expect.stringContaining(database),
      files: ['millrace.db'],
      content,
    })
  })

  test('74 if a page in the middle of the database is overwritten', async () => {
    const first = await home.serve()
    askToEnd(first.process)
    await first.ended
    const database = join(home.dataDir, 'millrace.db')
    const damaged = readFileSync(database).fill(0x5a, 4_096, 16_384)
    writeFileSync(database, damaged)
    const { code, stderr } = await serve('--port', '0')
    const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex')
    expect({ code, stderr, content: digest(readFileSync(database)) }).toEqual({
      code: 74,
      stderr: expect.stringContaining('damaged'),
      content: digest(damaged),
    })
  })

  test.runIf(onLinux)('75 if the disk is full, with a new folder and a used one', async () => {
    const serveWithoutRoom = () =>
      runCommand('prlimit', ['--fsize=0', process.execPath, ...SERVE, '--json'], { env: home.env })
    const fresh = await serveWithoutRoom()
    const first = await home.serve()
    askToEnd(first.process)
    await first.ended
    const used = await serveWithoutRoom()
    const codes = [fresh, used].map(({ code, stderr }) => {
      const last = stderr.trimEnd().split('\n').at(-1) ?? ''
      return [code, (JSON.parse(last) as { error: string }).error]
    })
    expect(codes).toEqual([
      [75, 'disk_full'],
      [75, 'disk_full'],
    ])
  })

  test.runIf(onLinux)("78 if the folder can't be created or written, for every command", async () => {
    const file = join(home.folder, 'a-file')
    writeFileSync(file, 'mine')
    const ends = await Promise.all([
      serve('--port', '0', '--data-dir', file),
      serve('--port', '0', '--data-dir', join(file, 'below')),
      serve('--port', '0', '--data-dir', '/proc/millrace'),
    ])
    expect({ ends: ends.map(({ code }) => code), file: readFileSync(file, 'utf8') }).toEqual({
      ends: [78, 78, 78],
      file: 'mine',
    })
    expect(ends[0]?.stderr).toContain(file)
  })
})

describe('the playground', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  test('is an API on its own port, which /v1/meta names, and ends with the program', async () => {
    const served = await home.serve()
    const { playground_url: url } = (await (await fetch(`${served.url}/v1/meta`)).json()) as {
      playground_url: string
    }
    const paths = await fetch(url)
    const ownPort = new URL(url).port !== new URL(served.url).port
    askToEnd(served.process)
    expect({
      paths: paths.status,
      ownPort,
      end: await served.ended,
      after: await fetch(url).catch(() => 'gone'),
    }).toEqual({ paths: 200, ownPort: true, end: 0, after: 'gone' })
  })
})
