import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './build.ts'

/**
 * No text ever becomes code in this process, whoever wrote the text. New objects get 8 MB at a time: with more the
 * program takes a hundred megabytes that it never needs, and is no quicker. What has grown old is looked through for the
 * first time at 128 MB, where V8 would wait for several times as much: one large run leaves its memory to the next.
 */
export const FLAGS = [
  '--disallow-code-generation-from-strings',
  '--max-semi-space-size=8',
  '--initial-old-space-size=128',
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
