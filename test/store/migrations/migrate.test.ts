import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { readdirSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { APPLICATION_ID, openStore } from '../../../src/main/store/index.ts'
import { migrate, type Migration, newestVersion } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { rows } from '../../../src/main/store/sql/statement.ts'
import { startChild } from '../../helpers/child.ts'
import { aDatabase } from '../../helpers/older-database.ts'
import { aClock, aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { LARGE_MIGRATION } from '../fixtures/large-migration.ts'

const MIGRATE = new URL('../fixtures/migrate.ts', import.meta.url)
const NEWEST = newestVersion(MIGRATIONS)
const RELEASED = '87c45a1ddcd5031bf35deb4822915386d51e4a6b5f2da868f99d440e90cac3f3'
const NOON = '2026-03-01T12:00:00.000Z'
const options = { clock: aClock(), appVersion: 'test' }

describe('migrations', () => {
  it('lead from each version to the schema that new folders begin with', () => {
    const fresh = new Database(':memory:')
    onTestFinished(() => void fresh.close())
    const upToFirst = MIGRATIONS.filter(({ version }) => version <= 33)
    migrate(fresh, upToFirst)
    const schema = contentOf(fresh)
    expect(schema.version).toBe(33)
    for (let version = 1; version < schema.version; version++) {
      const older = aDatabase({ version })
      expect(older.pragma('user_version', { simple: true })).toBe(version)
      migrate(older, upToFirst)
      expect(contentOf(older)).toEqual(schema)
    }
    // The hash of version 33 as it was released. A different schema needs its own migration.
    expect(createHash('sha256').update(JSON.stringify(schema)).digest('hex')).toBe(RELEASED)
  })

  it('bring a folder of version 1 to one that works', async () => {
    const dataDir = await anOldFolder()
    rmSync(join(dataDir, 'millrace.db'))
    const old = aDatabase({ version: 1, path: join(dataDir, 'millrace.db') })
    old.pragma(`application_id = ${APPLICATION_ID}`)
    old.exec(`
      INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
      INSERT INTO settings (name, value) VALUES ('theme', '"dark"');
    `)
    old.close()
    const store = await aStore({ dataDir })
    store.teams.insert({ id: 't', name: 'Sales', user_ids: ['u'], created_at: NOON, updated_at: NOON })
    expect({
      users: store.users.list().records.map((user) => user.name),
      teams: store.teams.list().records.map((team) => team.name),
      backups: store.backups.list().map((backup) => backup.reason),
    }).toEqual({ users: ['Ann'], teams: ['Sales'], backups: ['update'] })
  })

  it('only make STRICT tables, except for the search index and those of SQLite itself', async () => {
    const { dataDir, close } = await aStore()
    close()
    const loose = read<string>(
      dataDir,
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0
         AND name NOT LIKE 'run_search%' AND name NOT LIKE 'sqlite_%'`,
    )
    expect(loose).toEqual([])
  })

  it('bring an older database forward, with a backup of its old state first', async () => {
    const dataDir = await anOldFolder()
    const store = await openStore({ ...options, dataDir, migrations: LARGE_MIGRATION })
    const [backup] = store.backups.list()
    store.close()
    expect(read(dataDir, 'PRAGMA user_version')).toEqual([NEWEST + 1])
    expect(read(dataDir, 'SELECT count(*) FROM large')).toEqual([20_000])
    expect(backup?.reason).toBe('update')
    expect(readFile(backup?.path ?? '', 'PRAGMA user_version')).toEqual([NEWEST])
  })

  it('leave the old state if one fails', async () => {
    const dataDir = await anOldFolder()
    const failing: Migration = {
      version: NEWEST + 1,
      name: 'fails at its end',
      up(db) {
        db.exec('CREATE TABLE half (x INTEGER) STRICT; INSERT INTO half VALUES (1)')
        throw new Error('out of luck')
      },
    }
    await expect(openStore({ ...options, dataDir, migrations: [...MIGRATIONS, failing] })).rejects.toThrow(
      'out of luck',
    )
    expect(read(dataDir, 'PRAGMA user_version')).toEqual([NEWEST])
    expect(read(dataDir, `SELECT count(*) FROM sqlite_schema WHERE name = 'half'`)).toEqual([0])
    await aStore({ dataDir })
  })

  it('are rejected if they would leave a row with a dangling reference', async () => {
    const dataDir = await anOldFolder()
    const breaking: Migration = {
      version: NEWEST + 1,
      name: 'breaks a reference',
      up(db) {
        db.exec(
          `CREATE TABLE child (flow_key INTEGER REFERENCES flows (key)) STRICT; INSERT INTO child VALUES (77)`,
        )
      },
    }
    await expect(openStore({ ...options, dataDir, migrations: [...MIGRATIONS, breaking] })).rejects.toThrow(
      /child/,
    )
    expect(read(dataDir, 'PRAGMA user_version')).toEqual([NEWEST])
  })

  it('are complete or absent if the process is killed at any moment', async () => {
    const seen = { old: 0, new: 0 }
    for (const moment of ['backing up', 'migrating', 'filled'] as const) {
      const dataDir = await anOldFolder()
      const copying = fileNamed('partial', dataDir)
      const child = startChild(MIGRATE, [dataDir])
      if (moment === 'backing up') await copying
      else while ((await child.line()) !== moment);
      child.process.kill('SIGKILL')
      await child.ended
      const [version] = read<number>(dataDir, 'PRAGMA user_version')
      const [rows] = read<number>(dataDir, `SELECT count(*) FROM sqlite_schema WHERE name = 'large'`)
      expect({ version, rows }).toEqual(
        version === NEWEST + 1 ? { version: NEWEST + 1, rows: 1 } : { version: NEWEST, rows: 0 },
      )
      seen[version === NEWEST + 1 ? 'new' : 'old']++
      const store = await openStore({ ...options, dataDir, migrations: LARGE_MIGRATION })
      expect(
        store.backups.list().every((backup) => readFile(backup.path, 'PRAGMA quick_check')[0] === 'ok'),
      ).toBe(true)
      store.close()
      expect(read(dataDir, 'SELECT count(*) FROM large')).toEqual([20_000])
      const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
      expect(names.filter((name) => name.includes('partial'))).toEqual([])
    }
    expect(seen.old).toBeGreaterThan(0)
  })
})

/** Resolves once a file whose name contains this part is created somewhere in the folder. */
function fileNamed(part: string, folder: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, { recursive: true }, (_event, name) => {
      if (name?.includes(part)) resolve()
    })
    onTestFinished(() => watcher.close())
  })
}

async function anOldFolder(): Promise<string> {
  const dataDir = temporaryFolder()
  const store = await openStore({ ...options, dataDir })
  store.close()
  return dataDir
}

/**
 * The tables, indexes and triggers, without comments and line breaks; the rows that a new database has; and its
 * version.
 */
function contentOf(db: Database.Database) {
  const schema = rows<{ type: string; name: string; sql: string | null }>(
    db,
    'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name',
  )
    .all()
    .map(({ type, name, sql }) => [type, name, plainSql(sql ?? '')])
  const content = schema
    .filter(([type, name]) => type === 'table' && !name?.startsWith('run_search_'))
    .map(([, name]) => [name, db.prepare(`SELECT * FROM ${name}`).raw().all()])
  const indexedTo = db.prepare('SELECT indexed_to FROM run_search_state').pluck().all()
  return { version: Number(db.pragma('user_version', { simple: true })), schema, content, indexedTo }
}

const plainSql = (sql: string) =>
  sql
    .replace(/--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')

const read = <T>(dataDir: string, sql: string) => readFile<T>(join(dataDir, 'millrace.db'), sql)

function readFile<T>(path: string, sql: string): T[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).pluck().all() as T[]
  } finally {
    db.close()
  }
}
