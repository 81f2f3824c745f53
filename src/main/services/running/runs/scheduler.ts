/**
 * Starts active flows at the times of their schedule steps. No time runs twice, or is lost across a restart or sleep.
 */
import { say, spoken } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Flow, FlowSchedule, SchedulePreview } from '../../../../shared/contract/flows.ts'
import { STEP_CONFIGS, triggersOf } from '../../../../shared/contract/step-types/index.ts'
import { dictionaryOf } from '@millrace/jinja/data'
import { checkConfig } from '../../../engine/flow/definition/check-step-config.ts'
import type { Clock } from '../../../engine/ports.ts'
import { latestFire, nextFire, type Schedule } from '../../../engine/schedule/fire-times.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { Log } from '../../kit/ports.ts'
import type { RunQueue } from './queue.ts'
import { renamedTo, requireTrigger } from '../../kit/trigger-names.ts'
import { newRun } from '../execution/run-executor.ts'
import type { RunnableFlows } from '../execution/runnable-flows.ts'

export interface SchedulerOptions {
  readonly store: Pick<Store, 'flows' | 'flowRuns' | 'schedules' | 'write'>
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly queue: Pick<RunQueue, 'accept'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'listen'>
  readonly log: Log
  /** Called for each accepted run, with its delay. */
  readonly onFired: (latenessMs: number) => void
  /** Called inside the write that settles a time more than a minute late. */
  readonly onMissed: (flowId: string, due: number, isSkipped: boolean) => void
}

/** An active schedule. */
interface Armed {
  readonly flowId: string
  readonly refId: string
  readonly schedule: Schedule
  readonly fingerprint: string
  /** Times up to this one are done. */
  handledUntil: number
  /** Null if it is never due again. */
  next: number | null
}

