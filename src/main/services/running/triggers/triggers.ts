/**
 * Starts active flows for what their triggers find: entries of lists, files, emails. How far a trigger has read is
 * stored together with the runs it starts, so nothing starts two of them or none.
 */
import { redactSpoken } from '../../../engine/redaction/redacted-value.ts'
import {
  say,
  englishOf,
  quoted,
  SAID,
  type Said,
  sentenceOf,
  type Spoken,
  spoken,
  withoutSaid,
  withSaid,
} from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { FlowTrigger } from '../../../../shared/contract/reach/flow-trigger.ts'
import { STEP_CONFIGS, type StepType } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { parseJson, writeJson } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import { SecretUnreadableError, type Store, StoreWriteError } from '../../../store/index.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import { newRun } from '../execution/run-executor.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import type { Log } from '../../kit/ports.ts'
import type { AcceptedRun, RunQueue } from '../runs/queue.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import {
  type Finding,
  isDeadly,
  type SetAside,
  type TriggerKind,
  type TriggerStart,
  type Watch,
} from './trigger-kind.ts'

export interface TriggersService {
  /** Activates the triggers of all active flows and checks until stopped. */
  start(): Promise<void>
  stop(): void
  /** Checks whatever is due now, and resolves when that is stored. Called automatically as time passes. */
  look(): Promise<void>
  /** @throws AppError `not_found` */
  read(flowId: string): FlowTrigger
  /**
   * Checks now.
   *
   * @throws AppError `not_found`, `conflict` if the flow isn't active
   */
  check(flowId: string): Promise<FlowTrigger>
  /** Forgets what was found: the next check, at once, is the first. Throws like `check`. */
  restart(flowId: string): Promise<FlowTrigger>
  /** Reads once more what was set aside. Throws like `check`. */
  retry(flowId: string): Promise<FlowTrigger>
}

export interface TriggersOptions {
  readonly store: Pick<
    Store,
    'endedCleanly' | 'fileUploads' | 'flows' | 'flowRuns' | 'triggers' | 'triggerSuspects' | 'write'
  >
  readonly kinds: TriggerKinds
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly queue: Pick<RunQueue, 'acceptAll'>
  readonly secrets: Pick<KnownSecrets, 'redactor'>
  readonly files: Pick<FilesService, 'assign'>
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<EventsService, 'emit' | 'listen'>
  readonly log: Log
  /** Called inside the write that stores the outcome of a check; null: it worked. */
  readonly onChecked: (flowId: string, failure: CheckFailure | null) => void
}

export type TriggerKinds = { readonly [T in StepType]?: TriggerKind }

export interface CheckFailure {
  readonly message: string
  /** In a row, this one included. */
  readonly count: number
}

/** An active trigger. */
interface Armed {
  readonly flowId: string
  readonly kind: TriggerKind
  readonly fingerprint: string
  config: Step['config']
  next: number
  checking: Promise<void> | null
  /** Something may be new since the check began. */
  isSigned: boolean
  /** A user requested a check, whatever earlier checks returned. */
  isAsked: boolean
  watch: Watch | null
  /** Aborted when the trigger is deactivated. */
  readonly controller: AbortController
}

export function createTriggersService(options: TriggersOptions): TriggersService {
  return new Triggers(options)
}

class Triggers implements TriggersService {
  readonly #options: TriggersOptions
  readonly #armed = new Map<string, Armed>()
  #isRunning = false
  #timer: NodeJS.Timeout | undefined
  #arming: Promise<void> = Promise.resolve()
  #checks = 0
  /** Triggers whose first look waits. */
  #suspected = 0

