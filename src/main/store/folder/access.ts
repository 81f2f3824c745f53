/**
 * Whether other users of the computer can read a file or a folder. On Windows, access lists decide that instead of mode
 * bits, and a folder outside the user's profile inherits a list that lets everybody in.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, win32 } from 'node:path'
import { removeFileSync } from './move.ts'

export interface AccessSystem {
  readonly platform: NodeJS.Platform
  /** The user's folder. */
  readonly home: string
  /** Runs a Windows program and returns its output. */
  readonly run: (program: 'icacls' | 'whoami', args: readonly string[]) => string
}

const THIS_SYSTEM: AccessSystem = {
  platform: process.platform,
  home: homedir(),
  run: (program, args) => {
    // Uses its full path, because Windows would first look for it in the current folder.
    const path = win32.join(process.env.SystemRoot || 'C:\\Windows', 'System32', `${program}.exe`)
    return execFileSync(path, args, {
      encoding: 'utf8',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  },
}

/** Also false if Windows doesn't report it. */
export function isOpenToOthers(path: string, system: AccessSystem = THIS_SYSTEM): boolean {
  if (system.platform !== 'win32') return (statSync(path).mode & 0o077) !== 0
  if (isInside(system.home, path)) return false
  try {
    return letsGroupsIn(readAccessList(path, system))
  } catch {
    return false
  }
}

/**
 * Restricts a folder to this user, the system and administrators. Doesn't restrict a whole drive, or file systems
 * without access lists (FAT, network shares), for which the diagnostics show a warning.
 */
export function keepOthersOut(dir: string, system: AccessSystem = THIS_SYSTEM): void {
  if (win32.dirname(dir) === dir || !isOpenToOthers(dir, system)) return
  try {
    const [, user] = /"(S-1-[\d-]+)"\s*$/.exec(system.run('whoami', ['/user', '/fo', 'csv', '/nh'])) ?? []
    if (user === undefined) return
    const all = [user, LOCAL_SYSTEM, ADMINISTRATORS].map((who) => `*${who}:(OI)(CI)F`)
    // Runs in this order, so that a failure in between locks nobody out.
    system.run('icacls', [dir, '/grant:r', ...all])
    system.run('icacls', [dir, '/inheritance:r'])
  } catch {
    // The diagnostics show a warning.
  }
}

const LOCAL_SYSTEM = 'S-1-5-18'
const ADMINISTRATORS = 'S-1-5-32-544'

function isInside(folder: string, path: string): boolean {
  const way = win32.relative(folder, path)
  return way !== '..' && !way.startsWith('..\\') && !win32.isAbsolute(way)
}

/** Reads the list in Windows' own notation (SDDL), because the names of groups are translated. */
function readAccessList(path: string, { run }: AccessSystem): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-access-'))
  const file = join(folder, 'list')
  try {
    run('icacls', [path, '/save', file])
    return readFileSync(file, 'utf16le')
  } finally {
    removeFileSync(file)
    rmdirSync(folder)
  }
}

/** Whether an entry grants anything to a group that includes users in general. */
function letsGroupsIn(list: string): boolean {
  const entries = [...list.matchAll(/\(([^()]*)/g)].map(([, entry = '']) => entry.split(';'))
  return entries.some(([type = '', , , , , who = '']) => /^X?A$/.test(type) && OTHERS.has(who))
}

/** Everyone, users, authenticated users, interactive users, domain users, guests. */
const OTHERS: ReadonlySet<string> = new Set([
  'WD',
  'BU',
  'AU',
  'IU',
  'DU',
  'BG',
  'S-1-1-0',
  'S-1-5-32-545',
  'S-1-5-11',
  'S-1-5-4',
  'S-1-5-32-546',
])
