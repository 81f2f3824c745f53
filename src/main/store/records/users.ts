import type { Database } from 'better-sqlite3'
import type { Flow } from '../../../shared/contract/flows.ts'
import { LOCAL_USER_NAME, type User } from '../../../shared/contract/users.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command, rows } from '../sql/statement.ts'

export type UserRepository = ReturnType<typeof createUserRepository>

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  email: { sql: 'email', type: 'text' },
  role: { sql: 'role', type: 'text' },
  created_at: { sql: 'created_at', type: 'time' },
}

const LOCAL_USER = { name: LOCAL_USER_NAME, email: '', role: 'owner' } as const

const SELECT = 'SELECT key, id, name, email, role, created_at FROM users'

export function createUserRepository(db: Database) {
  const records = createRecordMapper<User>(db, { created_at: 'time' })
  const oldest = records.query(`${SELECT} ORDER BY key LIMIT 1`)
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const byEmail = records.query(`${SELECT} WHERE email = ? COLLATE NOCASE`)
  const insert = command(
    db,
    'INSERT INTO users (id, name, email, role, created_at) VALUES (@id, @name, @email, @role, @created_at)',
  )
  const update = command(db, 'UPDATE users SET name = @name, email = @email, role = @role WHERE id = @id')
  const remove = command(db, 'DELETE FROM users WHERE id = ?')
  const flowsOf = rows<Pick<Flow, 'id' | 'name'>>(
    db,
    'SELECT id, name FROM flows WHERE owner_id = ? AND deleted_at IS NULL ORDER BY key',
  )
  /**
   * Steps that a user wrote stay theirs, including in their own flows, because deleting the user must not give these
   * steps access to others' auths.
   */
  const signOwn = ['flow_versions', 'working_copies'].map((table) =>
    command(
      db,
      `UPDATE ${table} SET author_id = @id
       WHERE author_id IS NULL AND flow_key IN (SELECT key FROM flows WHERE owner_id = @id)`,
    ),
  )
  const handOver = [
    'UPDATE connector_auths SET owner_id = @heirId WHERE owner_id = @id',
    `UPDATE flows SET owner_id = @heirId, status = 'paused' WHERE owner_id = @id`,
  ].map((sql) => command(db, sql))
  /**
   * A deletion must not reveal anything, so an auth shared with selected users goes to the first user who could see it.
   */
  const passOn = command(
    db,
    `UPDATE connector_auths
     SET owner_id = (SELECT value FROM json_each(user_ids) WHERE value IN (SELECT id FROM users) ORDER BY key LIMIT 1)
     WHERE owner_id = @id AND visibility = 'selected'
       AND EXISTS (SELECT 1 FROM json_each(user_ids) WHERE value IN (SELECT id FROM users))`,
  )
  const unseen = rows<{ id: string }>(
    db,
    `SELECT id FROM connector_auths WHERE owner_id = @id AND (visibility = 'private' OR (visibility = 'selected'
       AND NOT EXISTS (SELECT 1 FROM json_each(user_ids)
         WHERE value <> @id AND value IN (SELECT id FROM users))))`,
  )
  const removeAuth = command(db, 'DELETE FROM connector_auths WHERE id = ?')
  const unshare = command(
    db,
    `UPDATE connector_auths
     SET user_ids = (SELECT json_group_array(value) FROM json_each(user_ids) WHERE value <> @id)
     WHERE EXISTS (SELECT 1 FROM json_each(user_ids) WHERE value = @id)`,
  )
  const lister = records.lister({ select: SELECT, from: 'FROM users', columns: COLUMNS })
  return {
    /** The person at this machine; always exists. */
    local(): User {
      const user = oldest.get()
      if (user === null) throw new Error('The database holds no user')
      return user
    },
    get: (id: string) => byId.get(id),
    findByEmail: (email: string) => byEmail.get(email),
    list: (query: ListQuery = {}) => lister.page(query),
    insert: (user: User) => void insert.run(records.toRow(user)),
    /** False if the user doesn't exist. */
    update: ({ id, name, email, role }: User) => update.run({ id, name, email, role }) > 0,
    /** Connector auths that only this user can see. */
    authsSeenAlone: (id: string): readonly string[] => unseen.all({ id }).map((auth) => auth.id),
    /**
     * Deletes a user with their tokens, memberships and the connector auths that nobody else can see. What they shared
     * with selected users goes to the first of them, everything else to the heir; what was shared with the user by name
     * no longer is. Their flows are paused and can't use the heir's auths: the steps still count as written by the
     * deleted user.
     *
     * @returns the flows that the heir got
     */
    delete(id: string, heirId: string): readonly Pick<Flow, 'id' | 'name'>[] {
      unshare.run({ id })
      for (const auth of unseen.all({ id })) removeAuth.run(auth.id)
      passOn.run({ id })
      const flows = flowsOf.all(id)
      for (const unsigned of signOwn) unsigned.run({ id })
      for (const owned of handOver) owned.run({ id, heirId })
      remove.run(id)
      return flows
    },
  }
}

/** Creates the local user if there is none yet. */
export function ensureLocalUser(db: Database, id: string, now: number): void {
  command(
    db,
    `INSERT INTO users (id, name, email, role, created_at)
     SELECT ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
  ).run(id, LOCAL_USER.name, LOCAL_USER.email, LOCAL_USER.role, now)
}
