import type { Database } from 'better-sqlite3'
import type { Token } from '../../../shared/contract/tokens.ts'
import { toTime, toTimeOrNull } from '../sql/codec.ts'
import type { Listed } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command, scalar } from '../sql/statement.ts'

/** A token as shown to whoever presents its secret. */
export interface KnownToken extends Token {
  readonly user_id: string
}

/** The stored form of a secret, from which it can't be recovered. */
export interface TokenSecret {
  /** SHA-256 in hexadecimal. */
  readonly hash: string
  readonly last_four: string
}

export interface NewToken extends Omit<Token, 'last_used'> {
  readonly user_id: string
  readonly hash: TokenSecret['hash']
}

/** The former value of a token that was revoked or regenerated. */
export interface FormerToken extends KnownToken {
  readonly ended_at: string
  readonly ended_by: 'revoked' | 'regenerated'
}

export type TokenRepository = ReturnType<typeof createTokenRepository>

export interface TokenChange extends TokenSecret, Pick<Token, 'expiration'> {
  readonly at: string
}

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  note: { sql: 'note', type: 'text' },
  last_four: { sql: 'last_four', type: 'text' },
  expiration: { sql: 'expiration', type: 'time', nullable: true },
  last_used: { sql: 'last_used', type: 'time', nullable: true },
  created_at: { sql: 'created_at', type: 'time' },
}

const FORMER_KNOWN_MS = 366 * 86_400_000
/** Limit per user, because a script can regenerate tokens. */
const MOST_FORMER = 1_000

const KINDS = {
  scopes: 'labels',
  flow_ids: 'labels',
  auth_ids: 'labels',
  expiration: 'time',
  last_used: 'time',
  created_at: 'time',
} as const

const SELECT =
  'SELECT key, id, user_id, last_four, note, scopes, flow_ids, auth_ids, expiration, last_used, created_at, created_by FROM tokens'

export function createTokenRepository(db: Database) {
  const records = createRecordMapper<KnownToken>(db, KINDS)
  const formerRecords = createRecordMapper<FormerToken>(db, { ...KINDS, ended_at: 'time' })
  const insert = command(
    db,
    `INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, flow_ids, auth_ids, expiration, created_at,
       created_by)
     VALUES (@id, @user_id, @hash, @last_four, @note, @scopes, @flow_ids, @auth_ids, @expiration, @created_at, @created_by)`,
  )
  const byId = records.query(`${SELECT} WHERE id = ? AND user_id = ?`)
  const byHash = records.query(`${SELECT} WHERE hash = ?`)
  const byIdAlone = records.query(`${SELECT} WHERE id = ?`)
  const madeWith = records.query(`${SELECT} WHERE id IN (
       WITH RECURSIVE made (id) AS (
         SELECT id FROM tokens WHERE id = ? AND user_id = ?
         UNION SELECT tokens.id FROM tokens JOIN made ON tokens.created_by = made.id
       ) SELECT id FROM made)`)
  const regenerate = command(
    db,
    `UPDATE tokens SET hash = ?, last_four = ?, expiration = ?, last_used = NULL WHERE id = ? AND user_id = ?`,
  )
  const byFormerHash = formerRecords.query(`
     SELECT 0 AS key, token_id AS id, user_id, last_four, note, scopes, flow_ids, auth_ids, expiration, last_used,
       created_at, NULL AS created_by, ended_at, ended_by
     FROM former_tokens WHERE hash = ?`)
  const keepFormer = command(
    db,
    `INSERT INTO former_tokens (hash, token_id, user_id, last_four, note, scopes, flow_ids, auth_ids, expiration, last_used,
       created_at, ended_at, ended_by)
     SELECT hash, id, user_id, last_four, note, scopes, flow_ids, auth_ids, expiration, last_used, created_at, @at, @by
     FROM tokens WHERE id = @id AND user_id = @userId`,
  )
  const forgetFormer = command(db, 'DELETE FROM former_tokens WHERE ended_at < ?')
  const forgetSurplus = command(
    db,
    `DELETE FROM former_tokens WHERE user_id = @userId AND hash NOT IN (
       SELECT hash FROM former_tokens WHERE user_id = @userId ORDER BY ended_at DESC LIMIT ${MOST_FORMER})`,
  )
  const countValid = scalar<number>(
    db,
    'SELECT count(*) FROM tokens WHERE user_id = ? AND (expiration IS NULL OR expiration > ?)',
  )
  const touch = command(db, 'UPDATE tokens SET last_used = ? WHERE id = ?')
  const remove = command(db, 'DELETE FROM tokens WHERE id = ? AND user_id = ?')
  const lister = records.lister({ select: SELECT, from: 'FROM tokens', columns: COLUMNS })

  function get(userId: string, id: string): Token | null {
    const token = byId.get(id, userId)
    return token === null ? null : withoutUser(token)
  }

  function end(by: FormerToken['ended_by'], userId: string, id: string, endedAt: string): void {
    const at = toTime(endedAt)
    keepFormer.run({ by, userId, id, at })
    forgetFormer.run(at - FORMER_KNOWN_MS)
    forgetSurplus.run({ userId })
  }

  return {
    /** Number of the user's tokens that haven't expired. */
    countValid: (userId: string, now: number) => countValid.get(userId, now) ?? 0,
    insert(token: NewToken): Token {
      const added = { ...token, last_used: null }
      insert.run(records.toRow(added))
      const { hash: _hash, ...shown } = added
      return withoutUser(shown)
    },
    get,
    findByHash: (hash: string) => byHash.get(hash),
    /** Finds a token, regardless of its owner. */
    find: (id: string) => byIdAlone.get(id),
    /** The former token a value belonged to; kept for a year. */
    findFormer: (hash: string) => byFormerHash.get(hash),
    /** A user's own tokens, newest first. */
    list(userId: string, query: ListQuery = {}): Listed<Token> {
      const { records: page, total } = lister.page(query, [{ sql: 'user_id = ?', values: [userId] }])
      return { records: page.map(withoutUser), total }
    },
    /** Gives a token a new secret and expiry, and clears its last use. Null if the user has no such token. */
    regenerate(userId: string, id: string, { hash, last_four, expiration, at }: TokenChange): Token | null {
      end('regenerated', userId, id, at)
      regenerate.run(hash, last_four, toTimeOrNull(expiration), id, userId)
      return get(userId, id)
    },
    /** Records the time of the last use. */
    touch: (id: string, lastUsed: string) => void touch.run(toTime(lastUsed), id),
    /** Revokes a token and all tokens created with it, directly or indirectly. Empty if the user has no such token. */
    delete(userId: string, id: string, at: string): readonly KnownToken[] {
      const ended = madeWith.all(id, userId)
      for (const token of ended) {
        end('revoked', token.user_id, token.id, at)
        remove.run(token.id, token.user_id)
      }
      return ended
    },
  }
}

function withoutUser({ user_id: _user, ...token }: KnownToken): Token {
  return token
}
