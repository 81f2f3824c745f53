import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './build.ts'

/**
 * No text ever becomes code in this process, whoever wrote the text. New objects get 16 MB at a time: of what a request
 * leaves next to nothing is still in use by then. What has grown old is looked through for the first time at 64 MB, and then
 * whenever it is twice of what was in use; V8 by itself waits for up to four times as much, and one large run would leave
 * its memory to the next.
 */
export const FLAGS = [
  '--disallow-code-generation-from-strings',
  '--max-semi-space-size=16',
  '--initial-old-space-size=64',
  '--heap-growing-percent=100',
]

/**
 * For the allocator of Linux, which others do not read. What is compressed and read comes in blocks that its threads keep
 * each for themselves and hardly give back: a long list would leave a hundred megabytes behind.
 */
export function withMemory(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', ...env }
}

/** Becomes the `millrace` command of the newest build. Does not return. */
export function runProgram(args: readonly string[]): void {
  const command = [...FLAGS, join(ROOT, 'out/main/headless.js'), ...args]
  if (process.platform !== 'win32' && process.execve) {
    process.execve(process.execPath, [process.execPath, ...command], withMemory(process.env))
  }
  runChild(process.execPath, command)
}

/** Runs a program in this one's place: same terminal, signals passed on, same end. */
export function runChild(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'inherit', env: withMemory(process.env) })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal))
  }
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