  constructor(options: TriggersOptions) {
    this.#options = options
    options.events.listen(({ noun, id }) => {
      if (noun === 'flow' && id !== null && this.#isRunning) void this.#armInTurn(id)
    })
  }

  async start(): Promise<void> {
    this.#isRunning = true
    const { store, kinds, clock } = this.#options
    await store.write(() => store.triggerSuspects.recover(store.endedCleanly, clock.now()))
    for (const flow of store.flows.list().records)
      if (kindOf(flow, kinds) !== null) await this.#armInTurn(flow.id)
    this.#schedule()
  }

  stop(): void {
    this.#isRunning = false
    clearTimeout(this.#timer)
    for (const entry of this.#armed.values()) {
      entry.controller.abort()
      entry.watch?.close()
    }
  }

  async look(): Promise<void> {
    await this.#arming
    this.#startDue()
    await Promise.all([...this.#armed.values()].flatMap(({ checking }) => checking ?? []))
  }

  read(flowId: string): FlowTrigger {
    const { store, kinds } = this.#options
    const flow = requireFlow(store, flowId)
    const type = kindOf(flow, kinds) === null ? null : (flow.steps[0]?.type ?? null)
    const entry = this.#armed.get(flowId)
    const known = type === null ? null : store.triggers.get(flowId)
    return {
      type,
      active: entry !== undefined,
      checked_at: toTime(known?.checkedAt ?? null),
      found_at: toTime(known?.foundAt ?? null),
      found: known?.found ?? 0,
      next_check_at: entry === undefined ? null : toTime(entry.next),
      checking: entry !== undefined && entry.checking !== null,
      failures: known?.failures ?? 0,
      error: known?.error
        ? { ...withoutSaid(known.error), at: new Date(known.error.at).toISOString() }
        : null,
      listening: this.#listeningOf(entry),
      ...(type === null || known === null ? NO_NOTE : this.#noteOf(flowId, type)),
      set_aside: type === null ? [] : this.#setAsideOf(flowId),
    }
  }

  #setAsideOf(flowId: string): FlowTrigger['set_aside'] {
    const { store } = this.#options
    return store.triggerSuspects.of(flowId).flatMap(({ item, state, at }) => {
      if (state !== 'set_aside' || item === WHOLE_LOOK) return []
      const { title = '', reason = UNREADABLE, file_id = null } = this.#detailsOf(flowId, item)
      const shown = this.#redacted(typeof reason === 'string' ? quoted(reason) : reason)
      return [
        {
          title,
          reason: shown.message,
          [SAID]: shown[SAID],
          file_id,
          at: new Date(at).toISOString(),
        },
      ]
    })
  }

  #listeningOf(entry: Armed | undefined): FlowTrigger['listening'] {
    const state = entry?.watch?.listening?.()
    if (state === undefined) return null
    const { connected, aliveAt, error } = state
    const shown = error === null ? null : this.#shown(error)
    return {
      connected,
      alive_at: toTime(aliveAt),
      error: shown?.message ?? null,
      [SAID]: shown?.[SAID],
    } as FlowTrigger['listening']
  }

  #noteOf(flowId: string, type: string): Pick<FlowTrigger, 'note'> & Spoken {
    const { kinds, store } = this.#options
    const noteOf = kinds[type as StepType]?.noteOf
    if (noteOf === undefined) return NO_NOTE
    const state = orNull(() => store.triggers.state(flowId))
    const note = state === null ? null : noteOf(parseJson(state))
    if (note === null) return NO_NOTE
    const { message, [SAID]: said } = this.#redacted(note)
    return { note: message, [SAID]: said }
  }

  async check(flowId: string): Promise<FlowTrigger> {
    const entry = await this.#requireArmed(flowId)
    // One that is under way can have read what there is before the caller's change.
    await entry.checking
    entry.isAsked = true
    await (entry.checking ?? this.#begin(entry))
    return this.read(flowId)
  }

  async retry(flowId: string): Promise<FlowTrigger> {
    const { store } = this.#options
    await this.#requireArmed(flowId)
    await store.write(() => store.triggerSuspects.retry(flowId))
    return this.check(flowId)
  }

  async restart(flowId: string): Promise<FlowTrigger> {
    const { store, clock } = this.#options
    const entry = await this.#requireArmed(flowId)
    this.#disarm(entry)
    await entry.checking
    await store.write(() => store.triggers.begin(flowId, entry.fingerprint, clock.now()))
    await this.#armInTurn(flowId)
    return this.check(flowId)
  }

  async #requireArmed(flowId: string): Promise<Armed> {
    const flow = requireFlow(this.#options.store, flowId)
    await this.#arming
    const entry = this.#armed.get(flowId)
    if (entry !== undefined) return entry
    const reason =
      kindOf(flow, this.#options.kinds) === null
        ? say("doesn't begin with a trigger that looks for something new")
        : say('is {{state}}; its trigger only looks while it is active', { state: STATES[flow.status] })
    throw new AppError('conflict', say('The flow "{{name}}" {{reason}}', { name: flow.name, reason }))
  }

  /** One after the other, so that an older state of a flow never wins. */
  #armInTurn(flowId: string): Promise<void> {
    const { log } = this.#options
    this.#arming = this.#arming
      .then(() => this.#arm(flowId))
      .catch((error: unknown) => log.error({ err: error, flowId }, "The trigger of a flow can't be applied"))
    return this.#arming
  }

  /** Activates or deactivates the flow's trigger. One that was active continues where it was. */
  async #arm(flowId: string): Promise<void> {
    const { store, kinds, clock } = this.#options
    const flow = store.flows.get(flowId)
    const kind = flow?.status === 'active' ? kindOf(flow, kinds) : null
    const before = this.#armed.get(flowId)
    if (kind === null || flow?.steps[0] === undefined) return before && this.#disarm(before)
    const [{ type, config }] = flow.steps as [Step]
    const fingerprint = JSON.stringify([type, kind.identity(config)])
    const now = clock.now()
    if (before?.fingerprint === fingerprint) {
      before.config = config
      before.next = Math.min(before.next, now + kind.everyMs(config))
      return this.#schedule()
    }
    if (before) this.#disarm(before)
    const known = store.triggers.get(flowId)
    const goesOn = known?.fingerprint === fingerprint
    if (!goesOn) await store.write(() => store.triggers.begin(flowId, fingerprint, now))
    if (!this.#isRunning) return
    // If the clock was set back, the stored time can be far away.
    const isLater = goesOn && kind.looksAtStart !== true
    const soonest = isLater ? Math.min(known.nextAt, now + kind.everyMs(config)) : now
    const next = goesOn ? Math.max(soonest, this.#suspectedUntil(flowId, now)) : soonest
    const controller = new AbortController()
    const fresh = {
      flowId,
      kind,
      fingerprint,
      config,
      next,
      checking: null,
      isSigned: false,
      isAsked: false,
      watch: null,
      controller,
    }
    this.#armed.set(flowId, fresh)
    this.#watch(fresh)
    this.#announce(flowId)
    this.#schedule()
  }

  /** Where the program may have died while looking, the first look waits until it is up, and is alone then. */
  #suspectedUntil(flowId: string, now: number): number {
    const isSuspect = this.#options.store.triggerSuspects.of(flowId).some(({ deaths }) => deaths > 0)
    return isSuspect ? now + ++this.#suspected * ALONE_MS : now
  }

  #watch(entry: Armed): void {
    entry.watch =
      entry.kind.watch?.(entry.flowId, entry.config, {
        onSign: () => this.#sign(entry),
        onChange: () => this.#announce(entry.flowId),
      }) ?? null
  }

  #sign(entry: Armed): void {
    entry.isSigned = true
    if (entry.checking !== null) return
    // A failing trigger keeps its pauses, unless the sign is of what failed.
    const isFailing = (this.#options.store.triggers.get(entry.flowId)?.failures ?? 0) > 0
    if (!isFailing || entry.watch?.listening?.().connected === true)
      entry.next = Math.min(entry.next, this.#options.clock.now())
    this.#schedule()
  }

  #disarm(entry: Armed): void {
    entry.watch?.close()
    this.#armed.delete(entry.flowId)
    entry.controller.abort()
    this.#announce(entry.flowId)
  }

  /** The wall clock can jump, and timers stop while the machine sleeps, so it is checked regularly. */
  #schedule(): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning || this.#armed.size === 0) return
    const now = this.#options.clock.now()
    const waiting = [...this.#armed.values()].filter(({ checking }) => checking === null)
    const wait = Math.min(...waiting.map(({ next }) => next - now))
    this.#timer = setTimeout(
      () => this.#startDue(),
      Math.min(Math.max(wait, SHORTEST_WAIT_MS), LOOK_EVERY_MS),
    )
  }

  #startDue(): void {
    const now = this.#options.clock.now()
    for (const entry of this.#armed.values()) {
      if (this.#checks >= MOST_CHECKS || !this.#isRunning) break
      // A time far ahead was set by a clock that ran ahead.
      entry.next = Math.min(entry.next, now + Math.max(entry.kind.everyMs(entry.config), LONGEST_PAUSE_MS))
      if (entry.checking === null && entry.next <= now) void this.#begin(entry)
    }
    this.#schedule()
  }

  #begin(entry: Armed): Promise<void> {
    this.#checks++
    entry.isSigned = false
    entry.checking = this.#check(entry)
      .catch((error: unknown) => this.#fail(entry, error))
      .finally(() => {
        this.#checks--
        entry.checking = null
        this.#announce(entry.flowId)
        if (this.#isRunning) this.#startDue()
      })
    this.#announce(entry.flowId)
    return entry.checking
  }

  #announce(flowId: string): void {
    this.#options.events.emit({ type: 'updated', noun: 'flow_trigger', id: flowId })
  }

  async #check(entry: Armed): Promise<void> {
    const { store, runnable } = this.#options
    const { flowId, kind, config, controller } = entry
    const flow = runnable.get(flowId)
    const progress = store.triggers.get(flowId)
    if (flow === null || flow.status !== 'active' || progress === null) return
    const suspects = new Map(store.triggerSuspects.of(flowId).map((one) => [one.item, one]))
    const look = suspects.get(WHOLE_LOOK)
    const isAsked = entry.isAsked
    entry.isAsked = false
    if (look !== undefined && isDeadly(look) && !isAsked) throw new AppError('conflict', DEADLY)
    const noteReading = (item: string) => store.write(() => store.triggerSuspects.noteReading(flowId, item))
    await noteReading(WHOLE_LOOK)
    const state = store.triggers.state(flowId)
    const finding = await kind.check({
      flow,
      config,
      isFirst: !progress.isStarted,
      state: state === null ? null : parseJson(state),
      isKnown: (id) => store.triggers.isKnown(flowId, id),
      suspects,
      noteReading,
      signal: controller.signal,
    })
    await this.#store(entry, flow, finding, state)
  }

  /**
   * Each part is whole by itself: a crash in between leaves entries that the next check finds again, because what was
   * read counts only up to the stored part.
   */
  async #store(
    entry: Armed,
    flow: RunnableFlow,
    { seen, starts, state, againMs, setAside = [], cleared = [] }: Finding,
    before: string | null,
  ): Promise<void> {
    const { store, clock } = this.#options
    const { flowId, kind } = entry
    for (const { file } of setAside) await file?.content.keep()
    const seenParts = partsOf(seen, SEEN_AT_ONCE)
    const startParts = partsOf(starts, starts.some(({ ids }) => ids.length > 1) ? 1 : STARTS_AT_ONCE)
    const finish = () => {
      const now = clock.now()
      const usualMs = kind.everyMs(entry.config)
      entry.next = now + (entry.isSigned ? 0 : Math.min(againMs ?? usualMs, usualMs))
      const text = writeJson(state)
      if (text !== before || starts.length > 0) store.triggers.saveState(flowId, text)
      store.triggers.prune(flowId, now)
      store.triggerSuspects.noteReading(flowId, null)
      for (const item of [WHOLE_LOOK, ...cleared]) {
        this.#dropFile(flowId, item)
        store.triggerSuspects.remove(flowId, item)
      }
      for (const one of setAside) this.#setAside(flowId, one, now)
      store.triggers.noteChecked(flowId, now, entry.next)
      this.#options.onChecked(flowId, null)
    }
    for (const [index, ids] of seenParts.entries()) {
      const isLast = startParts.length === 0 && index === seenParts.length - 1
      await store.write(() => {
        this.#requireActive(entry)
        store.triggers.see(flowId, ids, clock.now())
        if (isLast) finish()
      })
    }
    for (const [index, part] of startParts.entries())
      await this.#startRuns(entry, flow, part, index === startParts.length - 1 ? finish : null)
    if (seenParts.length + startParts.length === 0) {
      await store.write(() => {
        this.#requireActive(entry)
        finish()
      })
    }
  }

