import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MIGRATIONS } from '../../src/main/store/migrations/index.ts'
import { newestVersion } from '../../src/main/store/migrations/migrate.ts'
import { scalar } from '../../src/main/store/sql/statement.ts'
import { openStore } from '../../src/main/store/index.ts'
import { aClock, aMasterKey } from '../helpers/fixtures.ts'
import { startChild } from '../helpers/child.ts'
import { createHome } from '../helpers/program.ts'
import { aFlow, aFlowRun, aRunStep } from '../helpers/records.ts'
import { pause, randomPause, report, scale } from './scale.ts'

const KILLS = scale(100, 1)
const MIGRATE = new URL('../store/fixtures/migrate.ts', import.meta.url)
const BACK_UP = new URL('../store/fixtures/back-up.ts', import.meta.url)

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const open = (dataDir: string) =>
  openStore({ dataDir, clock: aClock(), appVersion: 'test', masterKey: aMasterKey() })

/** A folder with some history, closed properly. */
async function aUsedFolder(runs: number): Promise<string> {
  const dataDir = aFolder()
  const store = await open(dataDir)
  const flow = aFlow()
  await store.write(() => store.flows.insert(flow))
  await store.write(() => {
    for (let run = 0; run < runs; run++) {
      const id = store.flowRuns.newId()
      store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id }), {
        steps: [aRunStep()],
        state: ['x'.repeat(2_000)],
      })
    }
  })
  store.close()
  return dataDir
}

function inspect(path: string): { version: number; large: number; runs: number; isSound: boolean } {
  const db = new Database(path)
  try {
    const one = (sql: string) => scalar<number>(db, sql).get() ?? 0
    const hasLarge = one(`SELECT count(*) FROM sqlite_schema WHERE name = 'large'`) === 1
    return {
      version: one('PRAGMA user_version'),
      large: hasLarge ? one('SELECT count(*) FROM large') : 0,
      runs: one('SELECT count(*) FROM flow_runs'),
      isSound: scalar<string>(db, 'PRAGMA integrity_check').get() === 'ok',
    }
  } finally {
    db.close()
  }
}

const databasesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : []

/** How long the migration takes if nobody kills it. */
async function migrateWhole(template: string): Promise<number> {
  const dataDir = aFolder()
  cpSync(template, dataDir, { recursive: true })
  const child = startChild(MIGRATE, [dataDir])
  await child.line()
  const began = performance.now()
  await child.ended
  return performance.now() - began
}

/** How long two backups take. */
async function backUpTwice(dataDir: string): Promise<number> {
  const child = startChild(BACK_UP, [dataDir])
  await child.line()
  const began = performance.now()
  while (databasesIn(join(dataDir, 'backups')).length < 2) await pause(5)
  const took = performance.now() - began
  child.process.kill('SIGKILL')
  await child.ended
  return took
}

describe('killed', () => {
  it('in a migration, the database is complete: in the old or the new schema', async () => {
    const RUNS = 200
    const template = await aUsedFolder(RUNS)
    const counted = { kills: 0, before: 0, after: 0, half: 0 }
    const takesMs = await migrateWhole(template)
    for (; counted.kills < KILLS; counted.kills++) {
      const dataDir = aFolder()
      cpSync(template, dataDir, { recursive: true })
      const child = startChild(MIGRATE, [dataDir])
      await child.line()
      await randomPause(0, takesMs)
      child.process.kill('SIGKILL')
      await child.ended
      const { version, large, runs, isSound } = inspect(join(dataDir, 'millrace.db'))
      const isBefore = version === newestVersion(MIGRATIONS) && large === 0
      const isAfter = version === newestVersion(MIGRATIONS) + 1 && large === 20_000
      if (!isSound || runs !== RUNS || (!isBefore && !isAfter)) counted.half++
      else if (isBefore) counted.before++
      else counted.after++
      // A folder that wasn't migrated opens as it did before, and no unfinished backup is left.
      if (isBefore) (await open(dataDir)).close()
      rmSync(dataDir, { recursive: true, force: true })
    }
    report('kill -9 in a migration', counted)
    expect(counted.half).toBe(0)
  })

  it('in a backup, every backup is complete, and so is the database', async () => {
    const dataDir = await aUsedFolder(1_000)
    const counted = { kills: 0, backups: 0, broken: 0 }
    const takesMs = await backUpTwice(dataDir)
    for (; counted.kills < KILLS; counted.kills++) {
      const child = startChild(BACK_UP, [dataDir])
      await child.line()
      await randomPause(0, takesMs)
      child.process.kill('SIGKILL')
      await child.ended
      ;(await open(dataDir)).close()
      const backups = join(dataDir, 'backups')
      for (const name of databasesIn(backups)) {
        counted.backups++
        const { runs, isSound } = inspect(join(backups, name))
        if (!isSound || runs !== 1_000) counted.broken++
      }
      if (!inspect(join(dataDir, 'millrace.db')).isSound) counted.broken++
    }
    report('kill -9 in a backup', counted)
    expect({ broken: counted.broken, hasBackups: counted.backups > 0 }).toEqual({
      broken: 0,
      hasBackups: true,
    })
  })
})

it('a database that is newer, damaged or from another program is rejected by name and left unchanged', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const template = await aUsedFolder(10)
  const spoil: Record<string, (path: string) => void> = {
    newer(path) {
      const db = new Database(path)
      db.exec('PRAGMA user_version = 999')
      db.close()
    },
    foreign(path) {
      const db = new Database(path)
      db.exec('PRAGMA application_id = 7')
      db.close()
    },
    damaged: (path) => writeFileSync(path, Buffer.alloc(8_192, 7)),
    empty: (path) => writeFileSync(path, ''),
  }
  const ends: Record<string, unknown> = {}
  for (const [kind, work] of Object.entries(spoil).slice(0, scale(4, 1))) {
    const dataDir = aFolder()
    cpSync(template, dataDir, { recursive: true })
    work(join(dataDir, 'millrace.db'))
    const { code } = await home.run(['serve', '--no-open', '--port', '0', '--data-dir', dataDir])
    ends[kind] = code
  }
  expect(new Set(Object.values(ends))).toEqual(new Set([74]))
})
