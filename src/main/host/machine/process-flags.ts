/** The flags and memory settings of every process, whether a script, the installed command, a service or Electron starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'

/** Turns off `eval` and `new Function`. A process that has it was started with all of FLAGS. */
export const NO_CODE_FROM_TEXT = '--disallow-code-generation-from-strings'

/**
 * V8 flags. Strings never become code in this process. New objects get 16 MB, because by the time that is full,
 * almost nothing of a request is still in use. The old generation is first collected at 64 MB, and then whenever it
 * has doubled. By default, V8 waits until it has quadrupled, so the memory of a large run would still be held during
 * the next one.
 */
export const FLAGS = [
  NO_CODE_FROM_TEXT,
  '--max-semi-space-size=16',
  '--initial-old-space-size=64',
  '--heap-growing-percent=100',
]

/** FLAGS as one argument for Electron, which applies them before V8 starts. */
export const JS_FLAGS = `--js-flags=${FLAGS.join(' ')}`

/**
 * The environment variable with the path of the file in which the desktop app reports the stages of its start to `npm
 * start`, one per line.
 */
export const STAGES_FILE = 'MILLRACE_STAGES_FILE'

/** Makes the desktop app run the `millrace` command with the arguments after this one, without opening a window. */
export const IN_APP = '--cli'

/**
 * Settings for the allocator on Linux, which other systems ignore. Compressing and reading use blocks that the
 * allocator keeps per thread and rarely returns, so a long list would leave a hundred megabytes behind.
 */
export function withMemory(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', ...env }
}

/**
 * For the desktop app, which a link or a file manager starts without arguments. Worker threads then have all flags.
 * The main thread lacks those that V8 only reads at the start, and Diagnostics reports that.
 */
export function setFlags(): void {
  for (const flag of FLAGS) setFlagsFromString(flag)
}

/** Whether strings can become code in this process. V8 decides that at the start. */
export function canMakeCode(): boolean {
  try {
    // Only an attempt shows whether the flag is in effect.
    Reflect.construct(Function, [''])
    return true
  } catch {
    return false
  }
}

/**
 * Replaces this process with Node running the script with FLAGS, under the same process ID, so signals, terminal and
 * exit code need no forwarding. On Windows, which can't do that, Node runs as a child.
 */
export function becomeNode(script: string, args: readonly string[], nodeArgs: readonly string[] = []): void {
  const command = [...nodeArgs, ...FLAGS, script, ...args]
  if (process.platform !== 'win32' && process.execve) {
    process.execve(process.execPath, [process.execPath, ...command], withMemory(process.env))
  }
  runChild(process.execPath, command)
}

/** Runs a program in place of this one, with the same terminal, forwarded signals and the same exit code. */
export function runChild(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: 'inherit', env: withMemory(process.env) })
  passSignals(child)
  child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

/** Forwards signals that should end this process to the child. */
export function passSignals(child: Pick<ChildProcess, 'kill'>): void {
  if (process.platform === 'win32') {
    // The console also signals the child, and "kill" would end the child before it has closed its files.
    for (const signal of ['SIGINT', 'SIGBREAK', 'SIGHUP'] as const) process.on(signal, () => {})
  } else {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => child.kill(signal))
    }
  }
}
