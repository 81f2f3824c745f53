/** The built desktop entry in a separate process, against the stand-in for Electron, which the test controls. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NO_CODE_FROM_TEXT } from '../../src/main/host/machine/process-flags.ts'
import type { StandInOptions } from '../electron/stand-in/base.ts'
import type { Home } from './program.ts'

const ENTRY = join(import.meta.dirname, '../../out/main/index.js')
const STAND_IN = join(import.meta.dirname, '../electron/stand-in/register.ts')

interface Message {
  readonly call?: string
  readonly args?: unknown[]
  readonly id?: number
  readonly result?: unknown
  readonly error?: string
}

export interface Desktop {
  /** The app's calls so far, in order: `['show']`, `['setTitle', 'Millrace']`. */
  readonly calls: readonly (readonly unknown[])[]
  /** Resolves to the arguments of the first such call, past or future. */
  called(name: string): Promise<readonly unknown[]>
  /** Resolves to the arguments of the call of that name after the first `count` ones. */
  calledAfter(name: string, count: number): Promise<readonly unknown[]>
  count(name: string): number
  /** Plays the user, the page or the system; see ACTIONS of the stand-in. */
  act(action: string, ...args: unknown[]): Promise<unknown>
  readonly ended: Promise<number | NodeJS.Signals>
  readonly stderr: () => string
  kill(): Promise<void>
}

export function startDesktop(
  home: Home,
  options: StandInOptions = {},
  env: NodeJS.ProcessEnv = {},
  args: readonly string[] = [],
  flags: readonly string[] = [NO_CODE_FROM_TEXT],
): Desktop {
  const child = fork(ENTRY, [...args], {
    execArgv: [...flags, '--import', pathToFileURL(STAND_IN).href],
    env: { ...home.env, ...env, STAND_IN: JSON.stringify(options) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const calls: unknown[][] = []
  const answers = new Map<number, (answer: Message) => void>()
  let stderr = ''
  let wake = () => {}
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.on('message', (message: Message) => {
    if (message.call !== undefined) calls.push([message.call, ...(message.args ?? [])])
    if (message.id !== undefined) answers.get(message.id)?.(message)
    wake()
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code ?? -1))
  })
  void ended.then(() => wake())
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  return {
    calls,
    stderr: () => stderr,
    ended,
    count: (name) => calls.filter(([called]) => called === name).length,
    called(name) {
      return this.calledAfter(name, 0)
    },
    async calledAfter(name, count) {
      for (;;) {
        const call = calls.filter(([called]) => called === name)[count]
        if (call) return call.slice(1)
        if (hasEnded()) throw new Error(`the app ended without ${name}: ${JSON.stringify(calls)} ${stderr}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    act(action, ...args) {
      return new Promise((resolve, reject) => {
        const id = answers.size + 1
        answers.set(id, ({ result, error }) =>
          error === undefined ? resolve(result) : reject(new Error(error)),
        )
        child.send({ id, action, args })
      })
    },
    async kill() {
      if (!hasEnded()) child.kill('SIGKILL')
      await ended
    },
  }
}
