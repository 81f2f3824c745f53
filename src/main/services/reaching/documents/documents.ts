/** Works with HTML, Markdown and feeds on separate threads, with limits on time and memory. */
import { say } from '../../../../shared/contract/base/message.ts'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Data, isList, OWN_JSON_LIMITS, parseLargeJson } from '@millrace/jinja/data'
import type { DocumentPort } from '../../../engine/flow/model/ports.ts'
import { askThread } from '../../kit/ask-thread.ts'
import { createThreads } from '../../kit/threads.ts'
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
    const isFeed = request.kind === 'feed'
    const mostMs = isFeed ? FEED_TIMES * timeMs : timeMs
    const reply = await threads.lend(async (worker) => ({
      result: await askThread<DocumentReply>(worker, request, {
        timeMs: mostMs,
        signal,
        onLate: () =>
          new AppError(
            'too_large',
            isFeed
              ? say('takes longer than the limit of {{seconds}} s', { seconds: mostMs / 1_000 })
              : say(
                  'takes longer than the limit of {{seconds}} s; pass a shorter document or simpler selectors',
                  {
                    seconds: mostMs / 1_000,
                  },
                ),
          ),
        onFull: () =>
          new AppError(
            'too_large',
            isFeed
              ? say('needs more than the limit of {{memory}} MB of memory', { memory: memoryMb })
              : say('needs more than the limit of {{memory}} MB of memory; pass a shorter document', {
                  memory: memoryMb,
                }),
          ),
      }),
      isSpent: request.text.length > SMALL_CHARACTERS,
    }))
    if ('text' in reply) return reply.text
    const { said, field } = reply.refusal
    throw new AppError('validation', said, { data: { field } })
  }

  return {
    extract: async (text, extraction, signal) =>
      await parseLargeJson(await run({ kind: 'extract', text, ...extraction }, signal), OWN_JSON_LIMITS),
    convert: (text, to, signal) => run({ kind: `to_${to}`, text }, signal),
    async readFeed(text, url, signal): Promise<readonly Data[]> {
      const entries = await parseLargeJson(await run({ kind: 'feed', text, url }, signal), OWN_JSON_LIMITS)
      return isList(entries) ? entries : []
    },
    close: () => threads.close(),
  }
}

const MOST_THREADS = 2
/** The time limit for feeds is three times as long, because nobody waits for them, and users can't shorten them. */
const FEED_TIMES = 3
/** A thread that has worked on more than this is ended, because of the memory it keeps. */
const SMALL_CHARACTERS = 1_000_000

/** From source, Node runs the worker directly; the build puts it next to this file. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? 'document-worker.ts' : 'document-worker.js',
  import.meta.url,
)
