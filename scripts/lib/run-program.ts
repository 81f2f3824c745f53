import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './build.ts'

/**
 * No text ever becomes code in this process, whoever wrote the text. New objects get 8 MB at a time: with more the
 * program takes a hundred megabytes that it never needs, and is no quicker.
 */
const FLAGS = ['--disallow-code-generation-from-strings', '--max-semi-space-size=8']

/** Becomes the `millrace` command of the newest build. Does not return. */
export function runProgram(args: readonly string[]): void {
  const command = [...FLAGS, join(ROOT, 'out/main/headless.js'), ...args]
  if (process.platform !== 'win32' && process.execve) {
    process.execve(process.execPath, [process.execPath, ...command], process.env)
  }
  runChild(process.execPath, command)
}

/** Runs a program in this one's place: same terminal, signals passed on, same end. */
export function runChild(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal))
  }
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
