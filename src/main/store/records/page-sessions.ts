import type { Database } from 'better-sqlite3'
import { toTime } from '../sql/codec.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command } from '../sql/statement.ts'
import type { PageSession } from '../../../shared/contract/page-sessions.ts'

export type StoredPageSession = Omit<PageSession, 'current'>

/** Only sessions whose token hasn't been revoked or regenerated since sign-in are found; its expiry isn't checked. */
export type PageSessionRepository = ReturnType<typeof createPageSessionRepository>

export interface NewPageSession extends Pick<
  PageSession,
  'id' | 'client' | 'user_agent' | 'created_at' | 'last_seen' | 'expires_at'
> {
  readonly hash: string
  readonly token_hash: string
}

const TIMES = { created_at: 'time', last_seen: 'time', expires_at: 'time' } as const

const SELECT = `SELECT page_sessions.id, tokens.user_id, tokens.id AS token_id, tokens.note AS token_note, tokens.scopes,
    client, user_agent, page_sessions.created_at, last_seen, expires_at
  FROM page_sessions JOIN tokens ON tokens.hash = page_sessions.token_hash`

export function createPageSessionRepository(db: Database) {
  const sessions = createRecordMapper<StoredPageSession>(db, { ...TIMES, scopes: 'labels' })
  const newSessions = createRecordMapper<NewPageSession>(db, TIMES)
  const insert = command(
    db,
    `INSERT INTO page_sessions (id, hash, token_hash, client, user_agent, created_at, last_seen, expires_at)
     VALUES (@id, @hash, @token_hash, @client, @user_agent, @created_at, @last_seen, @expires_at)`,
  )
  const byHash = sessions.query(`${SELECT} WHERE page_sessions.hash = ?`)
  const all = sessions.query(`${SELECT} ORDER BY page_sessions.key DESC`)
  const touch = command(db, 'UPDATE page_sessions SET last_seen = ? WHERE id = ?')
  const remove = command(db, 'DELETE FROM page_sessions WHERE id = ?')
  const forget = command(
    db,
    'DELETE FROM page_sessions WHERE expires_at <= ? OR token_hash NOT IN (SELECT hash FROM tokens)',
  )
  return {
    insert: (session: NewPageSession) => void insert.run(newSessions.toRow(session)),
    findByHash: (hash: string) => byHash.get(hash),
    /** Newest first. */
    list: (): readonly StoredPageSession[] => all.all(),
    touch: (id: string, lastSeen: string) => void touch.run(toTime(lastSeen), id),
    delete: (id: string) => void remove.run(id),
    /** Deletes sessions that can no longer be used at that time. */
    forgetEnded: (at: string) => void forget.run(toTime(at)),
  }
}
