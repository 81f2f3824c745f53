/** Runs the desktop app in place of this process, as long as Electron works on this system. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { EXIT } from '../../src/main/host/machine/exit-codes.ts'
import { JS_FLAGS, passSignals, STAGES_FILE, withMemory } from '../../src/main/host/machine/process-flags.ts'
import { ROOT } from './build.ts'
import type { NoWindow } from './electron.ts'

/** The time for Electron to be ready, and for the page to load. What Millrace does in between isn't counted. */
const LIMIT_MS = 30_000
const LOOK_EVERY_MS = 100
const ENDS_WITHIN_MS = 5_000
const MOST_STDERR = 100_000

/** Exits when the app does. If the app shows no page, ends the app and resolves to the reason. */
export async function runElectron(
  path: string,
  args: readonly string[],
  limitMs = LIMIT_MS,
): Promise<NoWindow> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-start-'))
  const stagesFile = join(folder, 'stages')
  const child = spawn(path, [ROOT, JS_FLAGS, ...args], {
    stdio: ['inherit', 'inherit', 'pipe'],
    env: { ...withMemory(process.env), [STAGES_FILE]: stagesFile },
  })
  passSignals(child)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk)
    if (stderr.length < MOST_STDERR) stderr += chunk.toString()
  })
  const ended = new Promise<string | number>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? code ?? 'unknown'))
  })
  const isLate = await Promise.race([waitForPage(stagesFile, limitMs, ended), ended.then(() => false)])
  if (isLate) await endChild(child, ended)
  const end = await ended
  const stages = readStages(stagesFile)
  rmSync(folder, { recursive: true, force: true })
  if (isLate)
    return {
      reason: `Electron showed no page within ${limitMs / 1_000} seconds`,
      remedy: 'look at the messages above',
    }
  // The exit code is ours if the app has shown a dialog.
  const isOurs = end === EXIT.ok || (stages !== '' && Object.values<unknown>(EXIT).includes(end))
  if (isOurs || stages.includes('shown')) process.exit(typeof end === 'number' ? end : EXIT.failed)
  return explain(stderr, end, path)
}

/** Resolves to true once the limit has passed; never resolves if the page appears before that. */
function waitForPage(file: string, limitMs: number, ended: Promise<unknown>): Promise<true> {
  return new Promise((resolve) => {
    let stages = ''
    let since = performance.now()
    const look = setInterval(() => {
      const now = readStages(file)
      if (now !== stages) since = performance.now()
      stages = now
      if (stages.includes('shown')) clearInterval(look)
      // The program may have to change its database, or wait for a passphrase.
      else if (!stages.endsWith('ready\n') && performance.now() - since > limitMs) {
        clearInterval(look)
        resolve(true)
      }
    }, LOOK_EVERY_MS)
    void ended.then(() => clearInterval(look))
  })
}

async function endChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill()
  const kill = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS)
  await ended
  clearTimeout(kill)
}

function readStages(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Explains Electron's output when it gives up, and how to fix that. Never suggests turning off the sandbox. */
function explain(stderr: string, end: string | number, path: string): NoWindow {
  const [, library] = /error while loading shared libraries: ([^\s:]+)/.exec(stderr) ?? []
  if (library !== undefined)
    return {
      reason: `The library ${library}, which Electron needs, is missing here`,
      remedy: `install the package that has ${library}`,
    }
  if (/setuid_sandbox|No usable sandbox|zygote_host|credentials\.cc/.test(stderr)) {
    const helper = join(dirname(path), 'chrome-sandbox')
    return {
      reason: "This system doesn't let Electron create its sandbox",
      remedy: `run "sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'", or install the deb package, which brings an AppArmor profile`,
    }
  }
  if (/Missing X server|cannot open display|Wayland|ozone|Authorization required/i.test(stderr))
    return {
      reason: "Electron can't open the display",
      remedy: 'check that DISPLAY or WAYLAND_DISPLAY names a display that you can use',
    }
  if (/GPU process/i.test(stderr))
    return {
      reason: 'Electron ended because of the graphics driver',
      remedy: 'try "npm start -- --disable-gpu", or update the driver',
    }
  return {
    reason: `Electron ended before it showed a page (${typeof end === 'number' ? `exit code ${end}` : end})`,
    remedy: 'look at the messages above',
  }
}
