import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './build.ts'

/**
 * V8 flags: strings never become code in this process. New objects get 16 MB at a time, because by the time it is full
 * almost nothing of a request is still in use. The old generation is first collected at 64 MB, and then whenever it is
 * twice what was in use; by default V8 waits for up to four times as much, and a large run would leave its memory to
 * the next.
 */
export const FLAGS = [
  '--disallow-code-generation-from-strings',
  '--max-semi-space-size=16',
  '--initial-old-space-size=64',
  '--heap-growing-percent=100',
]

/**
 * For the allocator on Linux; others ignore it. Compressing and reading use blocks that its threads keep for themselves
 * and rarely return: a long list would leave a hundred megabytes behind.
 */
export function withMemory(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', ...env }
}

/** Runs the `millrace` command of the newest build. Does not return. */
export function runProgram(args: readonly string[]): void {
  const command = [...FLAGS, join(ROOT, 'out/main/headless.js'), ...args]
  if (process.platform !== 'win32' && process.execve) {
    process.execve(process.execPath, [process.execPath, ...command], withMemory(process.env))
  }
  runChild(process.execPath, command)
}

/** Runs a program in place of this one: same terminal, forwarded signals, same exit. */
export function runChild(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'inherit', env: withMemory(process.env) })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal))
  }
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
