/** Migrates a database to the newest schema: all pending migrations in one transaction, or none. */
import type { Database } from 'better-sqlite3'
import { pragma, scalar } from '../sql/statement.ts'

export interface Migration {
  /** Counts from 1 without gaps; `user_version` has this value afterwards. */
  readonly version: number
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
  const from = readVersion(db)
  const pending = migrations.filter((migration) => migration.version > from)
  if (pending.length === 0) return
  db.pragma('foreign_keys = OFF') // has no effect inside a transaction
  db.exec('BEGIN EXCLUSIVE')
  try {
    for (const migration of pending) runMigration(db, migration)
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  } finally {
    db.pragma('foreign_keys = ON')
  }
}

function runMigration(db: Database, { version, name, up }: Migration): void {
  if (version !== readVersion(db) + 1) throw new Error(`Migration ${version} ("${name}") is out of order`)
  up(db)
  db.pragma(`user_version = ${version}`)
  const broken = scalar<string>(db, 'SELECT "table" FROM pragma_foreign_key_check LIMIT 1').get()
  if (broken !== undefined) {
    throw new Error(`Migration ${version} ("${name}") leaves rows in ${broken} that point to nothing`)
  }
}
