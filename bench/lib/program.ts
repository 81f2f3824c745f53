/** A program under test in its own process: started, called, measured, stopped. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

export interface Program {
  readonly process: ChildProcess
  /** Its output up to the line that says that it is ready. */
  readonly firstLines: string
  /** Resident memory in MB. */
  residentMb(): number
  /** CPU time of all its threads so far. */
  processorMs(): number
  /** CPU time of its main thread so far. */
  mainThreadMs(): number
  /** Event loop delays since the last call; the program must have been started with `watch-loop.mjs`. */
  eventLoopDelay(): Promise<EventLoopDelay>
  /** Memory in use after a garbage collection; the program must have been started with `watch-memory.mjs`. */
  memory(): Promise<Memory>
  /** Peak memory so far. */
  peakMb(): number
  end(): Promise<void>
  /** Kills it, as a crash would. */
  kill(): Promise<void>
}

export interface EventLoopDelay {
  readonly p99Ms: number
  readonly maxMs: number
}

export interface Memory {
  readonly heapMb: number
  /** Memory outside the heap that heap objects hold, above all buffers. */
  readonly externalMb: number
  readonly residentMb: number
}

/** Processes to kill when the benchmark exits, however it ends. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts Node and resolves once its stdout matches. */
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
        processorMs: () => processorMs(`/proc/${child.pid}/stat`),
        mainThreadMs: () => processorMs(`/proc/${child.pid}/task/${child.pid}/stat`),
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

const CLOCK_TICKS_PER_SECOND = 100

function processorMs(path: string): number {
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND) * 1_000
}
