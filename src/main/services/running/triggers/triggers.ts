/**
 * Starts active flows for the list entries, files and emails that their triggers find. A trigger's progress is stored
 * together with the runs it starts, so each entry starts exactly one.
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
import { STEP_CONFIGS, type StepType, triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { parseJson, writeJson } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import { SecretUnreadableError, type Store, StoreWriteError, type TriggerName } from '../../../store/index.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import { newRun } from '../execution/run-executor.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import type { Log } from '../../kit/ports.ts'
import type { AcceptedRun, RunQueue } from '../runs/queue.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { renamedTo, requireTrigger } from '../../kit/trigger-names.ts'
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
  /**
   * Runs all checks that are due now, and resolves when the results are stored. Called automatically as time passes.
   */
  look(): Promise<void>
  /**
   * @param refId Reference name of the trigger; defaults to the first that looks for something new
   * @throws AppError `not_found`, `validation` if the flow has no such trigger
   */
  read(flowId: string, refId?: string): FlowTrigger
  /**
   * Checks now.
   *
   * @throws AppError like `read`, and `conflict` if the flow isn't active
   */
  check(flowId: string, refId?: string): Promise<FlowTrigger>
  /** Forgets all known entries and checks at once, as if for the first time. Throws like `check`. */
  restart(flowId: string, refId?: string): Promise<FlowTrigger>
  /** Reads entries that were set aside once more. Throws like `check`. */
  retry(flowId: string, refId?: string): Promise<FlowTrigger>
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
  /** Called inside the write that stores the outcome of a check; null if it worked. */
  readonly onChecked: (flowId: string, failure: CheckFailure | null) => void
}

export type TriggerKinds = { readonly [T in StepType]?: TriggerKind }

export interface CheckFailure {
  readonly message: string
  /** Number of failures in a row, including this one. */
  readonly count: number
}

