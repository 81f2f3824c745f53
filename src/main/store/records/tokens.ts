import type { Database } from 'better-sqlite3'
import type { Token } from '../../../shared/contract/tokens.ts'
import { PLAIN_JSON, toIso, toIsoOrNull, toTime, toTimeOrNull } from '../sql/codec.ts'
import { createLister, type Listed } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { command, rows } from '../sql/statement.ts'

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

/** A value that was a token's until it was revoked or replaced. */
export interface FormerToken extends KnownToken {
  readonly ended_at: string
  readonly ended_by: 'revoked' | 'regenerated'
}

export interface TokenRepository {
  insert(token: NewToken): Token
  get(userId: string, id: string): Token | null
  findByHash(hash: string): KnownToken | null
  /** Regardless of its owner. */
  find(id: string): KnownToken | null
  /** The former token a value belonged to; kept for a year. */
  findFormer(hash: string): FormerToken | null
  /** A user's own tokens, newest first. */
  list(userId: string, query?: ListQuery): Listed<Token>
  /** Gives a token a new secret and expiry, and clears its last use. Null if the user has no such token. */
  regenerate(userId: string, id: string, change: TokenChange): Token | null
  /** Records the time of the last use. */
  touch(id: string, lastUsed: string): void
  /** Revokes a token and all tokens created with it, directly or indirectly. Empty if the user has no such token. */
  delete(userId: string, id: string, at: string): readonly KnownToken[]
}

export interface TokenChange extends TokenSecret, Pick<Token, 'expiration'> {
  readonly at: string
}

interface TokenRow {
  readonly key: number
  readonly id: string
  readonly user_id: string
  readonly last_four: string
  readonly note: string
  readonly scopes: string
  readonly expiration: number | null
  readonly last_used: number | null
  readonly created_at: number
  readonly created_by: string | null
}

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  note: { sql: 'note', type: 'text' },
  last_four: { sql: 'last_four', type: 'text' },
  expiration: { sql: 'expiration', type: 'time', nullable: true },
  last_used: { sql: 'last_used', type: 'time', nullable: true },
  created_at: { sql: 'created_at', type: 'time' },
}

interface FormerRow extends TokenRow {
  readonly ended_at: number
  readonly ended_by: FormerToken['ended_by']
}

const FORMER_KNOWN_MS = 366 * 86_400_000

const SELECT =
  'SELECT key, id, user_id, last_four, note, scopes, expiration, last_used, created_at, created_by FROM tokens'

export function createTokenRepository(db: Database): TokenRepository {
  const insert = command(
    db,
    `INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, expiration, created_at, created_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byId = rows<TokenRow>(db, `${SELECT} WHERE id = ? AND user_id = ?`)
  const byHash = rows<TokenRow>(db, `${SELECT} WHERE hash = ?`)
  const byIdAlone = rows<TokenRow>(db, `${SELECT} WHERE id = ?`)
  const madeWith = rows<TokenRow>(
    db,
    `${SELECT} WHERE id IN (
       WITH RECURSIVE made (id) AS (
         SELECT id FROM tokens WHERE id = ? AND user_id = ?
         UNION SELECT tokens.id FROM tokens JOIN made ON tokens.created_by = made.id
       ) SELECT id FROM made)`,
  )
  const regenerate = command(
    db,
    `UPDATE tokens SET hash = ?, last_four = ?, expiration = ?, last_used = NULL WHERE id = ? AND user_id = ?`,
  )
  const byFormerHash = rows<FormerRow>(
    db,
    `SELECT 0 AS key, token_id AS id, user_id, last_four, note, scopes, expiration, last_used, created_at,
       NULL AS created_by, ended_at, ended_by
     FROM former_tokens WHERE hash = ?`,
  )
  const keepFormer = command(
    db,
    `INSERT INTO former_tokens (hash, token_id, user_id, last_four, note, scopes, expiration, last_used, created_at,
       ended_at, ended_by)
     SELECT hash, id, user_id, last_four, note, scopes, expiration, last_used, created_at, @at, @by
     FROM tokens WHERE id = @id AND user_id = @userId`,
  )
  const forgetFormer = command(db, 'DELETE FROM former_tokens WHERE ended_at < ?')
  const touch = command(db, 'UPDATE tokens SET last_used = ? WHERE id = ?')
  const remove = command(db, 'DELETE FROM tokens WHERE id = ? AND user_id = ?')
  const lister = createLister<TokenRow, Token>(db, {
    select: SELECT,
    from: 'FROM tokens',
    key: 'key',
    columns: COLUMNS,
    toRecord: toToken,
  })

  function get(userId: string, id: string): Token | null {
    const row = byId.get(id, userId)
    return row === undefined ? null : toToken(row)
  }

  function end(by: FormerToken['ended_by'], userId: string, id: string, endedAt: string): void {
    const at = toTime(endedAt)
    keepFormer.run({ by, userId, id, at })
    forgetFormer.run(at - FORMER_KNOWN_MS)
  }

  return {
    insert(token) {
      insert.run(
        token.id,
        token.user_id,
        token.hash,
        token.last_four,
        token.note,
        PLAIN_JSON.stringify(token.scopes),
        toTimeOrNull(token.expiration),
        toTime(token.created_at),
        token.created_by,
      )
      const { user_id: _user, hash: _hash, ...shown } = token
      return { ...shown, last_used: null }
    },
    get,
    findByHash: (hash) => toKnown(byHash.get(hash)),
    find: (id) => toKnown(byIdAlone.get(id)),
    findFormer(hash) {
      const row = byFormerHash.get(hash)
      if (row === undefined) return null
      const { ended_at, ended_by, ...token } = row
      return { ...toToken(token), user_id: row.user_id, ended_at: toIso(ended_at), ended_by }
    },
    list: (userId, query = {}) => lister.page(query, [{ sql: 'user_id = ?', values: [userId] }]),
    regenerate(userId, id, { hash, last_four, expiration, at }) {
      end('regenerated', userId, id, at)
      regenerate.run(hash, last_four, toTimeOrNull(expiration), id, userId)
      return get(userId, id)
    },
    touch: (id, lastUsed) => void touch.run(toTime(lastUsed), id),
    delete(userId, id, at) {
      const ended = madeWith.all(id, userId).map((row) => ({ ...toToken(row), user_id: row.user_id }))
      for (const token of ended) {
        end('revoked', token.user_id, token.id, at)
        remove.run(token.id, token.user_id)
      }
      return ended
    },
  }
}

function toKnown(row: TokenRow | undefined): KnownToken | null {
  return row === undefined ? null : { ...toToken(row), user_id: row.user_id }
}

function toToken({ key: _key, user_id: _user, ...row }: TokenRow): Token {
  return {
    ...row,
    scopes: PLAIN_JSON.parse(row.scopes) as string[],
    expiration: toIsoOrNull(row.expiration),
    last_used: toIsoOrNull(row.last_used),
    created_at: toIso(row.created_at),
  }
}
