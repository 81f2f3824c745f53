import { type Said, quoted } from '../../../../shared/contract/base/message.ts'
import type { RunTrigger } from '../../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { ListeningState } from '../../reaching/mailboxes/watch-mailbox.ts'
import type { Data } from '@millrace/jinja/data'
import type { Suspect } from '../../../store/index.ts'
import type { PendingFile } from '../../keeping/files/files.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'

/**
 * Finds new entries for one type of trigger. It only reads; its findings and its progress are stored together with the
 * runs.
 */
export interface TriggerKind {
  readonly runTrigger: RunTrigger
  /** The values that determine what the trigger watches; if they change, it starts over. */
  identity(config: Step['config']): unknown
  everyMs(config: Step['config']): number
  /** @throws AppError saying why it can't check now */
  check(check: TriggerCheck): Promise<Finding>
  /** Whether it also checks at each start of Millrace. */
  readonly looksAtStart?: boolean
  /** Watches for signs of new entries between the checks, until it is closed. */
  watch?(flowId: string, config: Step['config'], signals: WatchSignals): Watch
  /** A note about the state for the user. */
  readonly noteOf?: (state: Data) => Said | null
}

export interface WatchSignals {
  /** Called if there may be new entries before the next check. */
  readonly onSign: () => void
  /** Called if `listening` may have changed. */
  readonly onChange: () => void
}

export interface Watch {
  /** The state of its connection, if it watches another computer. */
  listening?(): ListeningState
  close(): void
}

export interface TriggerCheck {
  readonly flow: RunnableFlow
  /** Reference name of the trigger. */
  readonly refId: string
  readonly config: Step['config']
  /** True if no check has succeeded yet. */
  readonly isFirst: boolean
  /** The state from the last finding; null at the beginning. */
  readonly state: Data
  readonly isKnown: (id: string) => boolean
  /** Entries during whose reading Millrace died, and those that were set aside, by `item`. */
  readonly suspects: ReadonlyMap<string, Suspect>
  /** Call before reading an entry that could make Millrace die, so that it isn't read a third time. */
  readonly noteReading: (item: string) => Promise<void>
  readonly signal: AbortSignal
}

/** Millrace has died twice while reading the entry, which may be the cause. */
export const isDeadly = ({ deaths }: Pick<Suspect, 'deaths'>) => deaths >= 2

/** An entry that doesn't start a run, because it can't be read. */
export interface SetAside {
  readonly item: string
  /** A title by which the user recognizes it. */
  readonly title: string
  readonly reason: Said
  /** Its content, if there is one. */
  readonly file?: { readonly content: PendingFile; readonly filename: string; readonly contentType: string }
}

export interface Finding {
  /** IDs of entries that exist but start no runs; they are known from now on. */
  readonly seen: readonly string[]
  /** Runs to start, in order. */
  readonly starts: readonly TriggerStart[]
  /** The trigger's progress, once all of this is stored. */
  readonly state: Data
  readonly setAside?: readonly SetAside[]
  /** Suspects that were read, or no longer exist. */
  readonly cleared?: readonly string[]
  /** Milliseconds until the next check, if it is sooner than usual because something isn't complete yet. */
  readonly againMs?: number | undefined
}

export interface TriggerStart {
  /** Entries that are known from now on. */
  readonly ids: readonly string[]
  readonly input: Data
  /** IDs of stored files that the run keeps. */
  readonly files?: readonly string[]
  /** The trigger's progress with this start. */
  readonly state: Data
}

/** A sentence in the state; earlier versions stored only its text. */
export function storedSentence(value: Data | undefined): Said | null {
  if (typeof value === 'string') return quoted(value)
  return (value ?? null) as unknown as Said | null
}
