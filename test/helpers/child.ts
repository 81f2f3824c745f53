import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly process: ChildProcess
  /** The next line the child prints; rejects where it ends first. */
  readonly line: () => Promise<string>
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** Runs a script of the tests in a process of its own, with the switches the program itself runs with. */
export function startChild(script: URL, args: readonly string[] = []): Child {
  const child = spawn(
    process.execPath,
    ['--disallow-code-generation-from-strings', script.pathname, ...args],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
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
      if (next.done) throw new Error(`${script.pathname} ended without a further line`)
      return next.value
    },
  }
}
