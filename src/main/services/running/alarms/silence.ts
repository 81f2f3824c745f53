/**
 * Watches flows with an alarm for silence: measures how long each has had no run, not counting time when nothing could
 * run.
 */
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import { settingsOf, silentMessage } from './alarm.ts'
import type { createTroubles, TroublesOptions } from './troubles.ts'

interface SilenceOptions extends Pick<TroublesOptions, 'store' | 'settings' | 'clock' | 'activeFlow'> {
  readonly troubles: Pick<ReturnType<typeof createTroubles>, 'note' | 'stateOf'>
}

export function createSilence({ store, settings, clock, activeFlow, troubles }: SilenceOptions) {
  const { note, stateOf } = troubles
  /** Watched flows, with the end of their last run in this process. */
  const watched = new Map<string, { lastRunAt: number | null }>()

  const limitOf = (flow: Pick<RunnableFlow, 'status' | 'settings'> | null) =>
    flow?.status !== 'active' ? null : settingsOf(flow.settings.alarms, settings()).silent_after_minutes

  /** Call it inside a write. */
  function check(): void {
    for (const [flowId, { lastRunAt }] of watched) checkFlow(flowId, lastRunAt)
  }

  function checkFlow(flowId: string, lastRunAt: number | null): void {
    const flow = activeFlow(flowId)
    const limit = limitOf(flow)
    if (flow === null || limit === null) return
    const before = stateOf(flowId)
    const hasRun = lastRunAt !== null && lastRunAt > (before.lastRunAt ?? 0)
    const state = hasRun ? { ...before, lastRunAt, offMs: 0 } : before
    if (hasRun) store.alarms.saveState(flowId, state)
    // For a new or changed flow, the time begins with the change.
    const since = Math.max(state.lastRunAt ?? 0, Date.parse(store.flows.get(flowId)?.updated_at ?? ''))
    const silentMs = clock.now() - since - state.offMs
    if (silentMs < limit * MINUTE_MS || (state.isOpen && state.kind === 'silent')) return
    note(flow, 'silent', {
      runId: null,
      message: silentMessage(flow.name, { silentMs, offMs: state.offMs, limit }),
    })
  }

  /** Call it inside a write. Excludes time when nothing could run. */
  function addOff(from: number, to: number): void {
    for (const flowId of watched.keys()) {
      const state = stateOf(flowId)
      const since = Math.max(from, state.lastRunAt ?? 0)
      if (to > since) store.alarms.saveState(flowId, { ...state, offMs: state.offMs + to - since })
    }
  }

  /** Starts or stops watching a flow, after a change of the flow or the settings. */
  function watch(flowId: string, flow: Pick<RunnableFlow, 'status' | 'settings'> | null): void {
    if (limitOf(flow) === null) watched.delete(flowId)
    else if (!watched.has(flowId)) watched.set(flowId, { lastRunAt: newestRunAt(flowId) })
  }

  function newestRunAt(flowId: string): number | null {
    const filters = [{ field: 'flow_id', operator: 'eq', value: flowId }] as const
    const [newest] = store.flowRuns.list({ filters, perPage: 1 }).records
    return newest === undefined ? null : Date.parse(newest.created_at)
  }

  function watchAll(): void {
    const flows = new Map(store.flows.list().records.map((flow) => [flow.id, flow]))
    for (const flowId of [...watched.keys(), ...flows.keys()]) watch(flowId, flows.get(flowId) ?? null)
  }

  return { watched, check, addOff, watch, watchAll }
}

const MINUTE_MS = 60_000