  /** Whoever sends entries chooses how many of them can't be read: only the newest are kept. */
  #setAside(flowId: string, { item, title, reason, file }: SetAside, now: number): void {
    const { store, log } = this.#options
    log.warn(
      { flowId, item, reason: englishOf(reason) },
      'A trigger has set an entry aside: it starts no run',
    )
    const id = file?.content.id ?? null
    if (file !== undefined) {
      const { content, filename, contentType } = file
      const { size, sha256 } = content
      const created_at = new Date(now).toISOString()
      store.fileUploads.insert({
        id: content.id,
        filename,
        content_type: contentType,
        size,
        sha256,
        created_at,
      })
    }
    const details: SetAsideDetails = { title, reason, file_id: id }
    this.#dropFile(flowId, item)
    store.triggerSuspects.setAside(flowId, item, JSON.stringify(details), now)
    const kept = store.triggerSuspects.of(flowId).filter(({ state }) => state === 'set_aside')
    for (const { item: oldest } of kept.slice(MOST_SET_ASIDE)) {
      this.#dropFile(flowId, oldest)
      store.triggerSuspects.remove(flowId, oldest)
    }
  }

  /** Its content is swept with the files that belong to nothing. */
  #dropFile(flowId: string, item: string): void {
    const { store } = this.#options
    const { file_id: fileId } = this.#detailsOf(flowId, item)
    if (fileId) store.fileUploads.delete(fileId)
  }

  #detailsOf(flowId: string, item: string): Partial<SetAsideDetails> {
    const stored = orNull(() => this.#options.store.triggerSuspects.details(flowId, item))
    return stored === null ? {} : (JSON.parse(stored) as SetAsideDetails)
  }

  async #startRuns(
    entry: Armed,
    flow: RunnableFlow,
    starts: readonly TriggerStart[],
    finish: (() => void) | null,
  ): Promise<void> {
    const { store, queue, clock } = this.#options
    const { flowId, kind } = entry
    const now = clock.now()
    const at = new Date(now).toISOString()
    const runs = starts.map(({ input }): AcceptedRun => {
      const run = newRun(flow, { id: store.flowRuns.newId(), trigger: kind.runTrigger }, at)
      return { flow, run: { ...run, status: 'queued', started_at: null }, start: { input, webhook: null } }
    })
    for (const [index, { files = [] }] of starts.entries()) {
      const id = runs[index]?.run.id
      if (files.length > 0 && id !== undefined) await this.#options.files.assign(files, id)
    }
    await queue.acceptAll(runs, () => {
      this.#requireActive(entry)
      const ids = starts.flatMap((start) => start.ids)
      store.triggers.see(flowId, ids, now)
      store.triggers.noteFound(flowId, ids.length, now)
      store.triggers.saveState(flowId, writeJson(starts.at(-1)?.state ?? null))
      finish?.()
    })
  }

  /** The flow can have been paused or changed since the check began. */
  #requireActive({ flowId, fingerprint, controller }: Armed): void {
    const isSame = this.#options.store.triggers.get(flowId)?.fingerprint === fingerprint
    if (controller.signal.aborted || !isSame) throw new NoLongerActive()
  }

  #shown(error: unknown): ReturnType<typeof spoken> {
    return this.#redacted(reasonOf(error) ?? UNEXPECTED)
  }

  #redacted(said: Said): ReturnType<typeof spoken> {
    const shown = redactSpoken(spoken(said), this.#options.secrets.redactor())
    const { message } = shown
    return message.length > LONGEST_MESSAGE ? { message: message.slice(0, LONGEST_MESSAGE) } : shown
  }

  async #fail(entry: Armed, error: unknown): Promise<void> {
    const { store, clock, log, onChecked } = this.#options
    const { flowId } = entry
    if (error instanceof NoLongerActive || entry.controller.signal.aborted) {
      await store.write(() => store.triggerSuspects.noteReading(flowId, null)).catch(() => undefined)
      return
    }
    const reason = reasonOf(error)
    if (reason === null) log.error({ err: error, flowId }, 'The check of a trigger failed unexpectedly')
    const shown = this.#shown(error)
    const now = clock.now()
    const count = (store.triggers.get(flowId)?.failures ?? 0) + 1
    entry.next = now + pauseAfter(count)
    try {
      await store.write(() => {
        this.#requireActive(entry)
        store.triggerSuspects.noteReading(flowId, null)
        store.triggers.noteFailed(flowId, withSaid({ ...shown, at: now }), entry.next)
        onChecked(flowId, { message: shown.message, count })
      })
    } catch (cause) {
      if (!(cause instanceof NoLongerActive))
        log.error({ err: cause, flowId }, "The failure of a trigger's check can't be stored")
    }
  }
}

