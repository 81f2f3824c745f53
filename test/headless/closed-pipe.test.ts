/**
 * `COMMAND | head -1`: a command that prints endlessly stops quietly once nobody reads its output, and fetches nothing
 * more.
 */
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { onPosix } from '../helpers/platform.ts'
import { runCommand } from '../helpers/run-command.ts'
import { callOrThrow, createNumberedFlow, sendNumber } from '../helpers/served-api.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const COMMAND = [process.execPath, ...FLAGS, join(import.meta.dirname, '../../out/main/headless.js')]

/** The first line, and how the command that printed it ended. */
async function firstLine(args: readonly string[]) {
  const command = [...COMMAND, ...args].map((word) => `'${word}'`).join(' ')
  const { stdout, stderr } = await runCommand(
    'bash',
    ['-c', `${command} | head -1; echo "status \${PIPESTATUS[0]}"`],
    { cwd: home.folder, env: home.env },
  )
  return { lines: stdout.trim().split('\n'), stderr }
}

test.runIf(onPosix).each([['a running Millrace'], ['none']])(
  'paginate leaves an endless list, with %s',
  async (which) => {
    const api = await startThirdPartyApi(({ target }, response) => {
      const page = Number(new URL(target, 'http://localhost').searchParams.get('page') ?? 0)
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify([{ id: page }]))
    })
    if (which !== 'none') await home.serve()
    const config = join(home.folder, 'pagination.json')
    writeFileSync(config, JSON.stringify({ query: '{"page": {{ page }}}' }))
    const { lines, stderr } = await firstLine(['paginate', '--config', config, '--url', `${api.url}/list`])
    expect({ lines, stderr }).toEqual({ lines: ['{"id":0}', 'status 141'], stderr: '' })
    // A running Millrace learns a moment later that nobody reads any more.
    await expect
      .poll(async () => {
        const asked = api.received.length
        for (let own = 0; own < 10; own++) await fetch(`${api.url}/list`)
        return api.received.length - asked
      })
      .toBe(10)
  },
)

test.runIf(onPosix).each([
  ['run tail', 'running'],
  ['webhook tail', '200'],
  ['logs --follow', 'info'],
  ['flow pull --watch', 'create'],
])('%s ends with the next line', async (name) => {
  const served = await home.serve()
  const flow = await createNumberedFlow(served, {}, [])
  await sendNumber(served, flow, 1)
  const following = { has: 'started' }
  const ended = firstLine(name.split(' ')).finally(() => (following.has = 'ended'))
  // Each round makes a line for every kind of command, so one arrives after the pipe was closed.
  for (let n = 2; following.has !== 'ended'; n++) {
    await sendNumber(served, flow, n)
    await changeSomething(served, n)
  }
  expect(await ended).toEqual({ lines: [expect.any(String), 'status 141'], stderr: '' })
})

async function changeSomething(served: Served, n: number): Promise<void> {
  await callOrThrow(served, 'POST', '/v1/flows', { name: `Flow ${n}`, steps: [] })
  await callOrThrow(served, 'PUT', '/v1/settings', { concurrent_runs: 1 + (n % 10) })
}
