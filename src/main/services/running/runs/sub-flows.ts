/** Flows that run other flows. Each run has its own place in the queue, and its end wakes the run that waits for it. */
import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { SubFlowEnd, SubFlowPort } from '../../../engine/flow/model/ports.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { RunQueue } from './queue.ts'
import { newRun } from '../execution/run-executor.ts'
import { hasEnded } from './run-history.ts'
import { readOutput } from '../execution/resume-log.ts'
import type { RunnableFlows } from '../execution/runnable-flows.ts'

export interface SubFlowsOptions {
  readonly store: Pick<Store, 'flowRuns' | 'runStates'>
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly accept: RunQueue['accept']
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'listen'>
}

export function createSubFlows({ store, runnable, accept, clock, events }: SubFlowsOptions): SubFlowPort {
  const waiting = new Map<string, Set<() => void>>()
  events.listen(({ noun, id }) => {
    if (noun === 'flow_run' && id !== null) for (const look of waiting.get(id) ?? []) look()
  })

  /** The length of the chain of runs that started each other, up to this one. */
  function depthOf(runId: string): number {
    let depth = 0
    for (let run = store.flowRuns.get(runId); run?.trigger === 'flow' && depth <= MOST_LEVELS; depth++) {
      if (run.parent_run_id === null) break
      run = store.flowRuns.get(run.parent_run_id)
    }
    return depth
  }

  function endOf(runId: string): SubFlowEnd | null {
    const run = store.flowRuns.get(runId)
    if (run === null || !hasEnded(run)) return null
    if (run.status === 'cancelled')
      return { kind: 'failed', said: say('run {{id}} was cancelled', { id: runId }) }
    if (run.status === 'error')
      return {
        kind: 'failed',
        said: say('{{first}} (run {{id}})', { first: run.error ? sentenceOf(run.error) : '', id: runId }),
      }
    const output = readOutput(store.runStates.of(runId))
    const doubts = run.warnings.filter((warning) => warning.in_doubt === true)
    if (output !== undefined) return { kind: 'output', output, doubts }
    return {
      kind: 'failed',
      said: say('the result of run {{id}} is too large to pass on; make it return less', { id: runId }),
    }
  }

  return {
    newRunId: () => store.flowRuns.newId(),
    isStored: (runId) => store.flowRuns.get(runId) !== null,
    endOf,
    async start({ runId, flowId, input, parentRunId, awaited }) {
      if (store.flowRuns.get(runId) !== null) return
      const flow = runnable.get(flowId)
      if (flow === null)
        throw new AppError(
          'not_found',
          say('there is no flow "{{id}}"; choose another one', { id: flowId.slice(0, 60) }),
        )
      if (flow.status === 'paused') {
        throw new AppError(
          'conflict',
          say('the flow "{{name}}" is paused; make it active or a draft to run it', { name: flow.name }),
        )
      }
      if (depthOf(parentRunId) >= MOST_LEVELS) {
        throw new AppError(
          'conflict',
          say('the flow "{{name}}" would run {{levels}} levels deep (limit {{most}}); check for recursion', {
            name: flow.name,
            levels: MOST_LEVELS + 1,
            most: MOST_LEVELS,
          }),
        )
      }
      const at = new Date(clock.now()).toISOString()
      const run = newRun(flow, { id: runId, trigger: 'flow', parent_run_id: parentRunId }, at)
      await accept({
        flow,
        run: { ...run, status: 'queued', started_at: null },
        start: { input, webhook: null, ...(awaited ? { awaitedByFlow: true } : {}) },
      })
    },
    wait(runId, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const looks = waiting.get(runId) ?? new Set()
      const look = () => {
        if (endOf(runId) !== null) resolve()
      }
      const abort = () => reject(signal.reason as Error)
      waiting.set(runId, looks.add(look))
      signal.addEventListener('abort', abort, { once: true })
      look()
      if (signal.aborted) abort()
      return promise.finally(() => {
        signal.removeEventListener('abort', abort)
        looks.delete(look)
        if (looks.size === 0) waiting.delete(runId)
      })
    },
  }
}

const MOST_LEVELS = 10
