import type { Database } from 'better-sqlite3'
import type { KeySequence } from '../history/ids.ts'
import type { SecretBox, SecretOwner } from '../secrets/secret-box.ts'
import { command, rows } from '../sql/statement.ts'

/** A secret that was replaced or deleted. */
export interface FormerSecret {
  readonly key: number
  /** Its owner, such as `connector_auths:<id>`. */
  readonly owner: SecretOwner
  /** The plain value; null if it can't be decrypted on this machine, or not yet. */
  readonly text: string | null
}

export interface FormerSecretRepository {
  /** Former secrets with a larger key, oldest first. */
  after(key: number): readonly FormerSecret[]
  /** The newest history key issued. */
  lastHistoryKey(): number
  /**
   * Deletes secrets that all stored data is too new to contain.
   *
   * @param upTo the newest history key that is final: runs still in memory can have newer ones
   */
  forgetUnneeded(upTo: number): boolean
}

/** Notes that a run copies older values into the newer part of the history. */
export type CarryOver = (from: number, to: number) => void

export function createFormerSecretRepository(
  db: Database,
  box: SecretBox,
  keys: Pick<KeySequence, 'last'>,
): { readonly repository: FormerSecretRepository; readonly carryOver: CarryOver } {
  const after = rows<{ key: number; owner: SecretOwner; sealed: Buffer }>(
    db,
    'SELECT key, owner, sealed FROM former_secrets WHERE key > ? ORDER BY key',
  )
  const setNewest = command(db, 'UPDATE former_secrets SET newest_key = ? WHERE newest_key IS NULL')
  const moveOn = command(
    db,
    'UPDATE former_secrets SET newest_key = @to WHERE newest_key BETWEEN @from AND @to - 1',
  )
  const forget = command(
    db,
    `DELETE FROM former_secrets WHERE newest_key <= @upTo AND newest_key < coalesce((
       SELECT min(key) FROM (
         SELECT min(key) AS key FROM flow_runs
         UNION ALL SELECT min(key) FROM webhook_requests
         UNION ALL SELECT min(newest_key) FROM step_pins)), @upTo + 1)`,
  )

  function open(owner: SecretOwner, sealed: Buffer): string | null {
    try {
      return box.open(owner, sealed)
    } catch {
      return null
    }
  }

  return {
    repository: {
      after: (key) => after.all(key).map(({ sealed, ...row }) => ({ ...row, text: open(row.owner, sealed) })),
      lastHistoryKey: () => keys.last(),
      forgetUnneeded(upTo) {
        setNewest.run(keys.last())
        return forget.run({ upTo }) > 0
      },
    },
    carryOver: (from, to) => void moveOn.run({ from, to }),
  }
}
