/** Features that only some systems have. A test that needs one says so with `test.runIf`. */
import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'

const isWindows = process.platform === 'win32'

/** File modes, signals that a program can handle, named pipes, `sh` and the programs that come with it. */
export const onPosix = !isWindows
/** `/proc`, `/dev/full`, `prlimit`, and every address that begins with 127. */
export const onLinux = process.platform === 'linux'

const endings = new WeakMap<object, () => void>()

/** Ends this process cleanly on Windows, where no signal can. */
export function endsBy(child: ChildProcess, end: () => void): void {
  endings.set(child, end)
}

/** Asks a program to stop, as Ctrl+C and a service manager do. */
export function askToEnd(child: ChildProcess): void {
  const end = onPosix ? undefined : endings.get(child)
  if (end === undefined) child.kill('SIGTERM')
  else end()
}

/** The mode as `chmod` writes it. Windows has none, and files inherit the rights of their folder. */
export function modeOf(path: string): string | null {
  return isWindows ? null : (statSync(path).mode & 0o777).toString(8)
}

/** Whether nobody else can read it. */
export function isPrivate(path: string): boolean {
  return /^[4-7]00$/.test(modeOf(path) ?? '600')
}
