/** Starts the error flows of a flow whose run failed. */
import { ERROR_FLOW_INPUT } from '../../../../shared/contract/flows.ts'
import type { FlowRun } from '../../../../shared/contract/flow-runs.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import { createLimitedLog } from '../../kit/limited-log.ts'
import type { Log } from '../../kit/ports.ts'
import type { RunQueue } from './queue.ts'
import { newRun } from '../execution/run-executor.ts'
import { readStart, type RunStart } from '../execution/resume-log.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'

export interface ErrorFlowsOptions {
  readonly store: Pick<Store, 'flowRuns' | 'runStates' | 'secretBox'>
  readonly runnable: Pick<RunnableFlows, 'get'>
  /** IDs of the flows that each failed run of a flow starts. */
  readonly errorFlowsOf: (flow: RunnableFlow) => readonly string[]
  readonly enqueue: RunQueue['enqueue']
  readonly clock: Clock
  readonly log: Log
}

export function createErrorFlows(options: ErrorFlowsOptions) {
  const { store, runnable, errorFlowsOf, enqueue, clock, log } = options
  const unhandled = createLimitedLog(log, clock)

  /**
   * A failing error flow doesn't start an error flow, and neither does a flow that it runs, because this could go on
   * forever.
   */
  function comesOfError(run: FlowRun, start: RunStart | null): boolean {
    let parent: FlowRun | null = run
    let known = start
    for (let level = 0; parent !== null && level < MOST_LEVELS; level++) {
      if ((known ?? startOf(parent.id))?.handlesError) return true
      known = null
      parent = parent.parent_run_id === null ? null : store.flowRuns.get(parent.parent_run_id)
    }
    return parent !== null
  }

  function startOf(runId: string): RunStart | null {
    try {
      return readStart(store.runStates.of(runId))
    } catch {
      return null
    }
  }

  /** Call it inside a write. */
  function startOne(handlerId: string, failed: FlowRun, flowName: string): boolean {
    const handler = runnable.get(handlerId)
    if (handler === null || handler.status === 'paused' || store.secretBox.locked) {
      unhandled.warn({ flowRunId: failed.id, handlerId }, 'A failed run has no error flow that can run')
      return false
    }
    const at = new Date(clock.now()).toISOString()
    const run = newRun(handler, { id: store.flowRuns.newId(), trigger: 'flow', parent_run_id: failed.id }, at)
    enqueue({
      flow: handler,
      run: { ...run, status: 'queued', started_at: null },
      start: { input: inputOf(failed, flowName), webhook: null, handlesError: true },
    })
    return true
  }

  return {
    /** Whether the run, or one that started it, handles an error or an alarm. */
    comesOfError: (run: FlowRun, start?: RunStart) => comesOfError(run, start ?? null),
    /**
     * Stores a run of each error flow. Call it inside the write that stores the end of the run, so that no failure is
     * missed, and `queue.notifyEnqueued` after it.
     *
     * @param start of the failed run, if the caller has it
     * @returns whether a run was stored
     */
    handle(failed: FlowRun, start?: RunStart): boolean {
      const flow = runnable.get(failed.flow_id)
      if (flow === null || failed.status !== 'error') return false
      const handlers = errorFlowsOf(flow)
      if (handlers.length === 0 || comesOfError(failed, start ?? null)) return false
      return handlers.map((id) => startOne(id, failed, flow.name)).includes(true)
    },
  }
}

/** Flows can run other flows up to ten levels deep. */
const MOST_LEVELS = 20

function inputOf(failed: FlowRun, flowName: string): Data {
  const values: Record<(typeof ERROR_FLOW_INPUT)[number], string | null> = {
    error_flow_id: failed.flow_id,
    error_flow_name: flowName,
    error_flow_run_id: failed.id,
    error_step: failed.error?.ref_id ?? null,
    error_message: failed.error?.message ?? '',
  }
  return dictionaryOf(ERROR_FLOW_INPUT.map((name) => [name, values[name]]))
}
