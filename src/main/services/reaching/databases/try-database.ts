import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { type Data, getKey, isDictionary } from '@millrace/jinja/data'
import { findDatabaseServer, type ServerCall } from './server-address.ts'
import { runOnServer } from './sql.ts'

/** Signs in to a database server as a step does. Returns a sentence with the server's name. */
export async function tryDatabase(
  auth: OpenAuth,
  limits: Pick<ServerCall, 'timeoutMs' | 'signal'>,
): Promise<Said> {
  const server = await findDatabaseServer(auth)
  const { kind, name, port, user, tls } = server
  let found: Data = null
  await runOnServer(server, {
    statements: [{ statement: QUESTION[kind], parameters: [] }],
    inTransaction: false,
    ...limits,
    async takeRows(_, rows) {
      found = rows[0] ?? null
    },
  })
  const said = (field: string) => {
    const value = isDictionary(found) ? getKey(found, field) : null
    return typeof value === 'string' ? value : ''
  }
  const [database, version] = [said('db'), said('version').slice(0, 100)]
  const values = {
    place: `${name}:${port}`,
    user,
    tls: tls === null ? say('without TLS') : say('with TLS'),
    version,
  }
  return database === ''
    ? say(
        'Signed in without a database on {{place}} as "{{user}}", {{tls}}; the server is {{version}}',
        values,
      )
    : say(
        'Signed in to the database "{{database}}" on {{place}} as "{{user}}", {{tls}}; the server is {{version}}',
        { database, ...values },
      )
}

const QUESTION = {
  postgres: "SELECT current_database() AS db, 'PostgreSQL ' || current_setting('server_version') AS version",
  mysql: "SELECT DATABASE() AS db, CONCAT(@@version_comment, ' ', @@version) AS version",
} as const