/** An active trigger. */
interface Armed {
  readonly name: TriggerName
  readonly kind: TriggerKind
  readonly fingerprint: string
  config: Step['config']
  next: number
  checking: Promise<void> | null
  /** Set if there may be new entries since the check began. */
  isSigned: boolean
  /** Set if a user requested a check, whatever earlier checks returned. */
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
  /** Active triggers, by flow. */
  readonly #armed = new Map<string, readonly Armed[]>()
  #isRunning = false
  #timer: NodeJS.Timeout | undefined
  #arming: Promise<void> = Promise.resolve()
  #checks = 0
  /** Number of triggers whose first check is delayed. */
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
      if (lookingIn(flow, kinds).length > 0) await this.#armInTurn(flow.id)
    this.#schedule()
  }

  stop(): void {
    this.#isRunning = false
    clearTimeout(this.#timer)
    for (const entry of this.#all()) {
      entry.controller.abort()
      entry.watch?.close()
    }
  }

  async look(): Promise<void> {
    await this.#arming
    this.#startDue()
    await Promise.all(this.#all().flatMap(({ checking }) => checking ?? []))
  }

  #all(): Armed[] {
    return [...this.#armed.values()].flat()
  }

  #find(flowId: string, refId: string): Armed | undefined {
    return this.#armed.get(flowId)?.find(({ name }) => name.refId === refId)
  }

  read(flowId: string, refId?: string): FlowTrigger {
    const { store, kinds } = this.#options
    const flow = requireFlow(store, flowId)
    const found = triggerIn(flow, kinds, refId)
    const type = found?.step.type ?? null
    const name = { flowId, refId: found?.step.ref_id ?? '' }
    const entry = this.#find(flowId, name.refId)
    const known = type === null ? null : store.triggers.get(name)
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
      ...(type === null || known === null ? NO_NOTE : this.#noteOf(name, type)),
      set_aside: type === null ? [] : this.#setAsideOf(name),
    }
  }

  #setAsideOf(name: TriggerName): FlowTrigger['set_aside'] {
    const { store } = this.#options
    return store.triggerSuspects.of(name).flatMap(({ item, state, at }) => {
      if (state !== 'set_aside' || item === WHOLE_LOOK) return []
      const { title = '', reason = UNREADABLE, file_id = null } = this.#detailsOf(name, item)
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

  #noteOf(name: TriggerName, type: string): Pick<FlowTrigger, 'note'> & Spoken {
    const { kinds, store } = this.#options
    const noteOf = kinds[type as StepType]?.noteOf
    if (noteOf === undefined) return NO_NOTE
    const state = orNull(() => store.triggers.state(name))
    const note = state === null ? null : noteOf(parseJson(state))
    if (note === null) return NO_NOTE
    const { message, [SAID]: said } = this.#redacted(note)
    return { note: message, [SAID]: said }
  }

  async check(flowId: string, refId?: string): Promise<FlowTrigger> {
    const entry = await this.#requireArmed(flowId, refId)
    // A check in progress may have read its data before the caller's change.
    await entry.checking
    entry.isAsked = true
    await (entry.checking ?? this.#begin(entry))
    return this.read(flowId, refId)
  }

  async retry(flowId: string, refId?: string): Promise<FlowTrigger> {
    const { store } = this.#options
    const { name } = await this.#requireArmed(flowId, refId)
    await store.write(() => store.triggerSuspects.retry(name))
    return this.check(flowId, refId)
  }

  async restart(flowId: string, refId?: string): Promise<FlowTrigger> {
    const { store, clock } = this.#options
    const entry = await this.#requireArmed(flowId, refId)
    this.#disarm(entry)
    await entry.checking
    await store.write(() => store.triggers.begin(entry.name, entry.fingerprint, clock.now()))
    await this.#armInTurn(flowId)
    return this.check(flowId, refId)
  }

  async #requireArmed(flowId: string, refId: string | undefined): Promise<Armed> {
    const { store, kinds } = this.#options
    const flow = requireFlow(store, flowId)
    await this.#arming
    const found = triggerIn(flow, kinds, refId)
    const entry = found === null ? undefined : this.#find(flowId, found.step.ref_id)
    if (entry !== undefined) return entry
    const reason =
      found === null
        ? say("doesn't begin with a trigger that looks for something new")
        : say('is {{state}}; its trigger only looks while it is active', { state: STATES[flow.status] })
    throw new AppError('conflict', say('The flow "{{name}}" {{reason}}', { name: flow.name, reason }))
  }

  /** Handles one flow after another, so that an older state of a flow never wins. */
  #armInTurn(flowId: string): Promise<void> {
    const { log } = this.#options
    this.#arming = this.#arming
      .then(() => this.#arm(flowId))
      .catch((error: unknown) => log.error({ err: error, flowId }, "The trigger of a flow can't be applied"))
    return this.#arming
  }

  /** Activates or deactivates the flow's triggers. A trigger that was active continues where it was. */
  async #arm(flowId: string): Promise<void> {
    const { store, kinds } = this.#options
    const flow = store.flows.get(flowId)
    const looking = flow?.status === 'active' ? lookingIn(flow, kinds) : []
    const refs = new Set(looking.map(({ step }) => step.ref_id))
    for (const before of this.#armed.get(flowId) ?? []) if (!refs.has(before.name.refId)) this.#disarm(before)
    if (flow !== null && looking.length > 0) await this.#settleNames(flow)
    for (const one of looking) await this.#armOne({ flowId, refId: one.step.ref_id }, one)
    this.#schedule()
  }

  /** A step that was renamed keeps its state; the state of deleted steps is removed. */
  async #settleNames({ id: flowId, steps }: Flow): Promise<void> {
    const { store } = this.#options
    const refs = triggersOf(steps).map(({ ref_id: ref }) => ref)
    const known = store.triggers.refsOf(flowId)
    const gone = known.filter((ref) => !refs.includes(ref))
    if (gone.length === 0) return
    const looking = lookingIn({ steps }, this.#options.kinds).map(({ step }) => step.ref_id)
    const to = renamedTo(
      gone,
      looking.filter((ref) => !known.includes(ref)),
    )
    await store.write(() => {
      for (const refId of gone)
        if (to === null) store.triggers.remove({ flowId, refId })
        else store.triggers.rename({ flowId, refId }, to)
    })
  }

  async #armOne(name: TriggerName, { kind, step: { type, config } }: Looking): Promise<void> {
    const { store, clock } = this.#options
    const fingerprint = JSON.stringify([type, kind.identity(config)])
    const now = clock.now()
    const before = this.#find(name.flowId, name.refId)
    if (before?.fingerprint === fingerprint) {
      before.config = config
      before.next = Math.min(before.next, now + kind.everyMs(config))
      return
    }
    if (before) this.#disarm(before)
    const known = store.triggers.get(name)
    const goesOn = known?.fingerprint === fingerprint
    if (!goesOn) await store.write(() => store.triggers.begin(name, fingerprint, now))
    if (!this.#isRunning) return
    // If the clock was set back, the stored time can be far in the future.
    const isLater = goesOn && kind.looksAtStart !== true
    const soonest = isLater ? Math.min(known.nextAt, now + kind.everyMs(config)) : now
    const next = goesOn ? Math.max(soonest, this.#suspectedUntil(name, now)) : soonest
    const controller = new AbortController()
    const fresh: Armed = {
      name,
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
    this.#armed.set(name.flowId, [...(this.#armed.get(name.flowId) ?? []), fresh])
    this.#watch(fresh)
    this.#announce(name)
  }

  /**
   * The time at which the first check may begin. If Millrace may have died during a check of this trigger, it waits
   * until Millrace is up and no other such check runs.
   */
  #suspectedUntil(name: TriggerName, now: number): number {
    const isSuspect = this.#options.store.triggerSuspects.of(name).some(({ deaths }) => deaths > 0)
    return isSuspect ? now + ++this.#suspected * ALONE_MS : now
  }

  #watch(entry: Armed): void {
    entry.watch =
      entry.kind.watch?.(entry.name.flowId, entry.config, {
        onSign: () => this.#sign(entry),
        onChange: () => this.#announce(entry.name),
      }) ?? null
  }

  #sign(entry: Armed): void {
    entry.isSigned = true
    if (entry.checking !== null) return
    // A failing trigger keeps its pauses, unless the sign shows that its connection works again.
    const isFailing = (this.#options.store.triggers.get(entry.name)?.failures ?? 0) > 0
    if (!isFailing || entry.watch?.listening?.().connected === true)
      entry.next = Math.min(entry.next, this.#options.clock.now())
    this.#schedule()
  }

  #disarm(entry: Armed): void {
    entry.watch?.close()
    const { flowId } = entry.name
    const others = this.#armed.get(flowId)?.filter((one) => one !== entry) ?? []
    if (others.length > 0) this.#armed.set(flowId, others)
    else this.#armed.delete(flowId)
    entry.controller.abort()
    this.#announce(entry.name)
  }

  /** The wall clock can jump, and timers stop while the machine sleeps, so this checks regularly. */
  #schedule(): void {
    clearTimeout(this.#timer)
    if (!this.#isRunning || this.#armed.size === 0) return
    const now = this.#options.clock.now()
    const waiting = this.#all().filter(({ checking }) => checking === null)
    const wait = Math.min(...waiting.map(({ next }) => next - now))
    this.#timer = setTimeout(
      () => this.#startDue(),
      Math.min(Math.max(wait, SHORTEST_WAIT_MS), LOOK_EVERY_MS),
    )
  }

  #startDue(): void {
    const now = this.#options.clock.now()
    for (const entry of this.#all()) {
      if (this.#checks >= MOST_CHECKS || !this.#isRunning) break
      // A time too far in the future was set while the clock was ahead.
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
        this.#announce(entry.name)
        if (this.#isRunning) this.#startDue()
      })
    this.#announce(entry.name)
    return entry.checking
  }

  #announce({ flowId }: TriggerName): void {
    this.#options.events.emit({ type: 'updated', noun: 'flow_trigger', id: flowId })
  }

  async #check(entry: Armed): Promise<void> {
    const { store, runnable } = this.#options
    const { name, kind, config, controller } = entry
    const flow = runnable.get(name.flowId)
    const progress = store.triggers.get(name)
    if (flow === null || flow.status !== 'active' || progress === null) return
    const suspects = new Map(store.triggerSuspects.of(name).map((one) => [one.item, one]))
    const look = suspects.get(WHOLE_LOOK)
    const isAsked = entry.isAsked
    entry.isAsked = false
    if (look !== undefined && isDeadly(look) && !isAsked) throw new AppError('conflict', DEADLY)
    const noteReading = (item: string) => store.write(() => store.triggerSuspects.noteReading(name, item))
    await noteReading(WHOLE_LOOK)
    const state = store.triggers.state(name)
    const finding = await kind.check({
      flow,
      refId: name.refId,
      config,
      isFirst: !progress.isStarted,
      state: state === null ? null : parseJson(state),
      isKnown: (id) => store.triggers.isKnown(name, id),
      suspects,
      noteReading,
      signal: controller.signal,
    })
    await this.#store(entry, flow, finding, state)
  }

  /**
   * Each part is complete in itself. A crash in between leaves entries that the next check finds again, because
   * progress only counts up to the stored part.
   */
  async #store(
    entry: Armed,
    flow: RunnableFlow,
    { seen, starts, state, againMs, setAside = [], cleared = [] }: Finding,
    before: string | null,
  ): Promise<void> {
    const { store, clock } = this.#options
    const { name, kind } = entry
    for (const { file } of setAside) await file?.content.keep()
    const seenParts = partsOf(seen, SEEN_AT_ONCE)
    const startParts = partsOf(starts, starts.some(({ ids }) => ids.length > 1) ? 1 : STARTS_AT_ONCE)
    const finish = () => {
      const now = clock.now()
      const usualMs = kind.everyMs(entry.config)
      entry.next = now + (entry.isSigned ? 0 : Math.min(againMs ?? usualMs, usualMs))
      const text = writeJson(state)
      if (text !== before || starts.length > 0) store.triggers.saveState(name, text)
      store.triggers.prune(name, now)
      store.triggerSuspects.noteReading(name, null)
      for (const item of [WHOLE_LOOK, ...cleared]) {
        this.#dropFile(name, item)
        store.triggerSuspects.remove(name, item)
      }
      for (const one of setAside) this.#setAside(name, one, now)
      store.triggers.noteChecked(name, now, entry.next)
      if (!this.#doOthersFail(entry)) this.#options.onChecked(name.flowId, null)
    }
    for (const [index, ids] of seenParts.entries()) {
      const isLast = startParts.length === 0 && index === seenParts.length - 1
      await store.write(() => {
        this.#requireActive(entry)
        store.triggers.see(name, ids, clock.now())
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

  /** Keeps only the newest entries, because whoever sends them determines how many can't be read. */
  #setAside(name: TriggerName, { item, title, reason, file }: SetAside, now: number): void {
    const { store, log } = this.#options
    log.warn(
      { flowId: name.flowId, item, reason: englishOf(reason) },
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
    this.#dropFile(name, item)
    store.triggerSuspects.setAside(name, item, JSON.stringify(details), now)
    const kept = store.triggerSuspects.of(name).filter(({ state }) => state === 'set_aside')
    for (const { item: oldest } of kept.slice(MOST_SET_ASIDE)) {
      this.#dropFile(name, oldest)
      store.triggerSuspects.remove(name, oldest)
    }
  }

  /** The file's content is deleted later, with other files that have no owner. */
  #dropFile(name: TriggerName, item: string): void {
    const { store } = this.#options
    const { file_id: fileId } = this.#detailsOf(name, item)
    if (fileId) store.fileUploads.delete(fileId)
  }

  #detailsOf(name: TriggerName, item: string): Partial<SetAsideDetails> {
    const stored = orNull(() => this.#options.store.triggerSuspects.details(name, item))
    return stored === null ? {} : (JSON.parse(stored) as SetAsideDetails)
  }

  async #startRuns(
    entry: Armed,
    flow: RunnableFlow,
    starts: readonly TriggerStart[],
    finish: (() => void) | null,
  ): Promise<void> {
    const { store, queue, clock } = this.#options
    const { name, kind } = entry
    const now = clock.now()
    const at = new Date(now).toISOString()
    const runs = starts.map(({ input }): AcceptedRun => {
      const run = newRun(
        flow,
        { id: store.flowRuns.newId(), trigger: kind.runTrigger, trigger_ref: name.refId },
        at,
      )
      return { flow, run: { ...run, status: 'queued', started_at: null }, start: { input, webhook: null } }
    })
    for (const [index, { files = [] }] of starts.entries()) {
      const id = runs[index]?.run.id
      if (files.length > 0 && id !== undefined) await this.#options.files.assign(files, id)
    }
    await queue.acceptAll(runs, () => {
      this.#requireActive(entry)
      const ids = starts.flatMap((start) => start.ids)
      store.triggers.see(name, ids, now)
      store.triggers.noteFound(name, ids.length, now)
      store.triggers.saveState(name, writeJson(starts.at(-1)?.state ?? null))
      finish?.()
    })
  }

  /** The flow can have been paused or changed since the check began. */
  #requireActive({ name, fingerprint, controller }: Armed): void {
    const isSame = this.#options.store.triggers.get(name)?.fingerprint === fingerprint
    if (controller.signal.aborted || !isSame) throw new NoLongerActive()
  }

  /** Whether other triggers of the flow fail. If so, this trigger's success doesn't mean that the flow works again. */
  #doOthersFail(entry: Armed): boolean {
    const { triggers } = this.#options.store
    const others = this.#armed.get(entry.name.flowId)?.filter((one) => one !== entry) ?? []
    return others.some(({ name }) => (triggers.get(name)?.failures ?? 0) > 0)
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
    const { name } = entry
    const { flowId } = name
    if (error instanceof NoLongerActive || entry.controller.signal.aborted) {
      await store.write(() => store.triggerSuspects.noteReading(name, null)).catch(() => undefined)
      return
    }
    const reason = reasonOf(error)
    if (reason === null) log.error({ err: error, flowId }, 'The check of a trigger failed unexpectedly')
    const shown = this.#shown(error)
    const now = clock.now()
    const count = (store.triggers.get(name)?.failures ?? 0) + 1
    entry.next = now + pauseAfter(count)
    try {
      await store.write(() => {
        this.#requireActive(entry)
        store.triggerSuspects.noteReading(name, null)
        store.triggers.noteFailed(name, withSaid({ ...shown, at: now }), entry.next)
        onChecked(flowId, { message: shown.message, count })
      })
    } catch (cause) {
      if (!(cause instanceof NoLongerActive))
        log.error({ err: cause, flowId }, "The failure of a trigger's check can't be stored")
    }
  }
}

