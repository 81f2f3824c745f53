import type { Database } from 'better-sqlite3'
import { PLAIN_JSON, toIso, toTime } from '../sql/codec.ts'
import { command, rows } from '../sql/statement.ts'
import type { PageSession } from '../../../shared/contract/page-sessions.ts'

export type StoredPageSession = Omit<PageSession, 'current'>

/** Only sessions whose token still has the value at sign-in are found; its expiry isn't checked. */
export interface PageSessionRepository {
  insert(session: NewPageSession): void
  findByHash(hash: string): StoredPageSession | null
  /** Newest first. */
  list(): readonly StoredPageSession[]
  touch(id: string, lastSeen: string): void
  delete(id: string): void
  /** Deletes those that can't be used any more at that time. */
  forgetEnded(at: string): void
}

export interface NewPageSession extends Pick<
  PageSession,
  'id' | 'client' | 'user_agent' | 'created_at' | 'last_seen' | 'expires_at'
> {
  readonly hash: string
  readonly token_hash: string
}

interface Row {
  readonly id: string
  readonly user_id: string
  readonly token_id: string
  readonly token_note: string
  readonly scopes: string
  readonly client: string
  readonly user_agent: string
  readonly created_at: number
  readonly last_seen: number
  readonly expires_at: number
}

const SELECT = `SELECT page_sessions.id, tokens.user_id, tokens.id AS token_id, tokens.note AS token_note, tokens.scopes,
    client, user_agent, page_sessions.created_at, last_seen, expires_at
  FROM page_sessions JOIN tokens ON tokens.hash = page_sessions.token_hash`

export function createPageSessionRepository(db: Database): PageSessionRepository {
  const insert = command(
    db,
    `INSERT INTO page_sessions (id, hash, token_hash, client, user_agent, created_at, last_seen, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byHash = rows<Row>(db, `${SELECT} WHERE page_sessions.hash = ?`)
  const all = rows<Row>(db, `${SELECT} ORDER BY page_sessions.key DESC`)
  const touch = command(db, 'UPDATE page_sessions SET last_seen = ? WHERE id = ?')
  const remove = command(db, 'DELETE FROM page_sessions WHERE id = ?')
  const forget = command(
    db,
    'DELETE FROM page_sessions WHERE expires_at <= ? OR token_hash NOT IN (SELECT hash FROM tokens)',
  )
  return {
    insert(session) {
      insert.run(
        session.id,
        session.hash,
        session.token_hash,
        session.client,
        session.user_agent,
        toTime(session.created_at),
        toTime(session.last_seen),
        toTime(session.expires_at),
      )
    },
    findByHash(hash) {
      const row = byHash.get(hash)
      return row === undefined ? null : toSession(row)
    },
    list: () => all.all().map(toSession),
    touch: (id, lastSeen) => void touch.run(toTime(lastSeen), id),
    delete: (id) => void remove.run(id),
    forgetEnded: (at) => void forget.run(toTime(at)),
  }
}

function toSession(row: Row): StoredPageSession {
  return {
    ...row,
    scopes: PLAIN_JSON.parse(row.scopes) as string[],
    created_at: toIso(row.created_at),
    last_seen: toIso(row.last_seen),
    expires_at: toIso(row.expires_at),
  }
}
