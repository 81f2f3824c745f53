/** Lets jsonpath-plus evaluate the paths that only it can read, on a thread with limits on time and memory. */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { type Data, writeJson } from '@millrace/jinja/data'
import { JsonPathError, type PlusMatch, setPlusEvaluator } from '@millrace/jinja/jsonpath'
import type { PlusReply, PlusRequest, PlusThread } from './jsonpath-worker.ts'

interface Thread {
  readonly worker: Worker
  readonly port: MessagePort
  readonly replies: Int32Array
  uses: number
}

/**
 * Templates and pages evaluate paths synchronously, so the calling thread waits, for no longer than our own evaluator
 * takes at most.
 */
export function startJsonPathPlus(): { close(): Promise<void> } {
  let current: Thread | null = null

  function end(): Promise<unknown> {
    const ended = current?.worker.terminate()
    current?.port.close()
    current = null
    return Promise.resolve(ended)
  }

  function ask(request: PlusRequest): PlusReply {
    current ??= startThread()
    const { port, replies } = current
    if (!waitFor(replies, 1, START_MS)) throw late("jsonpath-plus's thread doesn't start")
    const before = Atomics.load(replies, 0)
    port.postMessage(request)
    const isDone = waitFor(replies, before + 1, TIME_MS)
    const received = isDone ? receiveMessageOnPort(port) : undefined
    if (received === undefined || ++current.uses === MOST_USES) void end()
    if (received !== undefined) return received.message as PlusReply
    throw late(
      `The JSONPath takes jsonpath-plus more than ${TIME_MS} ms or ${MEMORY_MB} MB, the limits; write the path to the records instead of searching with ".."`,
    )
  }

  setPlusEvaluator((path, data) => matchesOf(path, ask({ path, text: textOf(data) })))
  return {
    async close() {
      await end()
    },
  }
}

function startThread(): Thread {
  const { port1: port, port2 } = new MessageChannel()
  const replies = new Int32Array(new SharedArrayBuffer(4))
  const workerData: PlusThread = { port: port2, replies }
  const worker = new Worker(WORKER, {
    name: 'millrace jsonpath-plus',
    workerData,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  worker.on('error', () => {}) // out of memory: whoever waits is told so
  worker.unref()
  port.unref()
  return { worker, port, replies, uses: 0 }
}

/** False if the count isn't reached in time. */
function waitFor(replies: Int32Array, count: number, ms: number): boolean {
  const end = performance.now() + ms
  for (;;) {
    const now = Atomics.load(replies, 0)
    if (now >= count) return true
    const left = end - performance.now()
    if (left <= 0) return false
    Atomics.wait(replies, 0, now, left)
  }
}

function textOf(data: Data): string {
  const text = writeJson(data)
  if (text.length <= MOST_CHARACTERS) return text
  throw late(`jsonpath-plus reads at most ${MOST_CHARACTERS / 1_000_000} MB; write the path as in RFC 9535`)
}

function matchesOf(path: string, reply: PlusReply): readonly PlusMatch[] {
  if ('refusal' in reply) throw new JsonPathError(`JSONPath "${path}": jsonpath-plus: ${reply.refusal}`, 0)
  if ('names' in reply) return reply.names.map((name) => ({ name }))
  return reply.pointers.map((pointer) => ({ keys: pointer.split('/').slice(1).map(keyOf) }))
}

const keyOf = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')
const late = (message: string) => new JsonPathError(message, null)

const TIME_MS = 300
const START_MS = 5_000
const MEMORY_MB = 128
const MOST_CHARACTERS = 5_000_000
/** It keeps every path and filter it has read. */
const MOST_USES = 1_000

/** From source, Node runs the worker directly; the build puts it next to this file. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? 'jsonpath-worker.ts' : 'jsonpath-worker.js',
  import.meta.url,
)
