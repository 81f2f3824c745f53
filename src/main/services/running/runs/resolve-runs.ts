/** Marks failed runs (one, or all with the same cause) as resolved, until the cause makes another run fail. */
import { setImmediate } from 'node:timers/promises'
import type { Filter } from '../../../../shared/contract/base/common.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import type { Cause, FlowRun, ResolvedRuns } from '../../../../shared/contract/flow-runs.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { RunHistory } from './run-history.ts'

export interface ResolveRunsOptions {
  readonly store: Pick<Store, 'flowRuns' | 'write'>
  readonly history: Pick<RunHistory, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit'>
}

/** @param note null to reopen them */
export function createRunResolving({ store, history, clock, events }: ResolveRunsOptions) {
  // Leaves out the status, because this isn't another failure.
  const announce = (id: string, flowId: string) =>
    events.emit({ type: 'updated', noun: 'flow_run', id, flow_id: flowId })

  function mark(id: string, note: string | null): void {
    if (note === null) store.flowRuns.reopen(id)
    else store.flowRuns.resolve(id, { note, at: clock.now() })
  }

  /** @throws AppError `not_found`, `conflict` if it didn't fail */
  async function one(id: string, note: string | null): Promise<FlowRun> {
    const run = await store.write(() => {
      const { status } = history.read(id)
      if (status !== 'error')
        throw new AppError(
          'conflict',
          say('Run {{id}} is {{status}}; only failed runs can be resolved', { id, status }),
        )
      mark(id, note)
      return history.read(id)
    })
    announce(id, run.flow_id)
    return run
  }

  async function ofCause(cause: Cause, note: string | null): Promise<ResolvedRuns> {
    const filters = filtersOf(cause, note === null)
    let runs = 0
    let before: number | null = null
    do {
      if (before !== null) await setImmediate()
      const portion = store.flowRuns.failures(filters, before)
      await store.write(() => {
        for (const { id } of portion.runs) mark(id, note)
      })
      for (const { id } of portion.runs.slice(0, MOST_ANNOUNCED - runs)) announce(id, cause.flow_id)
      runs += portion.runs.length
      before = portion.next
    } while (before !== null)
    return { runs }
  }

  return {
    resolve: (id: string, note: string) => one(id, note),
    reopen: (id: string) => one(id, null),
    resolveCause: (cause: Cause, note: string) => ofCause(cause, note),
    reopenCause: (cause: Cause) => ofCause(cause, null),
  }
}

function filtersOf({ flow_id, ref_id, code, status }: Cause, isResolved: boolean): readonly Filter[] {
  return [
    { field: 'flow_id', operator: 'eq', value: flow_id },
    { field: 'error_ref_id', operator: 'eq', value: ref_id ?? 'null' },
    { field: 'error_code', operator: 'eq', value: code },
    { field: 'error_status', operator: 'eq', value: status === null ? 'null' : String(status) },
    { field: 'resolved', operator: 'eq', value: String(isResolved) },
  ]
}

/** Only the newest runs are announced; one event is enough for a list to be read again. */
const MOST_ANNOUNCED = 100
