/** `npm run dev` runs the sources, restarted when they change. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../helpers/free-port.ts'
import { askToEnd } from '../helpers/platform.ts'
import { createHome, listening } from '../helpers/program.ts'

const ROOT = join(import.meta.dirname, '../..')

test('what runs in a thread of its own gets no messages of Node’s watch mode', async () => {
  const home = createHome()
  const port = String(await freePort())
  const child = spawn(process.execPath, ['--import', './scripts/require-node.mjs', 'scripts/dev.ts'], {
    cwd: ROOT,
    env: { ...home.env, MILLRACE_PORT: port },
  })
  const { ended, bearer } = await listening(child)
  onTestFinished(async () => {
    askToEnd(child)
    await ended
    await home.remove()
  })
  const response = await fetch(`http://127.0.0.1:${port}/v1/flows/import/plan`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      source: JSON.stringify({
        name: 'Nightly',
        steps: [{ ref_id: 'greeting', type: 'set', config: { values: { text: 'Hello' } } }],
      }),
    }),
  })
  expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 200 })
})
