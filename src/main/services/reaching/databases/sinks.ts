/** Files and tables that flows write records to. */
import { say } from '../../../../shared/contract/base/message.ts'
import { join } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { SinkPort, SinkTarget } from '../../../engine/flow/model/ports.ts'
import { openFileSink, readFileCursor } from './file-sink.ts'
import { type DatabaseServer, findDatabaseServer } from './server-address.ts'
import { fileNameOf, REJECTED } from './rejected-records.ts'
import { openSqliteSink, readSqliteCursor } from './sqlite-sink.ts'
import type { SqliteFiles } from './sqlite.ts'

export interface SinksOptions {
  readonly sqliteFiles: SqliteFiles
  /** The real path of a file that flows can use; its folder is created. */
  readonly admitFile: (path: string) => Promise<string>
  readonly admitDatabase: (path: string) => Promise<string>
  /** Where records are set aside that a server's tables can't take. */
  readonly rejectedFolder: string
}

export function createSinks(options: SinksOptions): SinkPort {
  const { sqliteFiles, admitFile, admitDatabase, rejectedFolder } = options
  /** What is being written: two writes of one target would undo each other. */
  const busy = new Set<string>()

  async function holding<T>(place: string, name: string, open: () => Promise<T & Closable>): Promise<T> {
    if (busy.has(place)) {
      throw new AppError(
        'conflict',
        say('"{{path}}" is being written by another run; limit its flow to one run at a time', {
          path: name,
        }),
      )
    }
    busy.add(place)
    try {
      const opened = await open()
      const close = () => opened.close()
      return {
        ...opened,
        async close() {
          await close()
          busy.delete(place)
        },
      }
    } catch (error) {
      busy.delete(place)
      throw error
    }
  }

  return {
    async open(target, write) {
      if ('auth' in target) {
        const server = await serverOf(target)
        const name = `${target.auth.id}.${fileNameOf(target.table)}${REJECTED}`
        const path = join(rejectedFolder, name)
        const file = { path, name: path }
        if (server.kind === 'postgres')
          return (await import('./postgres-sink.ts')).openPostgresSink(server, target.table, write, file)
        return (await import('./mysql-sink.ts')).openMysqlSink(server, target.table, write, file)
      }
      if (target.kind === 'sqlite') {
        const path = await admitDatabase(target.path)
        const options = { ...write, path, name: target.path, table: target.table }
        return holding(`${path}\n${target.table}`, target.path, () => openSqliteSink(sqliteFiles, options))
      }
      const path = await admitFile(target.path)
      const options = { ...write, path, name: target.path, kind: target.kind }
      return holding(path, target.path, () => openFileSink(options))
    },
    async readCursor(target, signal) {
      if ('auth' in target) {
        const server = await serverOf(target)
        if (server.kind === 'postgres')
          return (await import('./postgres-sink.ts')).readPostgresCursor(server, target.table, signal)
        return (await import('./mysql-sink.ts')).readMysqlCursor(server, target.table, signal)
      }
      if (target.kind === 'sqlite') {
        const path = await admitDatabase(target.path)
        return readSqliteCursor(sqliteFiles, { path, name: target.path, table: target.table, signal })
      }
      return readFileCursor(await admitFile(target.path))
    },
  }
}

type ServerTarget = Extract<SinkTarget, { readonly auth: unknown }>

async function serverOf({ auth, kind }: ServerTarget): Promise<DatabaseServer> {
  const server = await findDatabaseServer(auth)
  if (server.kind === kind) return server
  throw new AppError(
    'validation',
    say(
      'The target is {{target}}, but the connector auth has a URL for {{other}}; choose the other target or another auth',
      { target: kind, other: server.kind },
    ),
  )
}

interface Closable {
  close(): Promise<void>
}
