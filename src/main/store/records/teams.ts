import type { Database } from 'better-sqlite3'
import type { Team } from '../../../shared/contract/teams.ts'
import { PLAIN_JSON, toIso, toTime } from '../sql/codec.ts'
import { createLister, type Listed } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { command, rows } from '../sql/statement.ts'

export interface TeamRepository {
  /** Throws if the name is taken or a user is unknown. */
  insert(team: Team): void
  /** Replaces the record, including its members. False if the team doesn't exist. */
  update(team: Team): boolean
  get(id: string): Team | null
  findByName(name: string): Team | null
  list(query?: ListQuery): Listed<Team>
  delete(id: string): boolean
}

interface TeamRow {
  readonly key: number
  readonly id: string
  readonly name: string
  readonly user_ids: string
  readonly created_at: number
  readonly updated_at: number
}

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  created_at: { sql: 'created_at', type: 'time' },
  updated_at: { sql: 'updated_at', type: 'time' },
}

const SELECT = `
  SELECT key, id, name, created_at, updated_at,
    (SELECT json_group_array(user_id ORDER BY position) FROM team_members WHERE team_key = key) AS user_ids
  FROM teams`

export function createTeamRepository(db: Database): TeamRepository {
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
  const byId = rows<TeamRow>(db, `${SELECT} WHERE id = ?`)
  const byName = rows<TeamRow>(db, `${SELECT} WHERE name = ?`)
  const lister = createLister<TeamRow, Team>(db, {
    select: SELECT,
    from: 'FROM teams',
    key: 'key',
    columns: COLUMNS,
    toRecord: toTeam,
  })

  function writeMembers({ id, user_ids }: Team): void {
    for (const [position, userId] of user_ids.entries()) insertMember.run(id, userId, position)
  }

  return {
    insert(team) {
      const { id, name, created_at, updated_at } = team
      insert.run({ id, name, created_at: toTime(created_at), updated_at: toTime(updated_at) })
      writeMembers(team)
    },
    update(team) {
      const { id, name, updated_at } = team
      if (update.run({ id, name, updated_at: toTime(updated_at) }) === 0) return false
      removeMembers.run(id)
      writeMembers(team)
      return true
    },
    get: (id) => toTeamOrNull(byId.get(id)),
    findByName: (name) => toTeamOrNull(byName.get(name)),
    list: (query = {}) => lister.page(query),
    delete: (id) => remove.run(id) > 0,
  }
}

const toTeamOrNull = (row: TeamRow | undefined) => (row === undefined ? null : toTeam(row))

function toTeam({ id, name, user_ids, created_at, updated_at }: TeamRow): Team {
  return {
    id,
    name,
    user_ids: PLAIN_JSON.parse(user_ids) as string[],
    created_at: toIso(created_at),
    updated_at: toIso(updated_at),
  }
}
