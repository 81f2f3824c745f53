/** A program under test as its own process: started, asked, weighed, ended. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

export interface Program {
  readonly process: ChildProcess
  /** What it printed first, up to the line that says that it is ready. */
  readonly firstLines: string
  /** Resident memory in MB. */
  residentMb(): number
  /** Since it was last asked; the program must have been started with `watch-loop.mjs`. */
  eventLoopDelay(): Promise<EventLoopDelay>
  /** What is left after a collection; the program must have been started with `watch-memory.mjs`. */
  memory(): Promise<Memory>
  /** The most it has had so far. */
  peakMb(): number
  end(): Promise<void>
  /** As a crash does it. */
  kill(): Promise<void>
}

export interface EventLoopDelay {
  readonly p99Ms: number
  readonly maxMs: number
}

export interface Memory {
  readonly heapMb: number
  /** Held by the heap's objects outside of it: buffers above all. */
  readonly externalMb: number
  readonly residentMb: number
}

/** Whatever becomes of the benchmark, nothing of it stays behind. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts Node and resolves once stdout matches. */
export function startProgram(
  args: readonly string[],
  ready: RegExp,
  env: NodeJS.ProcessEnv = {},
): Promise<Program> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  running.add(child)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      running.delete(child)
      resolve()
    })
  })
  return new Promise((resolve, reject) => {
    let firstLines = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      firstLines += chunk.toString()
      if (!ready.test(firstLines)) return
      resolve({
        process: child,
        firstLines,
        residentMb: () => memoryMb(child.pid ?? 0, 'VmRSS'),
        peakMb: () => memoryMb(child.pid ?? 0, 'VmHWM'),
        eventLoopDelay: () => ask<EventLoopDelay>(child, 'event-loop-delay'),
        memory: () => ask<Memory>(child, 'memory'),
        end() {
          child.kill('SIGTERM')
          return ended
        },
        kill() {
          child.kill('SIGKILL')
          return ended
        },
      })
    })
    void ended.then(() => reject(new Error(`${args.join(' ')} ended before it was ready: ${firstLines}`)))
  })
}

async function ask<T>(child: ChildProcess, question: string): Promise<T> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [T]
  return answer
}

function memoryMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
  return Number(kilobytes) / 1_000
}
