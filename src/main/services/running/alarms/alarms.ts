/**
 * Sends alarms when an active flow fails, is silent or misses its time, and when it works again, but at most every ten
 * minutes for each flow. A pending alarm is stored together with its event.
 */
import { type FlowRun, HAND_TRIGGERS } from '../../../../shared/contract/flow-runs.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'
import { checkFailedMessage, failedMessage, missedMessage } from './alarm.ts'
import type { AlarmsOptions } from './deliver.ts'
import { createReceivers } from './receivers.ts'
import { createSending } from './send-alarms.ts'
import { createSilence } from './silence.ts'
import { createTroubles } from './troubles.ts'

export function createAlarmsService(options: AlarmsOptions) {
  const { store, runnable, events, clock, log } = options
  const troubles = createTroubles({ ...options, activeFlow, onChange: lookSoon })
  const { unsettled, stateOf, note, noteSuccess, settle } = troubles
  const silence = createSilence({ ...options, activeFlow, troubles })
  const { watched, addOff, watch, watchAll } = silence
  const { send, test, testAll } = createSending(options, () => isRunning)
  const receivers = createReceivers({ ...options, test })
  let isRunning = false
  let awakeSince = clock.now()
  let seenAt = clock.now()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null

  function activeFlow(id: string): RunnableFlow | null {
    const flow = runnable.get(id)
    return flow?.status === 'active' ? flow : null
  }

  /** Notices if the machine slept, or if its clock was changed. */
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
      silence.check()
      if (watched.size > 0) store.alarms.noteAlive(now)
    })
    for (const alarm of store.alarms.due(clock.now())) await send(alarm)
  }

  /** Sends everything that is due now. Called automatically as time passes. */
  function look(): Promise<void> {
    looking ??= lookNow()
      .catch((error: unknown) => log.error({ err: error }, "Alarms can't be sent; retrying in a minute"))
      .finally(() => {
        looking = null
        schedule()
      })
    return looking
  }

  /** Checks again once the current write is done. */
  function lookSoon(): void {
    if (!isRunning) return
    setImmediate(() => {
      if (looking === null) schedule()
      else void looking.then(schedule)
    })
  }

  /** The wall clock can jump, and timers stop while the machine sleeps, so this checks regularly. */
  function schedule(): void {
    clearTimeout(timer)
    if (!isRunning) return
    const nextAt = store.alarms.nextAt()
    if (nextAt === null && unsettled.size === 0 && watched.size === 0) return
    const wait = nextAt === null ? LOOK_EVERY_MS : Math.max(0, nextAt - clock.now())
    timer = setTimeout(() => void look(), Math.min(wait, LOOK_EVERY_MS)).unref()
  }

  events.listen(({ noun, id }) => {
    if (!isRunning) return
    if (noun === 'flow' && id !== null) watch(id, runnable.get(id))
    else if (noun === 'settings') watchAll()
    else return
    lookSoon()
  })

  return {
    /**
     * Call inside the write that stores the end of a run; `comesOfError` returns whether an alarm or an error started
     * it.
     */
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
    /** Call inside the write that stores how the check of a flow's trigger ended; null if it worked. */
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
    testAll,
    receivers,
  }
}

/** A single failure is common, for example if the network is down for a moment. */
const FAILURES_TOLD = 2
const LOOK_EVERY_MS = 60_000
/** A longer time between two checks means that Millrace was off, or the computer asleep. */
const PAUSE_MS = 3 * 60_000
