import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowRun } from '../../../../shared/contract/flow-runs.ts'
import { RunHalt } from '../../../engine/flow/model/run-halt.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { RunQueue } from './queue.ts'
import type { RunExecutor } from '../execution/run-executor.ts'
import { hasEnded, type RunHistory } from './run-history.ts'
import { readStart } from '../execution/resume-log.ts'

export interface RunCancellingOptions {
  readonly store: Pick<Store, 'flowRuns' | 'runQueue' | 'runStates' | 'write'>
  readonly history: Pick<RunHistory, 'read'>
  readonly executor: Pick<RunExecutor, 'halt' | 'settled'>
  readonly queue: Pick<RunQueue, 'claimSoon' | 'isUnwinding' | 'remove' | 'unwind'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
}

/** Cancels a run and the runs it waits for; resolves once it has ended, or only its steps in `finally` are left. */
export function createRunCancelling(options: RunCancellingOptions): (id: string) => Promise<FlowRun> {
  const { store, history, executor, queue, clock, events } = options

  async function cancelOne(id: string): Promise<FlowRun> {
    if (executor.halt(id, 'cancelled', say('The run was cancelled'))) {
      await executor.settled(id)
      const halted = history.read(id)
      // A run that was about to be parked didn't notice the cancellation, and is now waiting.
      if (hasEnded(halted) || queue.isUnwinding(id)) return halted
    }
    const run = await store.write(() => {
      const waiting = history.read(id)
      requireGoingOn(waiting)
      if (queue.unwind(waiting)) return waiting
      queue.remove(id)
      return endWaiting(waiting)
    })
    queue.claimSoon()
    events.emit({ type: 'updated', noun: 'flow_run', id, flow_id: run.flow_id, status: run.status })
    return run
  }

  /** Ends a run that nobody executes. */
  function endWaiting(run: FlowRun): FlowRun {
    const at = clock.now()
    const finishedAt = new Date(at).toISOString()
    const error = RunHalt.from(null).toRunError(null)
    const duration = run.started_at === null ? null : Math.max(0, at - Date.parse(run.started_at))
    const ended: FlowRun = {
      ...run,
      status: 'cancelled',
      finished_at: finishedAt,
      duration_ms: duration,
      error,
    }
    store.flowRuns.save(ended)
    if (run.parent_run_id !== null && isAwaited(run.id)) store.runQueue.wake(run.parent_run_id, at)
    return ended
  }

  async function cancel(id: string): Promise<FlowRun> {
    requireGoingOn(history.read(id))
    const children = store.runQueue.startedBy(id).filter(isAwaited)
    const cancelled = await cancelOne(id)
    // Nobody is left to read the children's output. A child that has ended in the meantime needs no cancelling.
    for (const child of children) if (!hasEnded(history.read(child))) await cancel(child)
    return cancelled
  }

  /** Whether a step of the run that started it waits for its output. */
  function isAwaited(id: string): boolean {
    try {
      return readStart(store.runStates.of(id))?.awaitedByFlow === true
    } catch {
      return false // can't be decrypted on this machine
    }
  }

  return cancel
}

function requireGoingOn(run: FlowRun): void {
  if (hasEnded(run))
    throw new AppError(
      'conflict',
      say('Run {{id}} has already ended: {{status}}', { id: run.id, status: run.status }),
    )
}
