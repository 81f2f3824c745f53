/** Notifies the user of failed runs: failures within a few seconds are combined into one notice per flow. */
import type { AlarmKind } from '../../../../shared/contract/alarms.ts'
import type { EventsService } from '../../kit/live-events.ts'

export interface FailureNotice {
  readonly kind: AlarmKind | 'test'
  /** A sentence about what happened; absent for failed runs. */
  readonly message?: string
  readonly flow_id: string
  readonly flow_name: string
  /** Runs that failed since the previous notice. */
  readonly count: number
  /** The newest of these runs. */
  readonly flow_run_id: string
}

export interface FailureNoticesOptions {
  readonly events: Pick<EventsService, 'emit' | 'listen'>
  /** Null if the flow no longer exists; `isTold` says whether to announce its failures. */
  readonly flowOf: (flowId: string) => { readonly name: string; readonly isTold: boolean } | null
  /** Time for which failures are collected. */
  readonly gatherMs?: number
}

/** Emits `notice` events: one for the first failure at once, and a combined one for those that follow. */
export function startFailureNotices({ events, flowOf, gatherMs = GATHER_MS }: FailureNoticesOptions): {
  readonly stop: () => void
} {
  const gathered = new Map<string, { count: number; runId: string; timer: NodeJS.Timeout }>()
  let stopped = false

  function tell(flowId: string, count: number, runId: string): void {
    const flow = flowOf(flowId)
    if (flow === null || !flow.isTold) return
    const notice: FailureNotice = {
      kind: 'failed',
      flow_id: flowId,
      flow_name: flow.name,
      count,
      flow_run_id: runId,
    }
    events.emit({ type: 'created', noun: 'notice', id: runId, ...notice })
  }

  function gather(flowId: string): NodeJS.Timeout {
    return setTimeout(() => {
      const { count = 0, runId = '' } = gathered.get(flowId) ?? {}
      gathered.delete(flowId)
      if (count === 0) return
      tell(flowId, count, runId)
      gathered.set(flowId, { count: 0, runId, timer: gather(flowId) })
    }, gatherMs).unref()
  }

  events.listen(({ noun, id, status, flow_id: flowId }) => {
    // Runs interrupted by the shutdown aren't reported, because nobody would see the notice.
    if (stopped || noun !== 'flow_run' || status !== 'error' || id === null || typeof flowId !== 'string')
      return
    const group = gathered.get(flowId)
    if (group) {
      group.count++
      group.runId = id
    } else {
      gathered.set(flowId, { count: 0, runId: id, timer: gather(flowId) })
      tell(flowId, 1, id)
    }
  })

  return {
    stop() {
      stopped = true
      for (const { timer } of gathered.values()) clearTimeout(timer)
      gathered.clear()
    },
  }
}

const GATHER_MS = 10_000
