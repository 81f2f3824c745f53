/** Tells one process from another that later got the same number. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface RunningProcess {
  /**
   * When it started, in the system's own words: equal text means the same process, and nothing else is to be read in
   * it. Null where the system does not tell cheaply (Windows).
   */
  readonly start: string | null
}

/** The process with this number, whoever owns it; null where none runs. */
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

/** Clock ticks since the machine's start, with the machine's boot: no change of the wall clock moves it. */
function linuxProcess(pid: number): RunningProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in brackets and may hold anything; fields are counted behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const hasEnded = fields[0] === 'Z' || fields[0] === 'X' // dead, not yet collected by its parent
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    return hasEnded ? null : { start: `${boot}:${fields[19]}` }
  } catch {
    return { start: null } // it answers signals, but /proc is hidden from us
  }
}

function darwinStart(pid: number): string | null {
  try {
    return execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}
