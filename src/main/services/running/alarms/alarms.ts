/**
 * Notifies when an active flow fails, is silent or misses its time, and when it works again: at most once in ten
 * minutes for each flow. A pending alarm is stored together with its event.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import type { AlarmChannel, AlarmKind, SentAlarm, TroubleKind } from '../../../../shared/contract/alarms.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type FlowRun, HAND_TRIGGERS } from '../../../../shared/contract/flow-runs.ts'
import type { AlarmState, Store } from '../../../store/index.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import type { Log, SecureRandom } from '../../kit/ports.ts'
import {
  type Alarm,
  channelsFor,
  checkFailedMessage,
  failedAgainMessage,
  failedMessage,
  hookChannels,
  missedMessage,
  ownChannels,
  recoveredMessage,
  settingsOf,
  silentMessage,
} from './alarm.ts'
import { attempt, createDelivery, type DeliveryOptions } from './deliver.ts'

export interface AlarmsOptions extends DeliveryOptions {
  readonly store: DeliveryOptions['store'] & Pick<Store, 'alarms' | 'flows'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: DeliveryOptions['events'] & { listen: Listen }
  readonly log: Log
}

type Listen = (listener: (event: { noun: string | null; id: string | null }) => void) => void

export function createAlarmsService(options: AlarmsOptions) {
  const { store, runnable, settings, random, events, clock, log } = options
  const deliver = createDelivery(options)
  /** Flows that may have something to report; successful runs of all others cost nothing. */
  const unsettled = new Set<string>()
  /** Flows whose silence counts, with the end of their last run in this process. */
  const watched = new Map<string, { lastRunAt: number | null }>()
  let isRunning = false
  let awakeSince = clock.now()
  let seenAt = clock.now()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null

  const stateOf = (flowId: string) => store.alarms.state(flowId) ?? REST

  /** Inside a write. */
  function tell(flow: RunnableFlow, state: AlarmState, event: Telling): void {
    const at = clock.now()
    const channels = channelsFor(event.kind, event.from, flow.settings.alarms, settings())
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
    // The notices of failed runs are immediate, for everybody who looks at the app.
    const isOfRun = event.kind === 'failed' && state.runId !== null
    const rest = isOfRun ? channels.filter((name) => name !== 'notification') : channels
    if (rest.length > 0) store.alarms.add({ body: alarm, channels: rest, at })
    store.alarms.saveState(flow.id, { ...state, toldAt: at, toldOpen: state.isOpen, heldBack: 0 })
    lookSoon()
  }

  const isHeldBack = ({ toldAt }: AlarmState) => {
    const now = clock.now()
    return toldAt !== null && toldAt <= now && now - toldAt < QUIET_MS
  }

  /** Inside a write. */
  function note(flow: RunnableFlow, kind: TroubleKind, what: What): void {
    if (channelsFor(kind, kind, flow.settings.alarms, settings()).length === 0) return
    const before = stateOf(flow.id)
    unsettled.add(flow.id)
    // A missed time is over at once: there is nothing to recover from.
    const isOpen = kind === 'missed' ? before.isOpen : true
    const state: AlarmState = { ...before, kind, isOpen, runId: what.runId, message: what.message }
    if (isHeldBack(before)) {
      store.alarms.saveState(flow.id, { ...state, heldBack: before.heldBack + 1 })
      lookSoon()
    } else tell(flow, state, { kind, from: kind, message: what.message, count: 1 + before.heldBack })
  }

  /** Inside a write: a run succeeded. */
  function noteSuccess(flow: RunnableFlow): void {
    if (!unsettled.has(flow.id)) return
    const before = stateOf(flow.id)
    if (!before.isOpen) return
    const state = { ...before, isOpen: false }
    if (isHeldBack(before) || !before.toldOpen) {
      store.alarms.saveState(flow.id, state)
      lookSoon()
    } else recover(flow, state)
  }

  /** Inside a write. */
  function recover(flow: RunnableFlow, state: AlarmState): void {
    const message = recoveredMessage(flow.name, state.heldBack)
    tell(flow, state, { kind: 'recovered', from: state.kind ?? 'failed', message, count: state.heldBack })
  }

  /** Ten minutes have passed: reports how many events there were in the meantime, or that the flow works again. */
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

  function activeFlow(id: string): RunnableFlow | null {
    const flow = runnable.get(id)
    return flow?.status === 'active' ? flow : null
  }

  const limitOf = (flow: Pick<RunnableFlow, 'status' | 'settings'> | null) =>
    flow?.status !== 'active' ? null : settingsOf(flow.settings.alarms, settings()).silent_after_minutes

  /** Inside a write. */
  function checkSilence(flowId: string, lastRunAt: number | null): void {
    const flow = activeFlow(flowId)
    const limit = limitOf(flow)
    if (flow === null || limit === null) return
    const before = stateOf(flowId)
    const hasRun = lastRunAt !== null && lastRunAt > (before.lastRunAt ?? 0)
    const state = hasRun ? { ...before, lastRunAt, offMs: 0 } : before
    if (hasRun) store.alarms.saveState(flowId, state)
    // For a new or changed flow, the time starts with the change.
    const since = Math.max(state.lastRunAt ?? 0, Date.parse(store.flows.get(flowId)?.updated_at ?? ''))
    const silentMs = clock.now() - since - state.offMs
    if (silentMs < limit * MINUTE_MS || (state.isOpen && state.kind === 'silent')) return
    note(flow, 'silent', {
      runId: null,
      message: silentMessage(flow.name, { silentMs, offMs: state.offMs, limit }),
    })
  }

  /** Inside a write: leaves out time in which nothing could have run. */
  function addOff(from: number, to: number): void {
    for (const flowId of watched.keys()) {
      const state = stateOf(flowId)
      const since = Math.max(from, state.lastRunAt ?? 0)
      if (to > since) store.alarms.saveState(flowId, { ...state, offMs: state.offMs + to - since })
    }
  }

  /** The machine slept, or its clock was changed. */
  function notePause(now: number): void {
    const from = seenAt
    seenAt = now
    if (now - from < PAUSE_MS) return
    awakeSince = now
    addOff(from, now)
  }

  async function lookNow(): Promise<void> {
    const now = clock.now()
    await store.write(() => {
      notePause(now)
      for (const flowId of unsettled) settle(flowId)
      for (const [flowId, { lastRunAt }] of watched) checkSilence(flowId, lastRunAt)
      if (watched.size > 0) store.alarms.noteAlive(now)
    })
    for (const { id, body, channels, attempts } of store.alarms.due(clock.now()))
      await send(id, body as Alarm, channels as readonly AlarmChannel[], attempts)
  }

  /** Each channel separately: a failed one is retried, the others don't get the alarm again. */
  async function send(
    id: number,
    alarm: Alarm,
    channels: readonly AlarmChannel[],
    attempts: number,
  ): Promise<void> {
    let left = channels
    for (const channel of channels) {
      if (!isRunning) return
      const others = left.filter((name) => name !== channel)
      // Due again at once, in case the process is killed before the other channels have it.
      const done = () => store.alarms.keep(id, { channels: others, attempts, at: clock.now() })
      const { ok, message } = await attempt(channel, () => deliver(alarm, channel, done))
      if (ok) left = others
      else log.warn({ channel, alarmId: alarm.id, flowId: alarm.flow_id, reason: message }, FAILED)
    }
    if (left.length === 0) return
    const isLast = attempts >= RETRY_AFTER_MS.length
    const at = clock.now() + (RETRY_AFTER_MS[attempts] ?? 0)
    await store.write(() =>
      store.alarms.keep(id, { channels: isLast ? [] : left, attempts: attempts + 1, at }),
    )
    if (isLast) log.error({ channels: left, alarmId: alarm.id, flowId: alarm.flow_id }, GIVEN_UP)
  }

  /** Everything that is due now. Called automatically as time passes. */
  function look(): Promise<void> {
    looking ??= lookNow()
      .catch((error: unknown) => log.error({ err: error }, "Alarms can't be sent; retrying in a minute"))
      .finally(() => {
        looking = null
        schedule()
      })
    return looking
  }

  /** After the write that is being made. */
  function lookSoon(): void {
    if (!isRunning) return
    setImmediate(() => {
      if (looking === null) schedule()
      else void looking.then(schedule)
    })
  }

  /** The wall clock can jump, and timers stop while the machine sleeps, so it is checked regularly. */
  function schedule(): void {
    clearTimeout(timer)
    if (!isRunning) return
    const nextAt = store.alarms.nextAt()
    if (nextAt === null && unsettled.size === 0 && watched.size === 0) return
    const wait = nextAt === null ? LOOK_EVERY_MS : Math.max(0, nextAt - clock.now())
    timer = setTimeout(() => void look(), Math.min(wait, LOOK_EVERY_MS)).unref()
  }

  /** Whether its silence counts can change with the flow and with the settings. */
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

  events.listen(({ noun, id }) => {
    if (!isRunning) return
    if (noun === 'flow' && id !== null) watch(id, runnable.get(id))
    else if (noun === 'settings') watchAll()
    else return
    lookSoon()
  })

  return {
    /** Call inside the write that stores the end of a run; `comesOfError`: whether an alarm or an error started it. */
    noteEnd(run: FlowRun, comesOfError: () => boolean): void {
      const watching = watched.get(run.flow_id)
      if (watching) watching.lastRunAt = clock.now()
      if (run.status === 'success' && !unsettled.has(run.flow_id)) return
      const flow = activeFlow(run.flow_id)
      if (flow === null || HAND_TRIGGERS.includes(run.trigger)) return
      if (run.status === 'success') noteSuccess(flow)
      else if (run.status === 'error' && !comesOfError())
        note(flow, 'failed', { runId: run.id, message: failedMessage(flow.name, run.error?.message ?? '') })
    },
    /** Call inside the write that settles a scheduled time more than a minute late. */
    noteMissed(flowId: string, due: number, isSkipped: boolean): void {
      const flow = activeFlow(flowId)
      if (flow === null) return
      const message = missedMessage(flow.name, due, { wasOff: due < awakeSince, isSkipped })
      note(flow, 'missed', { runId: null, message })
    },
    /** Call inside the write that stores how the check of a flow's trigger ended; null: it worked. */
    noteCheck(flowId: string, failure: { readonly message: string; readonly count: number } | null): void {
      if (failure === null && !unsettled.has(flowId)) return
      const flow = activeFlow(flowId)
      if (flow === null) return
      if (failure === null) {
        if (stateOf(flowId).runId === null) noteSuccess(flow)
      } else if (failure.count === FAILURES_TOLD)
        note(flow, 'failed', { runId: null, message: checkFailedMessage(flow.name, failure.message) })
    },
    async start(): Promise<void> {
      isRunning = true
      const now = clock.now()
      const aliveAt = store.alarms.aliveAt()
      for (const flowId of store.alarms.unsettled()) unsettled.add(flowId)
      watchAll()
      awakeSince = now
      seenAt = now
      if (aliveAt !== null && now - aliveAt > PAUSE_MS && watched.size > 0) {
        await store.write(() => {
          addOff(aliveAt, now)
          store.alarms.noteAlive(now)
        })
      }
      lookSoon()
    },
    stop(): void {
      isRunning = false
      clearTimeout(timer)
    },
    look,
    /** @throws AppError `not_found` */
    async test(flowId: string | null): Promise<SentAlarm[]> {
      const flow = flowId === null ? null : runnable.get(flowId)
      if (flowId !== null && flow === null)
        throw new AppError(
          'not_found',
          say('There is no flow "{{id}}"; see the list of flows', { id: flowId.slice(0, 60) }),
        )
      const defaults = settings()
      const own = ownChannels(settingsOf(flow?.settings.alarms ?? null, defaults), defaults)
      const alarm: Alarm = {
        id: random.uuid(),
        kind: 'test',
        flow_id: flowId,
        flow_name: flow?.name ?? null,
        flow_run_id: null,
        message: flow === null ? 'This is a test alarm' : `This is a test alarm of "${flow.name}"`,
        count: 1,
        at: new Date(clock.now()).toISOString(),
      }
      const channels = [...own, ...(flow === null ? hookChannels(defaults) : [])]
      return Promise.all(
        channels.map((channel) => attempt(channel, () => deliver(alarm, channel, () => undefined))),
      )
    },
  }
}

interface What {
  readonly runId: string | null
  readonly message: string
}

interface Telling {
  readonly kind: AlarmKind
  /** The event whose settings decide where it goes. */
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

/** A single failure of a check is common, such as a network that is away for a moment. */
const FAILURES_TOLD = 2
const FAILED = "An alarm couldn't be sent"
const GIVEN_UP = "An alarm couldn't be sent, also after several attempts"
const MINUTE_MS = 60_000
/** Between two alarms of a flow. */
const QUIET_MS = 10 * MINUTE_MS
const LOOK_EVERY_MS = MINUTE_MS
/** A longer time between two checks means that Millrace was off, or the computer asleep. */
const PAUSE_MS = 3 * MINUTE_MS
const RETRY_AFTER_MS: readonly number[] = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS)
