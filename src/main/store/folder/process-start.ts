/** Distinguishes a process from a later one with the same process ID. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface RunningProcess {
  /**
   * The start time in the system's own format: equal strings mean the same process, and the format means nothing else.
   * Null if the system has no cheap way to get it (Windows).
   */
  readonly start: string | null
}

/** The process with this ID, whoever owns it; null if there is none. */
export function findProcess(pid: number): RunningProcess | null {
  if (!answersSignals(pid)) return null
  if (process.platform === 'linux') return linuxProcess(pid)
  if (process.platform === 'darwin') return { start: darwinStart(pid) }
  return { start: null }
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

function darwinStart(pid: number): string | null {
  try {
    return execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}