class NoLongerActive extends Error {}

/** What is stored of an entry that was set aside. */
interface SetAsideDetails {
  readonly title: string
  /** A string if an earlier version stored it. */
  readonly reason: Said | string
  readonly file_id: string | null
}

/** Null for what can't be decrypted here. */
function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof SecretUnreadableError) return null
    throw error
  }
}

/** Null for a defect. */
function reasonOf(error: unknown): Said | null {
  if (error instanceof AppError || error instanceof StoreWriteError) return sentenceOf(error)
  return error instanceof SecretUnreadableError ? UNREADABLE : null
}

function kindOf({ steps: [first] }: Pick<Flow, 'steps'>, kinds: TriggerKinds): TriggerKind | null {
  if (first === undefined || first.disabled) return null
  const kind = kinds[first.type as StepType]
  if (kind === undefined) return null
  return STEP_CONFIGS[first.type as StepType].safeParse(first.config).success ? kind : null
}

function requireFlow(store: Pick<Store, 'flows'>, id: string): Flow {
  const flow = store.flows.get(id)
  if (flow === null) throw flowNotFound(id)
  return flow
}

function partsOf<T>(list: readonly T[], size: number): (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size))
  return parts
}

const pauseAfter = (failures: number) => Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
const toTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 3_600_000
/** More of them wait, so that a start with many flows doesn't call all APIs at once. */
const MOST_CHECKS = 4
/** A commit with more would hold the event loop up. */
const STARTS_AT_ONCE = 100
const SEEN_AT_ONCE = 2_000
const UNREADABLE = say(
  "How far it has read can't be decrypted on this computer: import the key of the old one, or let the trigger start over",
)
const UNEXPECTED = say('Something unexpected happened; the log has the details')
const NO_NOTE = { note: null }
const STATES = { active: say('not ready'), draft: say('draft'), paused: say('paused') } as const
const LONGEST_MESSAGE = 1_000
/** What a trigger reads unless it names an entry. */
const WHOLE_LOOK = ''
const DEADLY = say(
  'Millrace stopped unexpectedly twice while this trigger was looking, so it no longer looks by itself; check now to try again',
)
/** Between two first looks during which the program may die. */
const ALONE_MS = 10_000
/** Of one flow. Each can come with a file of an email's size. */
const MOST_SET_ASIDE = 20
const LOOK_EVERY_MS = 15_000
const SHORTEST_WAIT_MS = 5
