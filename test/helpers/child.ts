import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly process: ChildProcess
  /** The child's next line of output; rejects if it ends first. */
  readonly line: () => Promise<string>
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** Runs a test script in a separate process, with the program's own switches. */
export function startChild(script: URL, args: readonly string[] = []): Child {
  const path = fileURLToPath(script)
  const child = spawn(process.execPath, ['--disallow-code-generation-from-strings', path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    process: child,
    ended,
    async line() {
      const next = await lines.next()
      if (next.done) throw new Error(`${path} ended without a further line`)
      return next.value
    },
  }
}
