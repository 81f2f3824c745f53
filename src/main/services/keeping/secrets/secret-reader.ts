/** Reads secrets that are kept elsewhere, and remembers them for a while. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { parseReference, type SecretReference } from '../../../../shared/contract/base/secret-references.ts'
import type { Clock } from '../../../engine/ports.ts'

/** @throws AppError saying why it can't be read, and what to do; the signal's reason if it is aborted */
export type ReadVault = (reference: SecretReference, signal: AbortSignal) => Promise<string>

export interface SecretReaderOptions {
  readonly readVault: ReadVault
  readonly clock: Pick<Clock, 'monotonic'>
  readonly keptSeconds: () => number
  /** Called when a new secret becomes known, before it is returned. */
  readonly onRead: () => void
}

export type SecretReader = ReturnType<typeof createSecretReader>

interface Kept {
  readonly value: string
  readonly readAt: number
}

/** A secret read for one owner is never used for another. */
interface OwnedReads {
  readonly kept: Map<string, Kept>
  readonly reading: Map<string, Promise<string>>
  readonly forgotten: AbortController
}

export function createSecretReader({ readVault, clock, keptSeconds, onRead }: SecretReaderOptions) {
  const owners = new Map<string, OwnedReads>()
  /**
   * Every secret read since the start, to be redacted, because data that contains one can outlive the value kept here.
   */
  const seen = new Set<string>()

  function readsOf(owner: string): OwnedReads {
    const known = owners.get(owner)
    if (known !== undefined) return known
    const reads: OwnedReads = { kept: new Map(), reading: new Map(), forgotten: new AbortController() }
    owners.set(owner, reads)
    return reads
  }

  function note(value: string): void {
    if (seen.has(value)) return
    seen.add(value)
    onRead()
  }

  async function readNow(reads: OwnedReads, reference: SecretReference): Promise<string> {
    const value = await readVault(reference, reads.forgotten.signal)
    note(value)
    // If the reads were aborted, this secret may no longer be allowed.
    reads.forgotten.signal.throwIfAborted()
    if (keptSeconds() > 0) reads.kept.set(reference.text, { value, readAt: clock.monotonic() })
    return value
  }

  /** Callers that need the same secret at the same time share one call to the vault. */
  function readOnce(owner: string, reference: SecretReference): Promise<string> {
    const reads = readsOf(owner)
    const known = reads.kept.get(reference.text)
    if (known !== undefined && clock.monotonic() - known.readAt < keptSeconds() * 1_000)
      return Promise.resolve(known.value)
    reads.kept.delete(reference.text)
    const busy = reads.reading.get(reference.text)
    if (busy !== undefined) return busy
    const work = readNow(reads, reference).finally(() => reads.reading.delete(reference.text))
    reads.reading.set(reference.text, work)
    return work
  }

  function drop(owner: string): void {
    const reads = owners.get(owner)
    owners.delete(owner)
    reads?.forgotten.abort(new Forgotten())
  }

  return {
    /**
     * @param owner id of the auth
     * @throws AppError saying why it can't be read, and what to do
     */
    async read(owner: string, text: string): Promise<string> {
      const reference = parseReference(text)
      if (reference === null) throw new AppError('conflict', say('"{{text}}" isn\'t a reference', { text }))
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        try {
          return await readOnce(owner, reference)
        } catch (error) {
          // After a change of settings, the new settings decide whether the secret can be read.
          if (!(error instanceof Forgotten)) throw error
        }
      }
      throw new AppError('unavailable', say('the settings were changed while it was read; try again'))
    },
    /** All secrets that were read. */
    values: (): readonly string[] => [...seen],
    /**
     * Call when the rules for reading secrets have changed, or the references of one owner; aborts reads in progress.
     */
    forget(owner?: string): void {
      if (owner !== undefined) drop(owner)
      else for (const one of owners.keys()) drop(one)
    },
  }
}

const MOST_TRIES = 3

class Forgotten extends Error {}
