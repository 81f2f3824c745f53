import type { Database } from 'better-sqlite3'
import type { Team } from '../../../shared/contract/teams.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command } from '../sql/statement.ts'

export type TeamRepository = ReturnType<typeof createTeamRepository>

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  created_at: { sql: 'created_at', type: 'time' },
  updated_at: { sql: 'updated_at', type: 'time' },
}

const SELECT = `
  SELECT key, id, name,
    (SELECT json_group_array(user_id ORDER BY position) FROM team_members WHERE team_key = key) AS user_ids,
    created_at, updated_at
  FROM teams`

export function createTeamRepository(db: Database) {
  const records = createRecordMapper<Team>(db, { user_ids: 'labels', created_at: 'time', updated_at: 'time' })
  const insert = command(
    db,
    'INSERT INTO teams (id, name, created_at, updated_at) VALUES (@id, @name, @created_at, @updated_at)',
  )
  const update = command(db, 'UPDATE teams SET name = @name, updated_at = @updated_at WHERE id = @id')
  const remove = command(db, 'DELETE FROM teams WHERE id = ?')
  const removeMembers = command(
    db,
    'DELETE FROM team_members WHERE team_key = (SELECT key FROM teams WHERE id = ?)',
  )
  const insertMember = command(
    db,
    `INSERT INTO team_members (team_key, user_id, position)
     VALUES ((SELECT key FROM teams WHERE id = ?), ?, ?)`,
  )
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const byName = records.query(`${SELECT} WHERE name = ?`)
  const lister = records.lister({ select: SELECT, from: 'FROM teams', columns: COLUMNS })

  function writeMembers({ id, user_ids }: Team): void {
    for (const [position, userId] of user_ids.entries()) insertMember.run(id, userId, position)
  }

  return {
    /** Throws if the name is taken or a user is unknown. */
    insert(team: Team): void {
      insert.run(records.toRow(team))
      writeMembers(team)
    },
    /** Replaces the record, including its members. False if the team doesn't exist. */
    update(team: Team): boolean {
      if (update.run(records.toRow(team)) === 0) return false
      removeMembers.run(team.id)
      writeMembers(team)
      return true
    },
    get: (id: string) => byId.get(id),
    findByName: (name: string) => byName.get(name),
    list: (query: ListQuery = {}) => lister.page(query),
    delete: (id: string) => remove.run(id) > 0,
  }
}
