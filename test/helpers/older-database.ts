import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { MIGRATIONS } from '../../src/main/store/migrations/index.ts'
import { migrate } from '../../src/main/store/migrations/migrate.ts'

const VERSION_1 = readFileSync(new URL('../store/fixtures/version-1.sql', import.meta.url), 'utf8')

/** A database of an earlier version; it is closed with the test. */
export function aDatabase({ version, path = ':memory:' }: { version: number; path?: string }) {
  const db = new Database(path)
  onTestFinished(() => void db.close())
  db.pragma('foreign_keys = ON')
  db.exec(VERSION_1)
  migrateTo(version, db)
  return db
}

export function migrateTo(version: number, db: Database.Database): void {
  migrate(
    db,
    MIGRATIONS.filter((migration) => migration.version <= version),
  )
}