class NoLongerActive extends Error {}

/** The stored details of an entry that was set aside. */
interface SetAsideDetails {
  readonly title: string
  /** A string if an earlier version stored it. */
  readonly reason: Said | string
  readonly file_id: string | null
}

/** Null if it can't be decrypted here. */
function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof SecretUnreadableError) return null
    throw error
  }
}

/** Null for a bug. */
function reasonOf(error: unknown): Said | null {
  if (error instanceof AppError || error instanceof StoreWriteError) return sentenceOf(error)
  return error instanceof SecretUnreadableError ? UNREADABLE : null
}

interface Looking {
  readonly step: Step
  readonly kind: TriggerKind
}

/** The triggers of a flow that look for something new and can. */
function lookingIn({ steps }: Pick<Flow, 'steps'>, kinds: TriggerKinds): readonly Looking[] {
  return triggersOf(steps).flatMap((step) => {
    const kind = step.disabled ? undefined : kinds[step.type as StepType]
    if (kind === undefined) return []
    return STEP_CONFIGS[step.type as StepType].safeParse(step.config).success ? [{ step, kind }] : []
  })
}

/** @throws AppError `validation` if the flow has no trigger of that name */
function triggerIn(flow: Flow, kinds: TriggerKinds, refId: string | undefined): Looking | null {
  const looking = lookingIn(flow, kinds)
  if (refId === undefined) return looking[0] ?? null
  requireTrigger(flow, refId)
  return looking.find(({ step }) => step.ref_id === refId) ?? null
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
/** Maximum number of checks at a time, so that a start with many flows doesn't call all APIs at once. */
const MOST_CHECKS = 4
/** A commit with more would block the event loop for too long. */
const STARTS_AT_ONCE = 100
const SEEN_AT_ONCE = 2_000
const UNREADABLE = say(
  "The trigger's position can't be decrypted on this computer: import the old computer's key, or let the trigger start over",
)
const UNEXPECTED = say('Something unexpected happened; the log has the details')
const NO_NOTE = { note: null }
const STATES = { active: say('not ready'), draft: say('draft'), paused: say('paused') } as const
const LONGEST_MESSAGE = 1_000
/** Stands for everything that a trigger reads, if it doesn't name an entry. */
const WHOLE_LOOK = ''
const DEADLY = say(
  'Millrace stopped unexpectedly twice while this trigger was checking, so it no longer checks automatically; check now to try again',
)
/** Time between two first checks during which Millrace may die. */
const ALONE_MS = 10_000
/** Limit per flow. Each can have a file of an email's size. */
const MOST_SET_ASIDE = 20
const LOOK_EVERY_MS = 15_000
const SHORTEST_WAIT_MS = 5
