/** Starts a separate process for work that can only be interrupted by ending it, such as a long SQLite query. */
import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type Electron from 'electron'
import type { Lendable } from '../../kit/threads.ts'

export interface HelperProcess extends Lendable {
  send(message: object): void
  onMessage(listener: (message: unknown) => void): void
  offMessage(listener: (message: unknown) => void): void
  off(event: 'exit', listener: () => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export function startProcess(file: URL): HelperProcess {
  return 'electron' in process.versions ? startInElectron(fileURLToPath(file)) : startInNode(file)
}

function startInNode(file: URL): HelperProcess {
  const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    send: (message) => child.connected && child.send(message),
    onMessage: (listener) => child.on('message', listener),
    offMessage: (listener) => child.off('message', listener),
    ref() {
      child.ref()
      child.channel?.ref()
    },
    unref() {
      child.unref()
      child.channel?.unref()
    },
    async terminate() {
      child.kill('SIGKILL')
      if (child.pid !== undefined) await exited
    },
    on: (event, listener) => child.on(event, listener),
    once: (event, listener) => child.once(event, listener),
    off: (event: string, listener: (error: Error) => void) => child.off(event, listener),
  }
}

/** The desktop app can't run as Node, because its fuse is off. */
function startInElectron(file: string): HelperProcess {
  const { utilityProcess } = createRequire(import.meta.url)('electron') as Pick<
    typeof Electron,
    'utilityProcess'
  >
  const child = utilityProcess.fork(file, [], { serviceName: 'millrace databases' })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process, not a window
    send: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    offMessage: (listener) => child.off('message', listener),
    // The app's utility processes end with it.
    ref: () => undefined,
    unref: () => undefined,
    async terminate() {
      const { pid } = child
      // `child.kill()` only asks the process to end, and a running query doesn't respond.
      if (pid === undefined) child.kill()
      else process.kill(pid, 'SIGKILL')
      await exited
    },
    on: (event, listener) => child.on(event as 'error', listener as () => void),
    once: (event, listener) => child.once(event, listener),
    off: (event: string, listener: (error: Error) => void) =>
      child.off(event as 'exit', listener as () => void),
  }
}