export function createSchedulerService(options: SchedulerOptions) {
  const { store, runnable, queue, clock, events, log, onFired, onMissed } = options
  /** Active schedules, by flow. */
  const armed = new Map<string, readonly Armed[]>()
  let isRunning = false
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let seenAt = 0

  /** Activates or deactivates the flow's schedules. A schedule that was active continues where it was. */
  async function arm(flowId: string): Promise<void> {
    const flow = store.flows.get(flowId)
    const schedules = flow?.status === 'active' ? schedulesOf(flow) : []
    await settleNames(flowId, schedules)
    const before = armed.get(flowId) ?? []
    const after: Armed[] = []
    for (const { refId, schedule } of schedules) {
      const fingerprint = JSON.stringify(schedule)
      const same = before.find((one) => one.refId === refId && one.fingerprint === fingerprint)
      if (same !== undefined) {
        after.push(same)
        continue
      }
      const state = store.schedules.of(flowId).find((one) => one.refId === refId)
      const goesOn = state?.fingerprint === fingerprint
      // A new schedule counts from when it was saved, because Millrace may have been killed before it got here. If the
      // clock has been set back since, the schedule must not skip all times until that moment comes again.
      const since = goesOn ? state.handledUntil : Date.parse(flow?.updated_at ?? '')
      const handledUntil = Math.min(since, clock.now())
      if (!goesOn) await store.write(() => store.schedules.begin(flowId, refId, fingerprint, handledUntil))
      after.push({
        flowId,
        refId,
        schedule,
        fingerprint,
        handledUntil,
        next: nextFire(schedule, handledUntil),
      })
    }
    if (after.length > 0) armed.set(flowId, after)
    else armed.delete(flowId)
  }

  /** A step that was renamed keeps its state; schedules that are no longer active end. */
  async function settleNames(flowId: string, schedules: readonly Scheduled[]): Promise<void> {
    const known = store.schedules.of(flowId).map(({ refId }) => refId)
    const refs = schedules.map(({ refId }) => refId)
    const gone = known.filter((ref) => !refs.includes(ref))
    if (gone.length === 0) return
    const to = renamedTo(
      gone,
      refs.filter((ref) => !known.includes(ref)),
    )
    await store.write(() => {
      for (const ref of gone)
        if (to === null) store.schedules.end(flowId, ref)
        else store.schedules.rename(flowId, ref, to)
    })
  }

  async function lookNow(): Promise<void> {
    const now = clock.now()
    const wasSetBack = now < seenAt
    seenAt = now
    for (const entry of [...armed.values()].flat()) {
      if (wasSetBack) {
        entry.handledUntil = Math.min(entry.handledUntil, now)
        entry.next = nextFire(entry.schedule, entry.handledUntil)
      }
      if (entry.next === null || entry.next > now) continue
      try {
        await settle(entry, now)
      } catch (error) {
        // The time stays due and is retried.
        log.warn({ err: error, flowId: entry.flowId }, "A scheduled run couldn't be accepted")
      }
    }
  }

  /** Of several missed times, only the last one counts. */
  async function settle(entry: Armed, now: number): Promise<void> {
    const { flowId, refId, schedule } = entry
    const due = latestFire(schedule, entry.handledUntil, now)
    if (due !== null) {
      const isMissed = now - due > LATE_MS
      if (isMissed && schedule.missed === 'skip') {
        await store.write(() => {
          store.schedules.skip(flowId, refId, due)
          onMissed(flowId, due, true)
        })
      } else await fire(entry, due, isMissed)
      entry.handledUntil = due
    }
    entry.next = nextFire(schedule, due ?? now)
  }

  async function fire({ flowId, refId }: Armed, due: number, isMissed: boolean): Promise<void> {
    const flow = runnable.get(flowId)
    if (flow === null || flow.status !== 'active') return
    const run = newRun(
      flow,
      { id: store.flowRuns.newId(), trigger: 'schedule', trigger_ref: refId },
      new Date(clock.now()).toISOString(),
    )
    const input = dictionaryOf([['scheduled_at', new Date(due).toISOString()]])
    try {
      await queue.accept({
        flow,
        run: { ...run, status: 'queued', started_at: null },
        start: { input, webhook: null },
        alsoStore() {
          if (!store.schedules.fire(flowId, refId, due)) throw new AlreadyFired()
          if (isMissed) onMissed(flowId, due, false)
        },
      })
      onFired(clock.now() - due)
    } catch (error) {
      if (!(error instanceof AlreadyFired)) throw error
      await store.write(() => store.schedules.skip(flowId, refId, due))
    }
  }

  /** Only one check runs at a time. */
  function look(): Promise<void> {
    looking ??= lookNow().finally(() => {
      looking = null
      schedule()
    })
    return looking
  }

  /** The wall clock can jump, and timers stop while the machine sleeps, so this checks regularly. */
  function schedule(): void {
    clearTimeout(timer)
    if (!isRunning || armed.size === 0) return
    const now = clock.now()
    const wait = Math.min(
      ...[...armed.values()].flat().map(({ next }) => (next === null ? Infinity : next - now)),
    )
    timer = setTimeout(() => void look(), Math.min(Math.max(wait, SHORTEST_WAIT_MS), LOOK_EVERY_MS))
  }

  function requireFlow(id: string): Flow {
    const flow = store.flows.get(id)
    if (flow !== null) return flow
    throw new AppError(
      'not_found',
      say('There is no flow "{{id}}"; see the list of flows', { id: id.slice(0, 60) }),
    )
  }

  events.listen(({ noun, id }) => {
    if (noun !== 'flow' || id === null || !isRunning) return
    arm(id).then(schedule, (error: unknown) =>
      log.error({ err: error, flowId: id }, "The schedule of a flow can't be applied"),
    )
  })

  return {
    /** Activates the schedules of all active flows and runs them until stopped. */
    async start(): Promise<void> {
      isRunning = true
      seenAt = clock.now()
      const concerned = store.flows
        .list()
        .records.filter((flow) => schedulesOf(flow).length > 0 || store.schedules.of(flow.id).length > 0)
      for (const { id } of concerned) await arm(id)
      await look()
    },
    stop(): void {
      isRunning = false
      clearTimeout(timer)
    },
    /** Accepts the runs that are due now. Called automatically as time passes. */
    look,
    /**
     * @param refId reference name of the schedule step; defaults to all of them
     * @throws AppError `not_found`, `validation` if the flow has no such trigger
     */
    read(flowId: string, refId?: string): FlowSchedule {
      const flow = requireFlow(flowId)
      if (refId !== undefined) requireTrigger(flow, refId)
      const isMeant = (one: { readonly refId: string }) => refId === undefined || one.refId === refId
      const found = schedulesOf(flow).filter(isMeant)
      const times = found.flatMap(({ schedule }) => upcoming(schedule, clock.now()))
      const fired = store.schedules
        .of(flowId)
        .filter(isMeant)
        .flatMap(({ lastFiredAt }) => lastFiredAt ?? [])
      return {
        active: found.length > 0 && flow.status === 'active',
        next: [...new Set(times)].toSorted().slice(0, TIMES_SHOWN),
        last_fired_at: fired.length === 0 ? null : new Date(Math.max(...fired)).toISOString(),
      }
    },
    /**
     * The upcoming times of a schedule with this configuration, saved or not.
     *
     * @throws AppError `not_found`
     */
    preview(flowId: string, config: unknown): SchedulePreview {
      requireFlow(flowId)
      const { config: schedule, problems } = checkConfig('schedule', config)
      return {
        next: schedule === null ? [] : upcoming(schedule, clock.now()),
        timezone: schedule?.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
        problems: problems.map(([field, said]) => ({
          field: field.replace(/^config\./, ''),
          ...spoken(said),
        })),
      }
    },
  }
}

class AlreadyFired extends Error {}

interface Scheduled {
  readonly refId: string
  readonly schedule: Schedule
}

/** The enabled schedules that a flow begins with. */
function schedulesOf({ steps }: Flow): readonly Scheduled[] {
  return triggersOf(steps).flatMap(({ ref_id: refId, type, disabled, config }) => {
    if (type !== 'schedule' || disabled) return []
    const parsed = STEP_CONFIGS.schedule.safeParse(config)
    return parsed.success ? [{ refId, schedule: parsed.data }] : []
  })
}

function upcoming(schedule: Schedule, now: number): string[] {
  const times: string[] = []
  for (let next = nextFire(schedule, now); next !== null && times.length < TIMES_SHOWN;) {
    times.push(new Date(next).toISOString())
    next = nextFire(schedule, next)
  }
  return times
}

/** Delay after which a time counts as missed. */
const LATE_MS = 60_000
const LOOK_EVERY_MS = 15_000
const SHORTEST_WAIT_MS = 5
const TIMES_SHOWN = 5
