/** Migrates a database to the newest schema: all pending migrations in one transaction, or none. */
import type { Database } from 'better-sqlite3'
import { pragma, scalar } from '../sql/statement.ts'

export interface Migration {
  /** `user_version` has this value afterwards. */
  readonly version: number
  /** The version that it migrates from, 0 for a new file; defaults to the previous version. */
  readonly from?: number
  readonly name: string
  /** Runs inside the transaction that also moves `user_version`. */
  readonly up: (db: Database) => void
}

export const readVersion = (db: Database) => Number(pragma(db, 'user_version'))
export const newestVersion = (migrations: readonly Migration[]) => migrations.at(-1)?.version ?? 0

/**
 * Runs pending migrations. Foreign keys are checked at the end instead of at each statement, so that a migration can
 * rebuild a table that others refer to.
 */
export function migrate(db: Database, migrations: readonly Migration[]): void {
  if (readVersion(db) >= newestVersion(migrations)) return
  db.pragma('foreign_keys = OFF') // has no effect inside a transaction
  db.exec('BEGIN EXCLUSIVE')
  try {
    while (readVersion(db) < newestVersion(migrations)) runMigration(db, migrations)
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  } finally {
    db.pragma('foreign_keys = ON')
  }
}

function runMigration(db: Database, migrations: readonly Migration[]): void {
  const current = readVersion(db)
  const next = migrations.find(({ version, from = version - 1 }) => from === current)
  if (next === undefined) throw new Error(`No migration from version ${current}`)
  const { version, name, up } = next
  up(db)
  db.pragma(`user_version = ${version}`)
  const broken = scalar<string>(db, 'SELECT "table" FROM pragma_foreign_key_check LIMIT 1').get()
  if (broken !== undefined) {
    throw new Error(`Migration ${version} ("${name}") leaves rows in ${broken} that point to nothing`)
  }
}
