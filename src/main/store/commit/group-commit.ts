/** Group commit: writes that follow each other closely share one transaction and one sync to the disk. */
import type { Database } from 'better-sqlite3'
import { StoreWriteError } from '../sql/errors.ts'
import { type CommitHook, createCommit, type DiskSpace, type QueuedWrite, type Settle } from './commit.ts'

export interface Writer {
  /**
   * Queues `work` for the next commit, which happens after the first event loop iteration that adds nothing. The
   * promise settles once the commit is on the disk and resolves to the return value of `work`. Work runs in the order
   * it was queued and must be synchronous. If one throws, only that one rejects; the others in its group are rolled
   * back and run again, so work must not do anything but use the store. If the commit itself fails, the whole group
   * rejects with a `StoreWriteError`.
   */
  readonly write: <T>(work: () => T) => Promise<T>
  /**
   * The same for work that doesn't need any stored data, so the writer thread can do it, before all other work. If it
   * reads after all, or if one of its statements fails, it runs on the main thread like any other.
   *
   * @param bytes roughly how much memory it takes until it is written
   */
  readonly append: (work: () => void, bytes: number) => Promise<void>
  /** Commits the queue and then `work`, synchronously; waits for the thread if it is writing. */
  readonly writeNow: <T>(work: () => T) => T
  /** Runs `work` while the thread is not writing, after it has finished. */
  readonly withoutThread: <T>(work: () => T | Promise<T>) => Promise<T>
  /** Runs `work` at once; waits for the thread if it is writing. */
  readonly nowWithoutThread: <T>(work: () => T) => T
  /** Commits the queue and the writes of the hooks; later writes are rejected. */
  readonly close: () => void
}

export interface WriterOptions {
  readonly hooks?: readonly CommitHook[]
  readonly space?: DiskSpace
  /** Runs after each group, once its callers have their results. */
  readonly afterCommit?: () => void
  readonly thread?: AppendThread | null
  /** Monotonic clock in milliseconds; defaults to the machine's. */
  readonly monotonic?: () => number
}

/** The outcome of a group on the thread: `again` if nothing is stored and the main thread should try the group. */
export type ThreadOutcome = 'durable' | 'again' | StoreWriteError

/** A thread that performs groups of work that only adds rows, one at a time. */
export interface AppendThread {
  /** False if the thread isn't ready or can't do all of the work; then nothing is sent. */
  readonly send: (works: readonly (() => void)[], onDone: (outcome: ThreadOutcome) => void) => boolean
  /** Blocks until the thread has called back. */
  readonly settle: () => void
  /** Reports that a group took this long on the main thread, because the thread would be useful for such groups. */
  readonly recommend: (works: number, tookMs: number) => void
  /** Moves the log into the database; false if the thread isn't running. */
  readonly moveLog: () => boolean
  /** Returns once its connection is closed. */
  readonly close: () => void
}

/** A larger group would block the event loop for too long; the rest goes into the next iteration. */
const LARGEST_GROUP = 512
const systemMonotonic = () => performance.now()
/** Fewer appends than this share a commit with the other writes. */
const FROM_MIXED = 4
/** Counted from the first write of a group, because a single iteration can do a lot of other work. */
const LONGEST_WAIT_MS = 1
/** Longest wait for callers, as a share of the time that the last batch took. */
const SHARE_OF_WAIT = 0.5
const LONGEST_PATIENCE_MS = 5
/** The same limit as for bodies that are arriving. */
const MOST_WAITING_BYTES = 268_435_456
const UNLIMITED_SPACE: DiskSpace = { isShort: () => false, noteFailure: () => {}, clearLog: () => {} }

