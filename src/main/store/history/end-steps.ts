import { say, spoken } from '../../../shared/contract/base/message.ts'
import type { RunError } from '../../../shared/contract/flow-runs.ts'
import { type JsonCodec, toTime } from '../sql/codec.ts'
import type { HistoryParts } from './history-parts.ts'
import { positionOf } from './ids.ts'
import { joinSteps, type NewStep, readKeptSteps, writeStep } from './step-format.ts'

/**
 * Ends the steps that were in flight when their run ended.
 *
 * @param error why the run ended; null if it succeeded
 * @param at when it ended; null if unknown
 */
export type EndSteps = (runKey: number, error: RunError | null, at: string | null) => void

export function createEndSteps(json: JsonCodec, parts: HistoryParts): EndSteps {
  return (key, error, at) => {
    // An error of the run also ends its step in flight, but an error of one step doesn't belong to another.
    const isOfRun = error !== null && error.ref_id === null
    for (const part of parts.stepsInFlight(key)) {
      const steps = readKeptSteps(part, json)
      if (!steps.some(isInFlight)) continue
      const reason = isOfRun ? error : LEFT_BEHIND
      const ended = steps.map((step) => (isInFlight(step) ? endedBy(reason, at, step) : step))
      parts.putSteps(key, positionOf(part.key), joinSteps(ended.map((step) => writeStep(step, json))))
    }
  }
}

/** The error of a run that was in progress when Millrace ended, and that isn't resumed. */
export const INTERRUPTED: RunError = {
  code: 'interrupted',
  ...spoken(say("Interrupted: Millrace stopped during this run; run it again if it's safe to repeat")),
  ref_id: null,
  field: null,
  line: null,
  column: null,
  data: null,
}

/** The error of a step that the resumed run didn't reach again, because it took another path. */
const LEFT_BEHIND: RunError = {
  ...INTERRUPTED,
  ...spoken(say('Interrupted: Millrace stopped during this step, and the run continued without it')),
}

function endedBy(error: RunError, at: string | null, step: NewStep): NewStep {
  const duration = at === null ? step.duration_ms : Math.max(0, toTime(at) - toTime(step.started_at))
  return { ...step, status: 'error', error: { ...error, ref_id: step.ref_id }, duration_ms: duration }
}

const isInFlight = ({ status }: NewStep) => status === 'running' || status === 'retrying'
