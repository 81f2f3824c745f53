import type { Database } from 'better-sqlite3'
import { command, rows } from './statement.ts'

export interface User {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: string
}

export interface UserRepository {
  /** The person at this machine; there from the start. */
  local(): User
  get(id: string): User | null
  /** Oldest first. */
  list(): readonly User[]
}

const LOCAL_USER = { name: 'Local user', email: '', role: 'owner' } as const

export function createUserRepository(db: Database): UserRepository {
  const SELECT = 'SELECT id, name, email, role FROM users'
  const oldest = rows<User>(db, `${SELECT} ORDER BY key LIMIT 1`)
  const byId = rows<User>(db, `${SELECT} WHERE id = ?`)
  const all = rows<User>(db, `${SELECT} ORDER BY key`)
  return {
    local() {
      const user = oldest.get()
      if (user === undefined) throw new Error('The database holds no user')
      return user
    },
    get: (id) => byId.get(id) ?? null,
    list: () => all.all(),
  }
}

/** Makes the local user where there is none yet. */
export function ensureLocalUser(db: Database, id: string, now: number): void {
  command(
    db,
    `INSERT INTO users (id, name, email, role, created_at)
     SELECT ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
  ).run(id, LOCAL_USER.name, LOCAL_USER.email, LOCAL_USER.role, now)
}
