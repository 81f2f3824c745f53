/** Messages between the main thread and the writer thread. */
import type { MessagePort } from 'node:worker_threads'
import type { StoreWriteErrorKind } from '../sql/errors.ts'
import type { Batch } from './batch.ts'

export interface ThreadOptions {
  readonly database: string
  readonly dataDir: string
  readonly keys: readonly Uint8Array[]
  readonly port: MessagePort
  /** Holds one batch at a time. */
  readonly memory: SharedArrayBuffer
  /** See `STATE`. */
  readonly state: Int32Array<SharedArrayBuffer>
}

/**
 * Positions of numbers in shared memory that the threads use to wait for each other: a phase, how often the thread was
 * called, the last batch in the shared memory, and the last one that it has replied to.
 */
export const STATE = { phase: 0, calls: 1, batch: 2, done: 3, length: 4 } as const
export const PHASE = { begun: 0, opening: 1, open: 2, closed: 3 } as const

/** Messages other than the batches in the shared memory. */
export type ThreadMessage =
  | { readonly statements: readonly string[] }
  | { readonly n: number; readonly batch: Batch }
  | 'move_log'
  | 'close'

/** Makes the thread read its messages. */
export function call(state: Int32Array<SharedArrayBuffer>): void {
  Atomics.add(state, STATE.calls, 1)
  Atomics.notify(state, STATE.calls)
}

/** `failed.kind` is null if a statement failed rather than the disk. */
export type ThreadReply =
  | 'open'
  | {
      readonly n: number
      readonly failed?: { readonly kind: StoreWriteErrorKind | null; readonly message: string }
    }
