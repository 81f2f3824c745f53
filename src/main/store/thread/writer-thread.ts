/** The main thread's side of the writer thread: starts it when it is useful, and ends it when it is idle. */
import { availableParallelism } from 'node:os'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { AppendThread, ThreadOutcome } from '../commit/group-commit.ts'
import { StoreWriteError } from '../sql/errors.ts'
import { record } from '../sql/statement.ts'
import { batchMemory, BatchWriter } from './batch.ts'
import { call, PHASE, STATE, type ThreadMessage, type ThreadOptions, type ThreadReply } from './messages.ts'

export interface WriterThreadOptions {
  readonly database: string
  readonly dataDir: string
  readonly keys: () => readonly Uint8Array[]
  /** Changes with each commit of the thread. */
  readonly version: () => number
  /** Called when it ended by itself. */
  readonly onLost: (error: unknown) => void
}

interface Running {
  readonly worker: Worker
  readonly port: MessagePort
  readonly state: Int32Array<SharedArrayBuffer>
  readonly batches: BatchWriter
  isOpen: boolean
}

/** Null if the machine has no second core for it, because it would then slow everything down. */
export function createWriterThread(options: WriterThreadOptions): AppendThread | null {
  if (availableParallelism() < 2) return null
  let running: Running | null = null
  let sent: {
    readonly n: number
    readonly version: number
    readonly onDone: (outcome: ThreadOutcome) => void
  } | null = null
  let n = 0
  let losses = 0
  let lostAt = -Infinity
  let idle: NodeJS.Timeout | undefined

  function start(): void {
    const { port1, port2 } = new MessageChannel()
    const state = new Int32Array(new SharedArrayBuffer(4 * STATE.length))
    const memory = batchMemory()
    const { database, dataDir, keys } = options
    const worker = new Worker(SCRIPT, {
      name: 'millrace writer',
      workerData: { database, dataDir, keys: keys(), port: port2, memory, state } satisfies ThreadOptions,
      transferList: [port2],
      // Objects live no longer than a batch, so a larger young generation would only take memory.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    const started: Running = { worker, port: port1, state, batches: new BatchWriter(memory), isOpen: false }
    let cause: unknown = null
    port1.on('message', (reply: ThreadReply) => take(started, reply))
    port1.unref()
    worker.on('error', (error) => {
      cause = error
    })
    worker.once('exit', () => lose(started, cause))
    worker.unref()
    running = started
  }

  function take(from: Running, reply: ThreadReply): void {
    if (reply === 'open') {
      from.isOpen = true
      return
    }
    if (sent?.n !== reply.n) return
    losses = 0
    if (reply.failed === undefined) done('durable')
    else if (reply.failed.kind === null) done('again')
    else done(new StoreWriteError(reply.failed.kind, new Error(reply.failed.message)))
  }

  function done(outcome: ThreadOutcome): void {
    const { onDone } = sent ?? {}
    sent = null
    onDone?.(outcome)
  }

  function lose(lost: Running, cause: unknown): void {
    if (running !== lost) return
    forget()
    noteLoss()
    options.onLost(cause)
    if (sent === null) return
    // The thread can have died between its commit and its reply.
    done(options.version() === sent.version ? new StoreWriteError('lost', cause) : 'durable')
  }

  function noteLoss(): void {
    losses++
    lostAt = performance.now()
  }

  function forget(): void {
    running = null
    clearTimeout(idle)
    idle = undefined
  }

  function end(): void {
    if (sent !== null) return void idle?.refresh()
    const ended = running
    forget()
    if (ended !== null) post(ended, 'close')
  }

  function readNow(from: Running): void {
    for (
      let next = receiveMessageOnPort(from.port);
      next !== undefined;
      next = receiveMessageOnPort(from.port)
    )
      take(from, next.message as ThreadReply)
  }

  const isOnItsWay = (batch: number) => sent?.n === batch

  return {
    send(works, onDone) {
      if (running === null || !running.isOpen) return false
      const { batches, port, state } = running
      const version = options.version()
      try {
        record(batches, () => {
          for (const work of works) work()
        })
        const statements = batches.takeStatements()
        if (statements.length > 0) port.postMessage({ statements } satisfies ThreadMessage)
        const batch = batches.take()
        n++
        if (batch === null) Atomics.store(state, STATE.batch, n)
        else port.postMessage({ n, batch } satisfies ThreadMessage)
      } catch {
        batches.clear()
        return false
      }
      sent = { n, version, onDone }
      call(state)
      if (idle === undefined) idle = setTimeout(end, IDLE_MS).unref()
      else idle.refresh()
      return true
    },
    settle() {
      if (running === null || sent === null) return
      const from = running
      const { n: awaited } = sent
      for (let done = doneBy(from); done !== awaited; done = doneBy(from))
        if (Atomics.wait(from.state, STATE.done, done, PATIENCE_MS) === 'timed-out') break
      readNow(from)
      if (!isOnItsWay(awaited)) return
      void from.worker.terminate()
      lose(from, new Error(`It wrote nothing for ${PATIENCE_MS} ms`))
    },
    recommend(works, tookMs) {
      const isOfUse = works >= FROM_WORKS || tookMs >= FROM_MS
      const isPaused = losses >= MOST_LOSSES && performance.now() - lostAt < PAUSE_MS
      if (running !== null || !isOfUse || isPaused) return
      try {
        start()
      } catch (error) {
        noteLoss()
        options.onLost(error)
      }
    },
    moveLog() {
      if (running === null || !running.isOpen) return false
      post(running, 'move_log')
      return true
    },
    close() {
      const ended = running
      forget()
      if (ended === null) return
      const { state, worker } = ended
      const phase = Atomics.compareExchange(state, STATE.phase, PHASE.begun, PHASE.closed)
      if (phase === PHASE.opening) Atomics.wait(state, STATE.phase, PHASE.opening, PATIENCE_MS)
      if (phase !== PHASE.begun) {
        post(ended, 'close')
        Atomics.wait(state, STATE.phase, PHASE.open, PATIENCE_MS)
      }
      void worker.terminate()
    },
  }
}

const doneBy = ({ state }: Running) => Atomics.load(state, STATE.done)

function post({ port, state }: Running, message: ThreadMessage): void {
  port.postMessage(message)
  call(state)
}

const IDLE_MS = 30_000
/** Maximum time that a thread may keep the program waiting. */
const PATIENCE_MS = 10_000
/** The main thread writes fewer than this in less time than it takes to wake a thread, unless the disk is slow. */
const FROM_WORKS = 4
const FROM_MS = 4
/** Number of consecutive losses after which the main thread writes everything for a while. */
const MOST_LOSSES = 5
const PAUSE_MS = 60_000

/** From source, Node runs the thread directly; the build puts it next to this file. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? 'history-thread.ts' : 'history-thread.js',
  import.meta.url,
)
