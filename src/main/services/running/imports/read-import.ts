/** Reads imports on separate threads, with limits on time and memory. */
import { say, type Said, withoutSaid } from '../../../../shared/contract/base/message.ts'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { OWN_JSON_LIMITS, parseLargeJson } from '@millrace/jinja/data'
import type { ReadConnectorSource } from '../../reaching/connectors/read-source.ts'
import type { ReadSource } from '../flows/read-source.ts'
import type { ImportSource } from '../../keeping/files/import-source.ts'
import { askThread } from '../../kit/ask-thread.ts'
import { createThreads } from '../../kit/threads.ts'
import type { ImportReply, ImportRequest } from './messages.ts'

export type ImportReader = ReturnType<typeof createImportReader>

export interface ImportLimits {
  readonly timeMs: number
  readonly memoryMb: number
}

const LIMITS: ImportLimits = { timeMs: 20_000, memoryMb: 1_024 }

export function createImportReader(limits: ImportLimits = LIMITS) {
  const threads = createThreads(
    () =>
      new Worker(WORKER, {
        name: 'millrace import',
        resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
      }),
    MOST_THREADS,
  )

  async function read(request: ImportRequest): Promise<unknown> {
    const reply = await threads.lend(async (worker) => ({
      result: await askThread<ImportReply>(worker, request, {
        timeMs: limits.timeMs,
        onLate: () =>
          tooMuch(
            say('takes longer to read than the limit of {{seconds}} seconds', {
              seconds: limits.timeMs / 1_000,
            }),
          ),
        onFull: () =>
          tooMuch(
            say('needs more than the limit of {{memory}} MB of memory to be read', {
              memory: limits.memoryMb,
            }),
          ),
      }),
      isSpent: !('text' in request.from) || request.from.text.length > SMALL_CHARACTERS,
    }))
    if ('json' in reply) return await parseLargeJson(reply.json, OWN_JSON_LIMITS)
    const { code, sentence, data, saidFields } = reply.refusal
    throw new AppError(code, sentence, { data }, saidFields)
  }

  return {
    // The thread wrote it in this form.
    /** @throws AppError `validation` if it can't be read, or exceeds the limits */
    readFlows: async (from: ImportSource) => {
      const plan = (await read({ kind: 'flow', from })) as ReadSource
      return { ...plan, notes: plan.notes.map(withoutSaid) }
    },
    /** @throws AppError `validation` */
    readConnector: async (from: ImportSource) => {
      const plan = (await read({ kind: 'connector', from })) as ReadConnectorSource
      return { ...plan, left_out: plan.left_out.map(withoutSaid), notes: plan.notes.map(withoutSaid) }
    },
    close: () => threads.close(),
  }
}

function tooMuch(what: Said): AppError {
  const problem = say('{{problem}}; import a part of it, or simplify what refers to itself many times over', {
    problem: what,
  })
  return new AppError(
    'validation',
    say('The source {{problem}}', { problem }),
    { data: { source: [String(problem)] } },
    { source: [problem] },
  )
}

const MOST_THREADS = 2
/** A thread that has read more than this is ended, because of the memory it keeps. */
const SMALL_CHARACTERS = 200_000

/** From source, Node runs the worker directly; the build puts it next to this file. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? 'import-worker.ts' : 'import-worker.js',
  import.meta.url,
)
