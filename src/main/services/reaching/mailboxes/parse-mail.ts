/** Parses emails on a separate thread, with limits on time and memory. */
import { SAID, say, type Said } from '../../../../shared/contract/base/message.ts'
import { SpokenError } from '../../../../shared/contract/base/errors.ts'
import { Worker } from 'node:worker_threads'
import type { Email } from 'postal-mime'
import { askThread } from '../../kit/ask-thread.ts'
import { createThreads } from '../../kit/threads.ts'

type Fields = 'from' | 'to' | 'cc' | 'replyTo' | 'messageId' | 'subject' | 'date' | 'headers' | 'attachments'

/** The parts of an email that are read. */
export type ParsedMail = Pick<Email, Fields> & { readonly text: string; readonly html: string }

export interface MailReply {
  /** Null if it can't be read. */
  readonly email: ParsedMail | null
  /** The reason why it can't be read. */
  readonly problem: Said | null
}

const threads = createThreads(
  () =>
    new Worker(WORKER, { name: 'millrace emails', resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } }),
  1,
)

export async function parseMail(source: Uint8Array): Promise<MailReply> {
  const parsing = threads.lend(async (worker) => ({
    result: await askThread<MailReply>(worker, source, {
      timeMs: TIME_MS,
      onLate: () => new Limit(say('that takes longer than {{seconds}} s', { seconds: TIME_MS / 1_000 })),
      onFull: () => new Limit(say('that needs more than {{memory}} MB of memory', { memory: MEMORY_MB })),
    }),
    isSpent: source.length > SMALL_BYTES,
  }))
  try {
    return await parsing
  } catch (error) {
    if (error instanceof Limit) return { email: null, problem: error[SAID] }
    throw error
  }
}

class Limit extends SpokenError {}

const TIME_MS = 10_000
const MEMORY_MB = 512
/** A thread that has worked on more than this is ended, because of the memory it keeps. */
const SMALL_BYTES = 1_048_576

/** From source, Node runs the worker directly; the build puts it next to this file. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? 'mail-worker.ts' : 'mail-worker.js', import.meta.url)
