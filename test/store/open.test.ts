import Database from 'better-sqlite3'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StoreOpenError } from '../../src/main/store/sql/errors.ts'
import { openStore } from '../../src/main/store/index.ts'
import { startChild } from '../helpers/child.ts'
import { aClock, aStore } from '../helpers/store.ts'
import { snapshot, temporaryFolder } from '../helpers/temporary-folder.ts'
import { onPosix } from '../helpers/platform.ts'

const HOLD_DATABASE = new URL('./fixtures/hold-database.ts', import.meta.url)
const OPEN_STORE = new URL('./fixtures/open-store.ts', import.meta.url)

describe('a new data folder', () => {
  it.runIf(onPosix)('is created with a database that only its owner can read', async () => {
    const dataDir = join(temporaryFolder(), 'some', 'where')
    await aStore({ dataDir })
    const mode = (name: string) => (statSync(join(dataDir, name)).mode & 0o777).toString(8)
    expect({
      dir: mode('.'),
      database: mode('millrace.db'),
      log: mode('millrace.db-wal'),
      lock: mode('millrace.lock'),
    }).toEqual({ dir: '700', database: '600', log: '600', lock: '600' })
  })

  it.runIf(onPosix)("removes others' rights from an existing folder and database", async () => {
    const dataDir = temporaryFolder()
    ;(await openStore({ dataDir, clock: aClock(), appVersion: 'a' })).close()
    chmodSync(dataDir, 0o755)
    chmodSync(join(dataDir, 'millrace.db'), 0o644)
    await aStore({ dataDir })
    expect({
      folder: statSync(dataDir).mode & 0o777,
      file: statSync(join(dataDir, 'millrace.db')).mode & 0o777,
    }).toEqual({ folder: 0o700, file: 0o600 })
  })

  it('holds only the database after a clean shutdown', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    store.close()
    expect(readdirSync(dataDir)).toEqual(['millrace.db'])
  })

  it('is created again if a killed process left half a database', async () => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, 'millrace.db.new'), 'half')
    const store = await aStore({ dataDir })
    store.close()
    expect(readdirSync(dataDir)).toEqual(['millrace.db'])
  })
})

describe('the end of the last use', () => {
  it('is detected: clean or killed', async () => {
    const dataDir = temporaryFolder()
    const child = startChild(OPEN_STORE, [dataDir])
    expect(await child.line()).toBe('open')
    child.process.kill('SIGKILL')
    await child.ended
    const afterKill = await aStore({ dataDir })
    afterKill.close()
    const afterClose = await aStore({ dataDir })
    expect({ afterKill: afterKill.endedCleanly, afterClose: afterClose.endedCleanly }).toEqual({
      afterKill: false,
      afterClose: true,
    })
  })
})

