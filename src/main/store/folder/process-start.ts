/** Distinguishes a process from a later one with the same process ID. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface RunningProcess {
  /**
   * The start time in the system's own format, only for comparison: equal strings mean the same process. Null if the
   * system doesn't report it.
   */
  readonly start: string | null
}

/** The process with this ID, whoever owns it; null if there is none. Doesn't work on Windows. */
export function findProcess(
  pid: number,
  { platform, ps = '/bin/ps' }: { readonly platform: NodeJS.Platform; readonly ps?: string },
): RunningProcess | null {
  if (!answersSignals(pid)) return null
  if (platform === 'linux') return linuxProcess(pid)
  return platform === 'win32' ? { start: null } : psProcess(pid, ps)
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Clock ticks since boot plus the boot ID, so that changes of the wall clock don't matter. */
function linuxProcess(pid: number): RunningProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in parentheses and can contain anything, so fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const hasEnded = fields[0] === 'Z' || fields[0] === 'X' // dead, not yet reaped by its parent
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    return hasEnded ? null : { start: `${boot}:${fields[19]}` }
  } catch {
    return { start: null } // it responds to signals, but /proc is hidden from us
  }
}

/**
 * Uses a fixed language and time zone, because the process that took the lock and the one that reads it can have
 * different ones.
 */
function psProcess(pid: number, ps: string): RunningProcess | null {
  try {
    const options = { encoding: 'utf8', env: { LC_ALL: 'C', TZ: 'UTC' } } as const
    const line = execFileSync(ps, ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], options).trim()
    const [, state = '', start = null] = /^(\S+)\s+(\S.*)$/.exec(line) ?? []
    return state.startsWith('Z') ? null : { start } // dead, not yet reaped by its parent
  } catch {
    return { start: null } // it responds to signals, whatever ps says
  }
}
