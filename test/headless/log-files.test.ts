/** The log files of the real program: redacted, kept over kill -9, shown by the command and the API. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogEntry, Logs } from '../../src/shared/contract/logs.ts'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { askToEnd } from '../helpers/platform.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'

const SECRET = 'correct-horse-battery-staple'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

/** Each load of the page fails with an error that contains a secret. */
function bombed(): readonly string[] {
  const bomb = join(home.folder, 'bomb.mjs')
  writeFileSync(
    bomb,
    `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { statSync } = fs
fs.statSync = (path, ...more) => {
  if (String(path).endsWith('index.html')) throw Object.assign(new Error('the bomb with ${SECRET}'), { headers: { authorization: 'Basic short' } })
  return statSync(path, ...more)
}
syncBuiltinESMExports()`,
  )
  return ['--import', pathToFileURL(bomb).href]
}

const call = (served: Served, path: string, body?: unknown) =>
  fetch(`${served.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${served.bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const wholeLog = () => {
  const folder = join(home.dataDir, 'logs')
  return readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

test('errors are in the files without secrets, also after kill -9, and found by the command and the API', async () => {
  const first = await home.serve({ nodeArgs: bombed() })
  const saved = await call(first, '/v1/env-variables', {
    name: 'api_key',
    type: 'text',
    value: SECRET,
    secret: true,
  })
  await fetch(first.url)
  first.process.kill('SIGKILL')
  await first.ended
  const afterKill = wholeLog()
  const stopped = await home.run(['logs', '--level', 'error', '--json'])
  const second = await home.serve()
  const list = (await (await call(second, '/v1/logs?level=error')).json()) as Logs
  const token = await home.run(['token', 'create', '--scopes', 'company', '--note', 'x', '--json'])
  const byToken = await fetch(`${second.url}/v1/logs`, {
    headers: { authorization: `Bearer ${(JSON.parse(token.stdout) as { token: string }).token}` },
  })
  askToEnd(second.process)
  await second.ended
  const all = await home.run(['logs'])
  const entry = JSON.parse(stopped.stdout) as LogEntry
  expect({
    saved: saved.status,
    hasSecret: `${afterKill}${first.stderr()}`.includes(SECRET),
    hasPassword: afterKill.includes('Basic short'),
    error: entry.details?.['err'],
    level: entry.level,
    byApi: list.entries.map(({ id }) => id),
    folder: list.folder,
    byToken: byToken.status,
    life: all.stdout.split('\n').map((text) => text.slice(25)),
  }).toEqual({
    saved: 201,
    hasSecret: false,
    hasPassword: false,
    error: expect.objectContaining({ message: 'the bomb with ***' }),
    level: 'error',
    byApi: [entry.id],
    folder: join(home.dataDir, 'logs'),
    byToken: 403,
    life: [
      'info  Millrace started',
      'error A request failed: the bomb with ***',
      'info  Millrace started',
      'info  Millrace stopped',
      '',
    ],
  })
})

test('--follow prints new lines as they are logged, and nothing twice', async () => {
  const served = await home.serve({ nodeArgs: bombed() })
  const command = join(import.meta.dirname, '../../out/main/headless.js')
  const child = spawn(process.execPath, [...FLAGS, command, 'logs', '--follow', '--level', 'error'], {
    env: home.env,
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  for (const count of [1, 2, 3]) {
    await fetch(served.url)
    await vi.waitUntil(() => printed.split('\n').length - 1 >= count, { timeout: 60_000 })
  }
  child.kill('SIGKILL')
  expect(printed.match(/A request failed/g)).toHaveLength(3)
})

test('an invalid --since or --level says what it should be', async () => {
  const ends = [await home.run(['logs', '--since', 'yesterday']), await home.run(['logs', '--level', 'loud'])]
  expect(ends.map(({ code, stderr }) => [code, stderr.trim()])).toEqual([
    [2, 'millrace: --since is "yesterday", but must be a time like 2026-03-01T12:00:00Z, or 15m, 2h, 3d'],
    [2, 'millrace: --level is "loud", but must be one of info, warn, error'],
  ])
})