describe("a database file that we can't write", () => {
  const cases: readonly { title: string; kind: string; says: RegExp; spoil: (dataDir: string) => void }[] = [
    {
      title: 'an empty file',
      kind: 'empty',
      says: /is empty \(0 bytes\)/,
      spoil: (dir) => truncateSync(join(dir, 'millrace.db'), 0),
    },
    {
      title: 'a text file',
      kind: 'foreign',
      says: /isn't a SQLite database/,
      spoil: (dir) => writeFileSync(join(dir, 'millrace.db'), 'hello'.repeat(1_000)),
    },
    {
      title: "another program's database",
      kind: 'foreign',
      says: /is another program's database/,
      spoil(dir) {
        rmSync(join(dir, 'millrace.db'))
        const db = new Database(join(dir, 'millrace.db'))
        db.exec('CREATE TABLE theirs (x)')
        db.close()
      },
    },
    {
      title: 'a database of a newer Millrace',
      kind: 'newer',
      says: /was written by a newer Millrace \(schema 999, .*Update Millrace/,
      spoil: (dir) => overwrite(join(dir, 'millrace.db'), 60, Buffer.from([0, 0, 3, 0xe7])),
    },
    {
      title: 'a file that begins with zeros',
      kind: 'damaged',
      says: /begins with only zeros/,
      spoil: (dir) => overwrite(join(dir, 'millrace.db'), 0, Buffer.alloc(4_096)),
    },
    {
      title: 'a file that was cut short',
      kind: 'damaged',
      says: /is cut short/,
      spoil: (dir) => truncateSync(join(dir, 'millrace.db'), 3 * 4_096),
    },
    {
      title: 'a file with rubbish in the middle',
      kind: 'damaged',
      says: /is damaged/,
      spoil: (dir) => overwrite(join(dir, 'millrace.db'), 4 * 4_096, Buffer.alloc(4_096, 0xa5)),
    },
    {
      title: 'a log without its database',
      kind: 'damaged',
      says: /is missing, although its log/,
      spoil(dir) {
        rmSync(join(dir, 'millrace.db'))
        writeFileSync(join(dir, 'millrace.db-wal'), 'log')
      },
    },
    {
      title: 'backups without their database',
      kind: 'damaged',
      says: /is missing, although there are backups/,
      spoil: (dir) => rmSync(join(dir, 'millrace.db')),
    },
  ]

  it.each(cases)(
    '$title is rejected as $kind, unchanged, with the newest good backup named',
    async ({ kind, says, spoil }) => {
      const dataDir = await aUsedFolder()
      const backup = join(dataDir, 'backups', readdirSync(join(dataDir, 'backups'))[0] ?? '')
      spoil(dataDir)
      const before = snapshot(dataDir)
      const error = await refusalOf(dataDir)
      expect({ kind: error.kind, backup: error.backup }).toEqual({ kind, backup })
      expect(error.message).toMatch(says)
      expect(error.message).toContain(join(dataDir, 'millrace.db'))
      expect(error.message).toContain(`millrace restore ${backup}`)
      expect(snapshot(dataDir)).toEqual(before)
    },
  )

  it('is detected as damaged even if it only shows with the log of a killed process', async () => {
    const dataDir = temporaryFolder()
    const child = startChild(OPEN_STORE, [dataDir])
    await child.line()
    child.process.kill('SIGKILL')
    await child.ended
    overwrite(join(dataDir, 'millrace.db'), 4 * 4_096, Buffer.alloc(4_096, 0xa5))
    rmSync(join(dataDir, 'millrace.lock'))
    const before = snapshot(dataDir)
    expect(Object.keys(before)).toContain('millrace.db-wal')
    expect((await refusalOf(dataDir)).kind).toBe('damaged')
    expect(snapshot(dataDir)).toEqual(before)
  })

  it('is checked completely after a crash, however large it is', async () => {
    const dataDir = await aUsedFolder()
    const path = join(dataDir, 'millrace.db')
    const db = new Database(path)
    db.exec(`
      UPDATE host_state SET ended_cleanly = 0;
      CREATE TABLE large (key INTEGER PRIMARY KEY, value TEXT) STRICT;
      INSERT INTO large (value) SELECT hex(randomblob(50000)) FROM json_each('[${Array(100).fill(1).join(',')}]');`)
    db.close()
    expect(statSync(path).size).toBeGreaterThan(9_000_000)
    overwrite(path, 6_000_000 - (6_000_000 % 4_096), Buffer.alloc(4_096, 0xa5))
    const before = snapshot(dataDir)
    expect((await refusalOf(dataDir)).kind).toBe('damaged')
    expect(snapshot(dataDir)).toEqual(before)
  })

  it("is rejected as not writable if it isn't a file", async () => {
    const dataDir = temporaryFolder()
    mkdirSync(join(dataDir, 'millrace.db'))
    expect((await refusalOf(dataDir)).kind).toBe('not_writable')
  })

  it('names no backup that is itself damaged', async () => {
    const dataDir = await aUsedFolder()
    const [name = ''] = readdirSync(join(dataDir, 'backups'))
    overwrite(join(dataDir, 'backups', name), 4 * 4_096, Buffer.alloc(4_096, 0xa5))
    truncateSync(join(dataDir, 'millrace.db'), 0)
    const error = await refusalOf(dataDir)
    expect({ backup: error.backup, message: error.message }).toEqual({
      backup: null,
      message: expect.stringContaining('There is no good backup'),
    })
  })

  it('is left alone while another program holds it open', async () => {
    const dataDir = await aUsedFolder()
    const other = startChild(HOLD_DATABASE, [join(dataDir, 'millrace.db')])
    expect(await other.line()).toBe('held')
    const error = await refusalOf(dataDir)
    expect({ kind: error.kind, message: error.message }).toEqual({
      kind: 'locked',
      message: expect.stringContaining('open in another program'),
    })
  })
})

describe("a place that can't be written", () => {
  it('is rejected by name: a file in place of the folder', async () => {
    const dataDir = join(temporaryFolder(), 'file')
    writeFileSync(dataDir, 'x')
    const error = await refusalOf(dataDir)
    expect({ kind: error.kind, message: error.message }).toEqual({
      kind: 'not_writable',
      message: expect.stringContaining(`${dataDir} is a file`),
    })
  })

  it('is rejected by name: a folder below a file', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, 'x')
    expect((await refusalOf(join(file, 'data'))).kind).toBe('not_writable')
  })

  it.runIf(onPosix)('is rejected by name: a folder without write permission', async () => {
    const parent = temporaryFolder()
    chmodSync(parent, 0o755)
    const dataDir = join(parent, 'read-only')
    mkdirSync(dataDir, { mode: 0o555 })
    const child = startChild(OPEN_STORE, [dataDir, 'as-nobody'])
    expect(await child.line()).toBe('not_writable')
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('releases the lock after an error', async () => {
    const dataDir = temporaryFolder()
    writeFileSync(join(dataDir, 'millrace.db'), '')
    await refusalOf(dataDir)
    expect(existsSync(join(dataDir, 'millrace.lock'))).toBe(false)
  })
})

/** A folder with a database that was used, backed up and closed properly. */
async function aUsedFolder(): Promise<string> {
  const dataDir = temporaryFolder()
  const store = await aStore({ dataDir })
  await store.backups.takeIfDue()
  store.close()
  return dataDir
}

async function refusalOf(dataDir: string): Promise<StoreOpenError> {
  const error = await openStore({ dataDir, clock: aClock(), appVersion: 'a' }).then(
    () => new Error('it was opened'),
    (error: unknown) => error,
  )
  if (!(error instanceof StoreOpenError)) throw error
  return error
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  expect(readFileSync(path).length).toBeGreaterThan(at)
  writeSync(openSync(path, 'r+'), bytes, 0, bytes.length, at)
}
