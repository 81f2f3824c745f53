/** What other programs learn about the page's URL: nothing worth stealing. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { onPosix } from '../helpers/platform.ts'

describe.runIf(process.platform === 'linux')('the browser opens', () => {
  let home: Home
  let env: NodeJS.ProcessEnv
  beforeEach(() => {
    home = createHome()
    env = { ...browserIn(home.folder), MILLRACE_MASTER_KEY: '5a'.repeat(32) }
  })
  afterEach(() => home.remove())

  const openers = {
    serve: () => home.serve({ opens: true, env }),
    async open() {
      const served = await home.serve({ env })
      await home.run(['open'], env)
      return served
    },
  }

  test.runIf(onPosix).each(['serve', 'open'] as const)(
    'with %s and a code that grants the session once, without any secret',
    async (command) => {
      const served = await openers[command]()
      const { url, told } = await opened(home.folder)
      const lock = JSON.parse(readFileSync(join(home.dataDir, 'millrace.lock'), 'utf8')) as Lock
      const secrets = [served.bearer, lock.owner_secret, env.MILLRACE_MASTER_KEY!]
      const code = /#code=([A-Za-z0-9_-]{43})$/.exec(url)?.[1]
      const [first, second] = [await exchange(served, code), await exchange(served, code)]
      const settings = await fetch(`${served.url}/v1/settings`, {
        headers: { Authorization: `Bearer ${String(first.body.session)}` },
      })
      expect({
        told: secrets.filter((secret) => told.includes(secret)),
        at: url.startsWith(`${served.url}/#code=`),
        first: first.status,
        settings: settings.status,
        second: [second.status, second.body.error],
        printed: served.stdout().includes(`${served.url}/#session=`),
      }).toEqual({
        told: [],
        at: true,
        first: 200,
        settings: 200,
        second: [409, 'conflict'],
        printed: true,
      })
    },
  )
})

interface Lock {
  readonly owner_secret: string
}

/** A browser that records everything it receives: its arguments, then its environment. */
function browserIn(folder: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = join(bin, 'xdg-open')
  const told = join(folder, 'told')
  writeFileSync(program, `#!/bin/sh\n{ echo "$@"; env; } > '${told}.new' && mv '${told}.new' '${told}'\n`)
  chmodSync(program, 0o755)
  return { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' }
}

async function opened(folder: string): Promise<{ readonly url: string; readonly told: string }> {
  const file = join(folder, 'told')
  await vi.waitUntil(() => existsSync(file), { timeout: 30_000 })
  const told = readFileSync(file, 'utf8')
  return { url: told.slice(0, told.indexOf('\n')), told }
}

async function exchange(served: Served, code: string | undefined) {
  const response = await fetch(`${served.url}/v1/sign-in-codes/exchange`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