export function createWriter(
  db: Database,
  {
    hooks = [],
    space = UNLIMITED_SPACE,
    afterCommit = () => {},
    thread = null,
    monotonic = systemMonotonic,
  }: WriterOptions = {},
): Writer {
  const commit = createCommit(db, { hooks, space })
  const appends: QueuedWrite[] = []
  const writes: QueuedWrite[] = []
  let queued = 0
  /** Other writes have waited for the thread, so they are next. */
  let isTheirTurn = false
  let isScheduled = false
  let isClosed = false
  /** Set while the thread is writing, when nobody else may write until it calls back. */
  let isAway = false
  let holds = 0
  const whenBack: (() => void)[] = []
  let waitingBytes = 0
  let sentAt = 0
  /** Set while the next batch waits for the callers of the last one, who usually write again. */
  let patience: NodeJS.Timeout | null = null
  let expected = 0

  const waiting = () => appends.length + writes.length

  /**
   * Waits another iteration as long as each adds writes, because half as many commits then carry twice as much each.
   */
  function schedule(seen: number, since: number): void {
    isScheduled = true
    setImmediate(() => {
      const isGrowing = waiting() > seen && waiting() < LARGEST_GROUP
      if (isGrowing && monotonic() - since < LONGEST_WAIT_MS) {
        schedule(waiting(), since)
        return
      }
      isScheduled = false
      if (isAway || waiting() === 0) return
      if (isTheirTurn) commitHere(takeWrites(LARGEST_GROUP))
      else if (!sendAway()) commitHere(takeGroup())
      isTheirTurn = isAway && writes.length > 0
      goOn()
    })
  }

  function goOn(since = -Infinity): void {
    if (waiting() > 0 && !isAway && !isScheduled) schedule(waiting() - 1, since)
  }

  /** Work that only adds rows goes first, as it does if the thread performs it. */
  function takeGroup(): QueuedWrite[] {
    const group = appends.splice(0, LARGEST_GROUP)
    return [...group, ...takeWrites(LARGEST_GROUP - group.length)]
  }

  /** Doesn't take anything that was queued after the next append. */
  function takeWrites(most: number): QueuedWrite[] {
    const until = appends[0]?.order ?? Infinity
    const left = writes.findIndex(({ order }) => order > until)
    return writes.splice(0, Math.min(most, left === -1 ? writes.length : left))
  }

  /** On a slow disk, one batch for all callers is faster than two batches that take turns. */
  function goOnWith(answered: number, tookMs: number): void {
    const waitMs = Math.min(tookMs * SHARE_OF_WAIT, LONGEST_PATIENCE_MS)
    if (waitMs < 1 || isTheirTurn) return goOn(monotonic())
    expected = waiting() + answered
    patience = setTimeout(endPatience, waitMs)
  }

  function endPatience(): void {
    if (patience === null) return
    clearTimeout(patience)
    patience = null
    goOn(monotonic())
  }

  function commitHere(group: readonly QueuedWrite[]): void {
    if (group.length === 0) return
    const began = monotonic()
    settleAll(group, commit.perform(group))
    const appended = group.filter((one) => one.appended !== null).length
    if (appended > 0) thread?.recommend(appended, monotonic() - began)
    // The callers' own code runs first, so that their responses are sent before the next commit.
    setImmediate(() => {
      if (!isAway) afterCommit()
    })
  }

  /** A second commit for the other writes is only worthwhile if it relieves the main thread considerably. */
  function sendAway(): boolean {
    endPatience()
    if (thread === null || holds > 0 || space.isShort()) return false
    if (appends.length < (writes.length > 0 ? FROM_MIXED : 1)) return false
    if (hooks.some((hook) => hook.needsMainThread?.() === true)) return false
    const group = appends.slice(0, LARGEST_GROUP)
    const works = [...group.map(({ work }) => work), ...hooks.map(({ writeInCommit }) => writeInCommit)]
    sentAt = monotonic()
    isAway = thread.send(works, (outcome) => takeBack(group, outcome))
    if (isAway) appends.splice(0, group.length)
    return isAway
  }

  function takeBack(group: readonly QueuedWrite[], outcome: ThreadOutcome): void {
    isAway = false
    if (outcome === 'again') commitHere(group)
    else if (outcome === 'durable') {
      for (const { onCommitted } of hooks) onCommitted()
      settleAll(
        group,
        group.map((queued) => () => queued.resolve(undefined as never)),
      )
    } else settleAll(group, commit.refuse(group, outcome))
    for (const go of whenBack.splice(0)) go()
    goOnWith(group.length, monotonic() - sentAt)
  }

  function settleAll(group: readonly QueuedWrite[], settles: readonly Settle[]): void {
    for (const { appended } of group) waitingBytes -= appended ?? 0
    for (const settle of settles) settle()
  }

  /** Takes the file back from the thread. */
  function settleThread(): void {
    if (isAway) thread?.settle()
  }

  function enqueue<T>(work: () => T, appended: number | null): Promise<T> {
    if (isClosed) return Promise.reject(new StoreWriteError('closed'))
    return new Promise((resolve, reject) => {
      const isWrite = appended === null
      ;(isWrite ? writes : appends).push({ work, appended, order: queued++, resolve, reject })
      if (patience !== null) {
        if (waiting() >= expected || isWrite) endPatience()
      } else if (!isScheduled && !isAway) schedule(0, monotonic())
    })
  }

  return {
    write: (work) => enqueue(work, null),
    append(work, bytes) {
      if (isClosed) return Promise.reject(new StoreWriteError('closed'))
      if (waitingBytes > 0 && waitingBytes + bytes > MOST_WAITING_BYTES)
        return Promise.reject(new StoreWriteError('slow'))
      waitingBytes += bytes
      return enqueue(work, bytes)
    },
    writeNow<T>(work: () => T): T {
      if (isClosed) throw new StoreWriteError('closed')
      if (db.inTransaction) throw new Error('writeNow was called inside the work of another write')
      const outcome: { value?: T; error?: unknown; failed: boolean } = { failed: false }
      settleThread()
      writes.push({ work, appended: null, order: queued++, ...keepIn(outcome) })
      commitHere([...appends.splice(0), ...writes.splice(0)])
      if (outcome.failed) throw outcome.error
      return outcome.value as T
    },
    async withoutThread(work) {
      holds++
      try {
        if (isAway) await new Promise<void>((resolve) => whenBack.push(resolve))
        return await work()
      } finally {
        holds--
      }
    },
    nowWithoutThread(work) {
      settleThread()
      return work()
    },
    close() {
      settleThread()
      thread?.close()
      writes.push({ work: () => {}, appended: null, order: queued++, resolve: () => {}, reject: () => {} })
      commitHere([...appends.splice(0), ...writes.splice(0)])
      isClosed = true
    },
  }
}

function keepIn(outcome: {
  value?: unknown
  error?: unknown
  failed: boolean
}): Pick<QueuedWrite, 'resolve' | 'reject'> {
  return {
    resolve(value) {
      outcome.value = value
    },
    reject(error) {
      outcome.failed = true
      outcome.error = error
    },
  }
}

interface WriteHealth {
  /** False from a failed commit until the next successful one. */
  readonly isWell: () => boolean
  readonly noteFailure: () => void
  /** Notified of each commit that reached the disk. */
  readonly commitHook: CommitHook
  readonly close: () => void
}

/** @param tryWrite writes a little; called now and then while commits fail, so that an idle program recovers too */
export function createWriteHealth(tryWrite: () => void, tryEveryMs = TRY_EVERY_MS): WriteHealth {
  let timer: NodeJS.Timeout | null = null
  const stop = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  return {
    isWell: () => timer === null,
    noteFailure() {
      timer ??= setInterval(tryWrite, tryEveryMs).unref()
    },
    commitHook: { writeInCommit: () => {}, onCommitted: stop },
    close: stop,
  }
}

const TRY_EVERY_MS = 2_000
