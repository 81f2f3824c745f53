import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Every user of the machine can read the arguments of every process, so none of these may contain a secret. */
const STARTERS = [
  // Opens pages of other sites; its own, whose URL may contain the session, stay in the window.
  'src/main/electron/guards.ts',
  // The AppImage or portable program that the user started, with its own arguments.
  'src/main/electron/relaunch.ts',
  // `gdbus`, asked for a name on the session bus.
  'src/main/electron/tray.ts',
  // `reg`, with the name of the login item.
  'src/main/headless/commands/uninstall.ts',
  // A one-time code: test/headless/opener.test.ts.
  'src/main/headless/support/open-browser.ts',
  // Node itself, with the arguments that it received.
  'src/main/host/machine/process-flags.ts',
  // The file that runs SQLite; what it works on is sent to it.
  'src/main/services/reaching/databases/start-process.ts',
  // Programs of the user's list; `sh` and `taskkill` with the number of a process. Secrets belong in their environment.
  'src/main/services/reaching/programs/run-process.ts',
  // cloudflared, which gets its token in the environment: test/headless/tunnel.test.ts.
  'src/main/services/serving/tunnel/cloudflared.ts',
  // `icacls` with the path of the data folder or the key file, and `whoami`.
  'src/main/store/folder/access.ts',
  // `ps` with the ID of a process.
  'src/main/store/folder/process-start.ts',
]

test('only the listed files start other programs', () => {
  const starters = globSync('{src,packages/*/src}/**/*.{ts,tsx}', { cwd: ROOT }).filter((file) =>
    /child_process|shell\.openExternal|utilityProcess/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(starters.toSorted()).toEqual(STARTERS)
})
