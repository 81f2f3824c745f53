/** `npm start` with stand-ins for Electron: it opens the app in the browser whenever Electron can't show it, and says why. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askToEnd, onLinux } from '../helpers/platform.ts'
import { createHome, listening, type Home } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'

const ROOT = join(import.meta.dirname, '../..')

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

/** @param script the code that stands in for Electron */
function place(script: string) {
  const dist = join(home.folder, 'dist')
  const bin = join(home.folder, 'bin')
  for (const folder of [dist, bin]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(dist, 'electron'), `#!/bin/sh\necho "$@" > '${home.folder}/arguments'\n${script}\n`, {
    mode: 0o755,
  })
  const opened = join(home.folder, 'opened')
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 })
  return {
    dist,
    opened,
    env: {
      ...home.env,
      PATH: `${bin}:${process.env.PATH}`,
      DISPLAY: ':99',
      ELECTRON_OVERRIDE_DIST_PATH: dist,
    },
  }
}
/** Electron refuses to run as root, which the tests may run as. */
const USER = `data:text/javascript,process.getuid = () => 1000`
const START = ['--import', './scripts/require-node.mjs', '--import', USER, 'scripts/start.ts', '--port', '0']

test.runIf(onLinux).each([
  [
    'a sandbox that the system forbids',
    `echo '[1:0916/1.2:FATAL:sandbox/linux/suid/client/setuid_sandbox_host.cc:166] The SUID sandbox helper binary was found, but is not configured correctly. Rather than run without sandboxing I am aborting now.' >&2; kill -TRAP $$`,
    /^This system doesn't let Electron create its sandbox, so Millrace opens in your browser; for a window, run "sudo chown root:root '.*\/dist\/chrome-sandbox' && sudo chmod 4755 .*AppArmor profile\.$/m,
  ],
  [
    'namespaces that AppArmor takes away',
    `echo '[1:1:FATAL:sandbox/linux/services/credentials.cc:131] Check failed: . : Permission denied (13)' >&2; exit 133`,
    /^This system doesn't let Electron create its sandbox, .*AppArmor profile\.$/m,
  ],
  [
    'a missing library',
    `echo "$0: error while loading shared libraries: libnss3.so: cannot open shared object file: No such file or directory" >&2; exit 127`,
    /^The library libnss3\.so, which Electron needs, is missing here, so .*; for a window, install the package that has libnss3\.so\.$/m,
  ],
  [
    'a display that refuses',
    `echo '[1:ERROR:ui/ozone/platform/x11/ozone_platform_x11.cc:249] Missing X server or $DISPLAY' >&2; kill -SEGV $$`,
    /^Electron can't open the display, so .*WAYLAND_DISPLAY.*\.$/m,
  ],
  [
    'a driver that ends it after it was ready',
    `echo ready > "$MILLRACE_STAGES_FILE"; echo "[1:FATAL:gpu_data_manager_impl_private.cc] GPU process isn't usable. Goodbye." >&2; exit 133`,
    /^Electron ended because of the graphics driver, so .*--disable-gpu.*\.$/m,
  ],
  ['an end without a word', 'exit 3', /^Electron ended before it showed a page \(exit code 3\), so .*\.$/m],
])('%s: the app opens in the browser, with the reason and what to do', async (_title, script, sentence) => {
  const { env, opened } = place(script)
  const served = await listening(spawn(process.execPath, START, { cwd: ROOT, env }))
  await expect
    .poll(() => existsSync(opened) && readFileSync(opened, 'utf8'), { timeout: 20_000 })
    .toContain(served.url)
  askToEnd(served.process)
  expect({
    stdout: served.stdout(),
    end: await served.ended,
    arguments: readFileSync(join(home.folder, 'arguments'), 'utf8').includes('sandbox'),
  }).toEqual({ stdout: expect.stringMatching(sentence), end: 0, arguments: false })
})

test.runIf(onLinux)('an Electron that hangs is ended, even if it ignores the request', async () => {
  const { dist, env } = place(
    `trap '' TERM; echo ready > "$MILLRACE_STAGES_FILE"; echo served >> "$MILLRACE_STAGES_FILE"; while :; do sleep 1; done`,
  )
  const script = `import { runElectron } from './scripts/lib/run-electron.ts'
    console.log(JSON.stringify(await runElectron(${JSON.stringify(join(dist, 'electron'))}, [], 500)))`
  const end = await runCommand(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    env,
  })
  expect(JSON.parse(end.stdout)).toEqual({
    reason: 'Electron showed no page within 0.5 seconds',
    remedy: 'look at the messages above',
  })
})

test.runIf(onLinux).each([
  ['the app ends after its page was there', 'echo shown > "$MILLRACE_STAGES_FILE"; exit 139', 139],
  ['another start has the window', 'exit 0', 0],
  ['the app has shown a dialog with its own code', 'echo ready > "$MILLRACE_STAGES_FILE"; exit 75', 75],
])('%s: nothing opens in the browser, and the exit code is the same', async (_title, script, code) => {
  const { env, opened } = place(script)
  const end = await runCommand(process.execPath, START, { cwd: ROOT, env })
  expect({ code: end.code, stdout: end.stdout, opened: existsSync(opened) }).toEqual({
    code,
    stdout: '',
    opened: false,
  })
})
