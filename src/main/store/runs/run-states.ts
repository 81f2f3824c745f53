/** The data to resume or replay a run: unredacted, sealed, in numbered parts. */
import type { Database } from 'better-sqlite3'
import type { HistoryParts } from '../history/history-parts.ts'
import { runKey } from '../history/ids.ts'
import type { StateFormat } from '../history/state-format.ts'
import { isRecording, scalar } from '../sql/statement.ts'

export type RunStateRepository = ReturnType<typeof createRunStateRepository>

export function createRunStateRepository(db: Database, format: StateFormat, parts: HistoryParts) {
  const isStored = scalar<number>(db, 'SELECT 1 FROM flow_runs WHERE key = ? AND id = ?')

  function keyOfRun(id: string): number | null {
    const key = runKey(id)
    return key !== null && isStored.get(key, id) === 1 ? key : null
  }

  return {
    /**
     * Stores or replaces one part, counted from 0. A run that adds a part at each checkpoint writes only what is new.
     *
     * @throws SecretBoxLockedError while nothing can be encrypted
     */
    save(runId: string, part: number, text: string): void {
      const key = isRecording() ? runKey(runId) : keyOfRun(runId)
      if (key === null) throw new Error(`There is no flow run ${runId} to keep a state of`)
      parts.putSealed(key, part, format.seal(runId, text))
    },
    /**
     * The parts in order; empty if none are kept.
     *
     * @throws SecretUnreadableError if they can't be decrypted on this machine
     */
    of(runId: string): readonly string[] {
      const key = keyOfRun(runId)
      return key === null ? [] : parts.sealedOf(key).map((sealed) => format.open(runId, sealed))
    },
    /**
     * Only the first part; null if none is kept.
     *
     * @throws SecretUnreadableError if it can't be decrypted on this machine
     */
    firstOf(runId: string): string | null {
      const key = keyOfRun(runId)
      const sealed = key === null ? undefined : parts.firstSealedOf(key)
      return sealed === undefined ? null : format.open(runId, sealed)
    },
    /**
     * Only the parts small enough to be read for every row of a list.
     *
     * @throws SecretUnreadableError if they can't be decrypted on this machine
     */
    smallOf(runId: string): readonly string[] {
      const key = keyOfRun(runId)
      const sealed = key === null ? [] : parts.sealedOf(key)
      return sealed.flatMap((part) => format.openSmall(runId, part) ?? [])
    },
    /** Deletes the parts from this one on, because the first one is enough to replay an ended run. */
    truncate(runId: string, count: number): void {
      const key = isRecording() ? runKey(runId) : keyOfRun(runId)
      if (key !== null) parts.dropSealed(key, count)
    },
  }
}
