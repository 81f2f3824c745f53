/** Runs whose end could not be written down, and that nobody takes up again: they must not look as if they went on. */
import type { RunError } from '../../../shared/contract/flow-runs.ts'
import type { RunOutcome } from '../../engine/flow/run/run-flow.ts'
import { StoreWriteError } from '../../store/sql/errors.ts'
import type { Log } from '../kit/ports.ts'
import type { RunJournal } from './history-recorder.ts'

/**
 * Ends such a run as failed: at once, or, where it is the disk that takes nothing, as soon as it does.
 *
 * @returns how it ended
 * @throws StoreWriteError where the disk took nothing of it now
 */
export async function endUnwritten(journal: RunJournal, cause: unknown, log: Log): Promise<RunOutcome> {
  if (cause instanceof StoreWriteError) {
    if (journal.isStored) void endLater(journal, DISK_FAILED, log)
    throw cause
  }
  log.error({ err: cause, flowRunId: journal.run.id }, 'A run could not be written down; it ends as failed')
  try {
    await journal.giveUp(NOT_WRITTEN, 500)
  } catch (error) {
    void endLater(journal, NOT_WRITTEN, log)
    throw error
  }
  const end = {
    status: 'error',
    error: NOT_WRITTEN,
    title: null,
    warnings: [],
    output: null,
    results: {},
  } as const
  return { kind: 'ended', end, answer: null, lastOutput: null }
}

/** Until it is written, or the program ends: the next one ends it at its start. */
async function endLater(journal: RunJournal, error: RunError, log: Log): Promise<void> {
  try {
    await journal.giveUp(error, error === DISK_FAILED ? 503 : 500)
  } catch (cause) {
    if (cause instanceof StoreWriteError && cause.kind === 'closed') return
    log.warn({ err: cause, flowRunId: journal.run.id }, 'The end of a run could not be written; tried again')
    setTimeout(() => void endLater(journal, error, log), RETRY_MS).unref()
  }
}

/** An error of the run itself, not of one of its steps. */
export const runError = (code: string, message: string): RunError => ({
  code,
  message,
  ref_id: null,
  field: null,
  line: null,
  column: null,
  data: null,
})

export const NOT_WRITTEN = runError(
  'internal',
  'The run could not be written down as it went, for a reason that is a defect of Millrace; its log says more. What its steps did has happened',
)
const DISK_FAILED = runError(
  'unavailable',
  'The disk took nothing more while this run was in progress; what its steps had done until then has happened. Run it again where it may be repeated',
)
const RETRY_MS = 5_000
