import type { RunError } from '../../shared/contract/flow-runs.ts'
import { type JsonCodec, toTime } from './codec.ts'
import type { HistoryParts } from './history-parts.ts'
import { positionOf } from './ids.ts'
import { readSteps, type StoredStep, writeStep } from './step-format.ts'

/**
 * Ends the steps in flight of a run that nobody executes: they end with it.
 *
 * @param at when they ended; null where nobody knows
 */
export type EndSteps = (runKey: number, error: RunError, at: string | null) => void

export function createEndSteps(json: JsonCodec, parts: HistoryParts): EndSteps {
  return (key, error, at) => {
    for (const part of parts.stepsOf(key)) {
      const steps = readSteps(part.steps, json)
      if (!steps.some(isInFlight)) continue
      const ended = steps.map((step) => (isInFlight(step) ? endedBy(error, at, step) : step))
      parts.putSteps(key, positionOf(part.key), `[${ended.map((step) => writeStep(step, json)).join(',')}]`)
    }
  }
}

function endedBy(error: RunError, at: string | null, step: StoredStep): StoredStep {
  const duration = at === null ? step.duration_ms : Math.max(0, toTime(at) - toTime(step.started_at))
  return { ...step, status: 'error', error: { ...error, ref_id: step.ref_id }, duration_ms: duration }
}

const isInFlight = ({ status }: StoredStep) => status === 'running' || status === 'retrying'
