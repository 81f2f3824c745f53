/** Finds Electron's binary, which isn't part of the package: Electron downloads it on first use. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build.ts'

const PACKAGE = join(ROOT, 'node_modules/electron')
/** Time limits for connecting to the server, and for then downloading about 110 MB. */
const REACH_MS = 4_000
const FETCH_MS = 180_000

export type Electron = { readonly path: string } | NoWindow

export interface NoWindow {
  /** A clause that "so" can follow in a message. */
  readonly reason: string
  /** How to get a window, worded to follow "for a window,". */
  readonly remedy?: string
}

/** The binary, downloaded if necessary; otherwise the reason why there is no window. */
export async function findElectron(environment: NodeJS.ProcessEnv = process.env): Promise<Electron> {
  const hasDisplay =
    process.platform !== 'linux' || Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY)
  const path = findInstalled(environment) ?? (hasDisplay ? await fetchBinary(environment) : null)
  if (path === null) return { reason: "Electron's binary can't be downloaded here" }
  if (!hasDisplay) return { reason: 'There is no display for a window here' }
  if (process.getuid?.() === 0) return { reason: 'Electron does not start as root' }
  return { path }
}

function findInstalled(environment: NodeJS.ProcessEnv): string | null {
  // Reads the variable the same way as Electron's own package.
  const { ELECTRON_OVERRIDE_DIST_PATH: given } = environment
  if (given) return join(given, process.platform === 'win32' ? 'electron.exe' : 'electron')
  const pathFile = join(PACKAGE, 'path.txt')
  if (!existsSync(pathFile)) return null
  const path = join(PACKAGE, 'dist', readFileSync(pathFile, 'utf8'))
  return existsSync(path) ? path : null
}

async function fetchBinary(environment: NodeJS.ProcessEnv): Promise<string | null> {
  if (!(await isReachable(environment))) return null
  process.stdout.write('Fetching Electron, once …\n')
  await new Promise<void>((resolve) => {
    const installer = join(PACKAGE, 'install.js')
    const fetching = spawn(process.execPath, [installer], { stdio: 'ignore', timeout: FETCH_MS })
    fetching.once('error', () => resolve())
    fetching.once('exit', () => resolve())
  })
  return findInstalled(environment)
}

/** Checked first, because the download itself retries for minutes if nothing responds. */
async function isReachable({ ELECTRON_MIRROR: mirror }: NodeJS.ProcessEnv): Promise<boolean> {
  const source = mirror || 'https://github.com/electron/electron/releases/download/'
  try {
    await fetch(source, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(REACH_MS) })
    return true
  } catch {
    return false
  }
}
