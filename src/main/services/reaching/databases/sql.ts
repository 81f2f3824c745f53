/** Runs the statements of `sql` steps on the databases that they name. */
import type { SqlPort, SqlResult } from '../../../engine/flow/model/ports.ts'
import { isCreating } from '../../../engine/sql/check-statement.ts'
import { databaseKindOf, type DatabaseServer, findDatabaseServer, type ServerCall } from './server-address.ts'
import type { SqliteFiles } from './sqlite.ts'

export interface SqlOptions {
  readonly sqliteFiles: Pick<SqliteFiles, 'run'>
  /** The real path of a database file that flows can use. */
  readonly admitDatabase: (path: string) => Promise<string>
}

export function createSqlPort({ sqliteFiles, admitDatabase }: SqlOptions): SqlPort {
  return {
    kindOf: (database) => ('file' in database ? 'sqlite' : databaseKindOf(database.auth)),
    async run({ database, ...call }) {
      if ('file' in database) {
        const path = await admitDatabase(database.file)
        const create = call.statements.some(({ statement }) => isCreating(statement))
        return sqliteFiles.run({ ...call, name: database.file, path, create })
      }
      return runOnServer(await findDatabaseServer(database.auth), call)
    },
  }
}

/** The libraries are loaded with the first call of their kind. */
export async function runOnServer(server: DatabaseServer, call: ServerCall): Promise<readonly SqlResult[]> {
  if (server.kind === 'postgres') return (await import('./postgres.ts')).runPostgres(server, call)
  return (await import('./mysql.ts')).runMysql(server, call)
}
