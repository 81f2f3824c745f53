/** Works with HTML and Markdown on separate threads, with limits on time and memory. */
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { OWN_JSON_LIMITS, parseLargeJson } from '../../engine/data/json.ts'
import type { DocumentPort } from '../../engine/flow/model/ports.ts'
import { askThread } from '../kit/ask-thread.ts'
import { createThreads } from '../kit/threads.ts'
import type { DocumentReply, DocumentRequest } from './messages.ts'

export interface Documents extends DocumentPort {
  close(): Promise<void>
}

export interface DocumentLimits {
  readonly timeMs: number
  readonly memoryMb: number
}

const LIMITS: DocumentLimits = { timeMs: 10_000, memoryMb: 512 }

export function createDocuments({ timeMs, memoryMb }: DocumentLimits = LIMITS): Documents {
  const threads = createThreads(
    () =>
      new Worker(WORKER, {
        name: 'millrace documents',
        resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      }),
    MOST_THREADS,
  )

  async function run(request: DocumentRequest, signal: AbortSignal): Promise<string> {
    const reply = await threads.lend(async (worker) => ({
      result: await askThread<DocumentReply>(worker, request, {
        timeMs,
        signal,
        onLate: () =>
          new AppError(
            'too_large',
            `takes longer than ${timeMs / 1_000} s, the limit; use less of the text, or simpler selectors`,
          ),
        onFull: () =>
          new AppError(
            'too_large',
            `needs more than ${memoryMb} MB of memory, the limit; use less of the text`,
          ),
      }),
      isSpent: request.text.length > SMALL_CHARACTERS,
    }))
    if ('text' in reply) return reply.text
    const { message, field } = reply.refusal
    throw new AppError('validation', message, { data: { field } })
  }

  return {
    extract: async (text, extraction, signal) =>
      await parseLargeJson(await run({ kind: 'extract', text, ...extraction }, signal), OWN_JSON_LIMITS),
    convert: (text, to, signal) => run({ kind: `to_${to}`, text }, signal),
    close: () => threads.close(),
  }
}

const MOST_THREADS = 2
/** A thread that has worked on more than this is ended, for the memory that it keeps. */
const SMALL_CHARACTERS = 1_000_000

/** From source, Node runs the worker directly; the build puts it next to this file. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? 'document-worker.ts' : 'document-worker.js',
  import.meta.url,
)
