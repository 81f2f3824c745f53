import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDesktop } from '../helpers/desktop.ts'
import { onPosix } from '../helpers/platform.ts'
import { createHome, type Home } from '../helpers/program.ts'

let home: Home
beforeAll(() => {
  home = createHome()
})
afterAll(() => home.remove())

const isFree = () => !existsSync(join(home.dataDir, 'millrace.lock'))

test('millrace stop shuts the running Millrace down properly, and says if none is running', async () => {
  const served = await home.serve()
  const stopped = await home.run(['stop'])
  const isFreeAtOnce = isFree()
  const again = await home.run(['stop', '--json'])
  expect({ stopped, isFreeAtOnce, end: await served.ended, stderr: served.stderr(), again }).toEqual({
    stopped: {
      code: 0,
      signal: null,
      stdout: `Millrace (process ${served.process.pid}) has stopped\n`,
      stderr: '',
    },
    isFreeAtOnce: true,
    end: 0,
    stderr: '',
    again: {
      code: 0,
      signal: null,
      stdout: `${JSON.stringify({ stopped: false, data_dir: home.dataDir })}\n`,
      stderr: '',
    },
  })
})

test.runIf(onPosix)('Ctrl-Break, which Windows sends as SIGBREAK, shuts it down properly', async () => {
  // Other systems don't have this signal, so they use another one.
  const bringer = 'data:text/javascript,process.on("SIGUSR2", () => process.emit("SIGBREAK"))'
  const served = await home.serve({ nodeArgs: ['--import', bringer] })
  served.process.kill('SIGUSR2')
  expect({ end: await served.ended, isFree: isFree() }).toEqual({ end: 0, isFree: true })
})

test('millrace stop quits the desktop app', async () => {
  const desktop = startDesktop(home)
  await desktop.called('show')
  const { code } = await home.run(['stop'])
  expect({ code, end: await desktop.ended, stderr: desktop.stderr() }).toEqual({
    code: 0,
    end: 0,
    stderr: '',
  })
})
