/**
 * Troubles that active flows have to report. Their alarms are sent, held back for ten minutes after the last one, or
 * settled.
 */
import type { AlarmKind, TroubleKind } from '../../../../shared/contract/alarms.ts'
import type { AlarmState } from '../../../store/index.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import { type Alarm, failedAgainMessage, hears, receiversOf, recoveredMessage } from './alarm.ts'
import type { AlarmsOptions } from './deliver.ts'

export interface TroublesOptions extends Pick<AlarmsOptions, 'store' | 'settings' | 'random' | 'clock'> {
  readonly activeFlow: (id: string) => RunnableFlow | null
  /** Called when alarms were added or held back. */
  readonly onChange: () => void
}

export function createTroubles({ store, settings, random, clock, activeFlow, onChange }: TroublesOptions) {
  /** Flows that may have something to report; successful runs of all others cost nothing. */
  const unsettled = new Set<string>()

  const stateOf = (flowId: string) => store.alarms.state(flowId) ?? REST

  /** The receivers of an event, without those for emails if there is no mail server. */
  function hearing(flow: RunnableFlow, kind: AlarmKind, from: AlarmKind) {
    const hasMail = settings().alarm_mail !== null
    return receiversOf(flow, store.alarmReceivers.all()).filter(
      (receiver) => hears(receiver, kind, from) && (receiver.kind !== 'email' || hasMail),
    )
  }

  /** Call it inside a write. */
  function tell(flow: RunnableFlow, state: AlarmState, event: Telling): void {
    const at = clock.now()
    const alarm: Alarm = {
      id: random.uuid(),
      kind: event.kind,
      flow_id: flow.id,
      flow_name: flow.name,
      flow_run_id: state.runId,
      message: event.message,
      count: event.count,
      at: new Date(at).toISOString(),
    }
    // Other code announces failed runs, at once, to everybody who has the app open.
    const isOfRun = event.kind === 'failed' && state.runId !== null
    const channels = hearing(flow, event.kind, event.from)
      .filter(({ kind }) => !isOfRun || kind !== 'notification')
      .map(({ id }) => id)
    if (channels.length > 0) store.alarms.add({ body: alarm, channels, at })
    store.alarms.saveState(flow.id, { ...state, toldAt: at, toldOpen: state.isOpen, heldBack: 0 })
    onChange()
  }

  const isHeldBack = ({ toldAt }: AlarmState) => {
    const now = clock.now()
    return toldAt !== null && toldAt <= now && now - toldAt < QUIET_MS
  }

  /** Call it inside a write. */
  function note(flow: RunnableFlow, kind: TroubleKind, what: What): void {
    if (hearing(flow, kind, kind).length === 0) return
    const before = stateOf(flow.id)
    unsettled.add(flow.id)
    // A missed time is over at once, so there is nothing to recover from.
    const isOpen = kind === 'missed' ? before.isOpen : true
    const state: AlarmState = { ...before, kind, isOpen, runId: what.runId, message: what.message }
    if (isHeldBack(before)) {
      store.alarms.saveState(flow.id, { ...state, heldBack: before.heldBack + 1 })
      onChange()
    } else tell(flow, state, { kind, from: kind, message: what.message, count: 1 + before.heldBack })
  }

  /** Call it inside the write of a successful run. */
  function noteSuccess(flow: RunnableFlow): void {
    if (!unsettled.has(flow.id)) return
    const before = stateOf(flow.id)
    if (!before.isOpen) return
    const state = { ...before, isOpen: false }
    if (isHeldBack(before) || !before.toldOpen) {
      store.alarms.saveState(flow.id, state)
      onChange()
    } else recover(flow, state)
  }

  /** Call it inside a write. */
  function recover(flow: RunnableFlow, state: AlarmState): void {
    const message = recoveredMessage(flow.name, state.heldBack)
    tell(flow, state, { kind: 'recovered', from: state.kind ?? 'failed', message, count: state.heldBack })
  }

  /** Called after ten minutes. Reports the number of events in the meantime, or that the flow works again. */
  function settle(flowId: string): void {
    const flow = activeFlow(flowId)
    const state = stateOf(flowId)
    if (flow === null) {
      store.alarms.saveState(flowId, { ...state, isOpen: false, toldOpen: false, heldBack: 0 })
    } else if (isHeldBack(state)) return
    else if (state.heldBack > 0 && (state.isOpen || state.kind === 'missed')) {
      const kind = state.kind ?? 'failed'
      const latest = state.message ?? ''
      const message = kind === 'failed' ? failedAgainMessage(flow.name, state.heldBack, latest) : latest
      tell(flow, state, { kind, from: kind, message, count: state.heldBack })
    } else if (!state.isOpen && (state.toldOpen || state.heldBack > 0)) recover(flow, state)
    const { isOpen, toldOpen, heldBack } = stateOf(flowId)
    if (!isOpen && !toldOpen && heldBack === 0) unsettled.delete(flowId)
  }

  return { unsettled, stateOf, note, noteSuccess, settle }
}

interface What {
  readonly runId: string | null
  readonly message: string
}

interface Telling {
  readonly kind: AlarmKind
  /** The kind of event whose receivers are told. */
  readonly from: AlarmKind
  readonly message: string
  readonly count: number
}

const REST: AlarmState = {
  kind: null,
  isOpen: false,
  toldOpen: false,
  toldAt: null,
  heldBack: 0,
  runId: null,
  message: null,
  lastRunAt: null,
  offMs: 0,
}

/** Time between two alarms of a flow. */
const QUIET_MS = 10 * 60_000
