/** Where Electron's binary is. It is no part of the package: Electron fetches it when it is first wanted. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build.ts'

const PACKAGE = join(ROOT, 'node_modules/electron')
/** To reach the place it comes from, and then to fetch some 110 MB. */
const REACH_MS = 4_000
const FETCH_MS = 180_000

export type Electron = { readonly path: string } | { readonly reason: string }

export async function findElectron(environment: NodeJS.ProcessEnv = process.env): Promise<Electron> {
  if (environment.MILLRACE_HEADLESS) return { reason: 'MILLRACE_HEADLESS is set' }
  if (process.platform === 'linux' && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) {
    return { reason: 'There is no display here' }
  }
  if (process.getuid?.() === 0) return { reason: 'Electron does not run as root' }
  const installed = installedPath()
  if (installed) return { path: installed }
  if (!(await isReachable(environment)))
    return { reason: "Electron's binary is not here and cannot be fetched" }
  process.stdout.write('Fetching Electron, once …\n')
  await fetchBinary()
  const fetched = installedPath()
  return fetched ? { path: fetched } : { reason: "Electron's binary could not be fetched" }
}

function installedPath(): string | null {
  const pathFile = join(PACKAGE, 'path.txt')
  if (!existsSync(pathFile)) return null
  const path = join(PACKAGE, 'dist', readFileSync(pathFile, 'utf8'))
  return existsSync(path) ? path : null
}

/** Asked first, because the fetching itself waits for minutes where nothing answers. */
async function isReachable(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const mirror = environment.ELECTRON_MIRROR || 'https://github.com/electron/electron/releases/download/'
  try {
    await fetch(mirror, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(REACH_MS) })
    return true
  } catch {
    return false
  }
}

function fetchBinary(): Promise<void> {
  return new Promise((resolve) => {
    const installer = spawn(process.execPath, [join(PACKAGE, 'install.js')], {
      stdio: 'ignore',
      timeout: FETCH_MS,
    })
    installer.once('error', () => resolve())
    installer.once('exit', () => resolve())
  })
}
