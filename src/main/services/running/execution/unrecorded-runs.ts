/** Runs whose end couldn't be recorded, and that aren't resumed; they must not still appear to be running. */
import { say, spoken, type Said } from '../../../../shared/contract/base/message.ts'
import type { RunError } from '../../../../shared/contract/flow-runs.ts'
import type { RunOutcome } from '../../../engine/flow/run/run-flow.ts'
import { StoreWriteError } from '../../../store/index.ts'
import type { Log } from '../../kit/ports.ts'
import type { HistoryRecorder } from './history-recorder.ts'

/**
 * Ends such a run as failed, at once, or as soon as the disk accepts writes again.
 *
 * @returns how it ended
 * @throws StoreWriteError if nothing could be written now
 */
export async function endUnrecorded(
  recorder: HistoryRecorder,
  cause: unknown,
  log: Log,
): Promise<RunOutcome> {
  if (cause instanceof StoreWriteError) {
    if (recorder.isStored) void endLater(recorder, DISK_FAILED, log)
    throw cause
  }
  log.error({ err: cause, flowRunId: recorder.run.id }, "A run couldn't be recorded; it ends as failed")
  try {
    await recorder.endWithError(NOT_RECORDED, 500)
  } catch (error) {
    void endLater(recorder, NOT_RECORDED, log)
    throw error
  }
  const end = {
    status: 'error',
    error: NOT_RECORDED,
    title: null,
    warnings: [],
    output: null,
    results: {},
  } as const
  return { kind: 'ended', end, answer: null, lastOutput: null }
}

/** Retries until the end is written or Millrace ends; in that case, the next start ends the run. */
async function endLater(recorder: HistoryRecorder, error: RunError, log: Log): Promise<void> {
  try {
    await recorder.endWithError(error, error === DISK_FAILED ? 503 : 500)
  } catch (cause) {
    if (cause instanceof StoreWriteError && cause.kind === 'closed') return
    log.warn({ err: cause, flowRunId: recorder.run.id }, "The end of a run couldn't be recorded; retrying")
    setTimeout(() => void endLater(recorder, error, log), RETRY_MS).unref()
  }
}

/** An error of the run itself, not of one of its steps. */
export const runError = (code: string, sentence: Said): RunError => ({
  code,
  ...spoken(sentence),
  ref_id: null,
  field: null,
  line: null,
  column: null,
  data: null,
})

export const NOT_RECORDED = runError(
  'internal',
  say(
    "The run couldn't be recorded because of an internal error (a bug in Millrace); see the log. Completed steps took effect",
  ),
)
const DISK_FAILED = runError(
  'unavailable',
  say("The disk was full during this run. Completed steps took effect. Run it again if it's safe to repeat"),
)
const RETRY_MS = 5_000
