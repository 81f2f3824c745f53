/** Ends the tokens that are still valid in a backup, but no longer in the current database. */
import type { Database } from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { inspectFile } from '../folder/inspect-file.ts'
import { removeFileSync } from '../folder/move.ts'
import { connect } from '../sql/connect.ts'
import { command, rows, scalar, type SqlValue } from '../sql/statement.ts'

/** The revoked, regenerated or rotated tokens of a database. */
export interface EndedTokens {
  readonly former: readonly FormerRow[]
  /** Valid tokens by id; for a regenerated one, its new value. */
  readonly current: ReadonlyMap<string, TokenRow>
  /** The webhook tokens of flows. */
  readonly webhooks: readonly WebhookRow[]
}

type FormerRow = Readonly<Record<string, SqlValue>> & { readonly hash: string; readonly token_id: string }
interface TokenRow {
  readonly id: string
  readonly hash: string
  readonly last_four: string
  readonly expiration: number | null
}
interface WebhookRow {
  readonly id: string
  readonly hash: string | null
  readonly sealed: Uint8Array | null
}

/** Null if the file is missing, unreadable, or older than the list of former tokens. */
export function readEndedTokens(path: string, newestVersion: number): EndedTokens | null {
  const made = [`${path}-wal`, `${path}-shm`].filter((file) => !existsSync(file))
  let db: Database | null = null
  try {
    if (inspectFile(path, { newestVersion, check: 'full' }).kind !== 'good') return null
    db = connect(path, { readonly: true })
    const tokens = rows<TokenRow>(db, 'SELECT id, hash, last_four, expiration FROM tokens').all()
    return {
      former: rows<FormerRow>(db, `SELECT ${FORMER.join(', ')} FROM former_tokens`).all(),
      current: new Map(tokens.map((token) => [token.id, token])),
      webhooks: rows<WebhookRow>(
        db,
        'SELECT id, webhook_token_hash AS hash, webhook_token_sealed AS sealed FROM flows WHERE deleted_at IS NULL',
      ).all(),
    }
  } catch {
    return null
  } finally {
    db?.close()
    for (const file of made) removeFileSync(file)
  }
}

/** Tokens that are valid in both databases stay valid; a flow keeps its most recent webhook token. */
export function endTokens(path: string, { former, current, webhooks }: EndedTokens): void {
  const db = connect(path)
  try {
    const revoke = command(db, 'DELETE FROM tokens WHERE hash = ?')
    const renew = command(
      db,
      'UPDATE tokens SET hash = ?, last_four = ?, expiration = ?, last_used = NULL WHERE hash = ?',
    )
    const rotate = command(
      db,
      'UPDATE flows SET webhook_token_hash = ?, webhook_token_sealed = ? WHERE id = ? AND webhook_token_hash <> ?',
    )
    const knowsFormer = scalar(db, "SELECT 1 FROM sqlite_schema WHERE name = 'former_tokens'").get() === 1
    const keep = knowsFormer
      ? command(
          db,
          `INSERT OR IGNORE INTO former_tokens (${FORMER.join(', ')}) VALUES (${FORMER.map(() => '?').join(', ')})`,
        )
      : null
    command(db, 'BEGIN').run()
    for (const row of former) {
      const now = current.get(row.token_id)
      if (now === undefined) revoke.run(row.hash)
      else renew.run(now.hash, now.last_four, now.expiration, row.hash)
      keep?.run(...FORMER.map((name) => row[name] ?? null))
    }
    for (const { id, hash, sealed } of webhooks) if (hash !== null) rotate.run(hash, sealed, id, hash)
    command(db, 'COMMIT').run()
  } finally {
    db.close()
  }
}

const FORMER = [
  'hash',
  'token_id',
  'user_id',
  'last_four',
  'note',
  'scopes',
  'expiration',
  'last_used',
  'created_at',
  'ended_at',
  'ended_by',
]
