/** Evaluates the paths that only jsonpath-plus can read, on a thread with limits on time and memory. */
import { Worker } from 'node:worker_threads'
import { type Data, writeJson } from '@millrace/jinja/data'
import { JsonPathError, type PlusMatch, setPlusEvaluator } from '@millrace/jinja/jsonpath'
import { createWaitedThread, type WaitedPlace } from '../../kit/waited-thread.ts'
import type { PlusReply, PlusRequest } from './jsonpath-worker.ts'
import { type Said, say } from '../../../../shared/contract/base/message.ts'

/**
 * Templates and pages evaluate paths synchronously, so the calling thread waits, for no longer than our own evaluator
 * takes at most.
 */
export function startJsonPathPlus(): { close(): Promise<void> } {
  const thread = createWaitedThread<PlusRequest, PlusReply>(startThread, MOST_USES)
  setPlusEvaluator((path, data) => {
    const reply = thread.ask({ path, text: textOf(data) }, TIME_MS)
    if (reply !== null) return matchesOf(path, reply)
    throw late(
      say(
        'The JSONPath exceeds the limits of {{time}} ms or {{memory}} MB in jsonpath-plus; write the path to the records instead of searching with ".."',
        { time: TIME_MS, memory: MEMORY_MB },
      ),
    )
  })
  return { close: () => thread.end() }
}

const startThread = (place: WaitedPlace): Worker =>
  new Worker(WORKER, {
    name: 'millrace jsonpath-plus',
    workerData: { place },
    transferList: [place.port],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })

function textOf(data: Data): string {
  const text = writeJson(data)
  if (text.length <= MOST_CHARACTERS) return text
  throw late(
    say('jsonpath-plus reads at most {{size}} MB; write the path as in RFC 9535', {
      size: MOST_CHARACTERS / 1_000_000,
    }),
  )
}

function matchesOf(path: string, reply: PlusReply): readonly PlusMatch[] {
  if ('refusal' in reply)
    throw new JsonPathError(
      say('JSONPath "{{path}}": jsonpath-plus: {{reason}}', { path, reason: reply.refusal }),
      0,
    )
  if ('names' in reply) return reply.names.map((name) => ({ name }))
  return reply.pointers.map((pointer) => ({ keys: pointer.split('/').slice(1).map(keyOf) }))
}

const keyOf = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')
const late = (said: Said) => new JsonPathError(said, null)

const TIME_MS = 300
const MEMORY_MB = 128
const MOST_CHARACTERS = 5_000_000
/** The library keeps every path and filter it has read, so the thread is replaced after this many uses. */
const MOST_USES = 1_000

/** From source, Node runs the worker directly; the build puts it next to this file. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? 'jsonpath-worker.ts' : 'jsonpath-worker.js',
  import.meta.url,
)
