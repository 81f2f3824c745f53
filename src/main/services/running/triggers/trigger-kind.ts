import { type Said, quoted } from '../../../../shared/contract/base/message.ts'
import type { RunTrigger } from '../../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { ListeningState } from '../../reaching/mailboxes/watch-mailbox.ts'
import type { Data } from '@millrace/jinja/data'
import type { Suspect } from '../../../store/index.ts'
import type { PendingFile } from '../../keeping/files/files.ts'
import type { RunnableFlow } from '../execution/runnable-flows.ts'

/**
 * How one type of trigger finds what is new. It only reads: what it found, and how far it has read, are stored together
 * with the runs.
 */
export interface TriggerKind {
  readonly runTrigger: RunTrigger
  /** What it looks at, as values: if they change, it starts over. */
  identity(config: Step['config']): unknown
  everyMs(config: Step['config']): number
  /** @throws AppError saying why it can't look now */
  check(check: TriggerCheck): Promise<Finding>
  /** Whether it also looks at each start of the program. */
  readonly looksAtStart?: boolean
  /** Looks out for signs in between the looks, until it is closed. */
  watch?(flowId: string, config: Step['config'], signals: WatchSignals): Watch
  /** What the user should know of the state, as a sentence. */
  readonly noteOf?: (state: Data) => Said | null
}

export interface WatchSignals {
  /** Something may be new before the next look. */
  readonly onSign: () => void
  /** Whether it can listen has changed. */
  readonly onChange: () => void
}

export interface Watch {
  /** Whether it is connected, if it watches something on another computer. */
  listening?(): ListeningState
  close(): void
}

export interface TriggerCheck {
  readonly flow: RunnableFlow
  /** Reference name of the trigger. */
  readonly refId: string
  readonly config: Step['config']
  /** No check has ended without an error yet. */
  readonly isFirst: boolean
  /** From the last finding; null at the beginning. */
  readonly state: Data
  readonly isKnown: (id: string) => boolean
  /** Entries during which the program died, and those that were set aside, by `item`. */
  readonly suspects: ReadonlyMap<string, Suspect>
  /** Call before an entry is read that could make the program die: it isn't read a third time then. */
  readonly noteReading: (item: string) => Promise<void>
  readonly signal: AbortSignal
}

/** The program has died while it was read: it may be why, or not. */
export const isDeadly = ({ deaths }: Pick<Suspect, 'deaths'>) => deaths >= 2

/** An entry that starts no run, since it can't be read. */
export interface SetAside {
  readonly item: string
  /** How the user recognizes it. */
  readonly title: string
  readonly reason: Said
  /** Its content, if there is one. */
  readonly file?: { readonly content: PendingFile; readonly filename: string; readonly contentType: string }
}

export interface Finding {
  /** IDs of entries that are there and start no runs: known from now on. */
  readonly seen: readonly string[]
  /** Runs to start, in order. */
  readonly starts: readonly TriggerStart[]
  /** How far it has read, once all of this is stored. */
  readonly state: Data
  readonly setAside?: readonly SetAside[]
  /** Suspects that were taken in, or are gone. */
  readonly cleared?: readonly string[]
  /** Milliseconds until it looks again, if that is sooner than usual: something isn't complete yet. */
  readonly againMs?: number | undefined
}

export interface TriggerStart {
  /** Entries that are known from now on. */
  readonly ids: readonly string[]
  readonly input: Data
  /** IDs of stored files that the run keeps. */
  readonly files?: readonly string[]
  /** How far it has read with this start. */
  readonly state: Data
}

/** A sentence in the state; earlier versions stored only its text. */
export function storedSentence(value: Data | undefined): Said | null {
  if (typeof value === 'string') return quoted(value)
  return (value ?? null) as unknown as Said | null
}
