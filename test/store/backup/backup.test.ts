import Database from 'better-sqlite3'
import { mkdirSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startChild } from '../../helpers/child.ts'
import type { Store } from '../../../src/main/store/index.ts'
import { aFlow, aFlowRun, aRunStep } from '../../helpers/records.ts'
import { aClock, aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { isPrivate } from '../../helpers/platform.ts'

const DAY_MS = 86_400_000
const BACK_UP = new URL('../fixtures/back-up.ts', import.meta.url)

describe('backups', () => {
  it('are taken once a day, sound, only for the owner, and seven are kept', async () => {
    const clock = aClock()
    const store = await aStore({ clock })
    for (let day = 0; day < 9; day++) {
      expect(await store.backups.takeIfDue()).not.toBe(null)
      clock.advance(DAY_MS / 2)
      expect(await store.backups.takeIfDue()).toBe(null)
      clock.advance(DAY_MS / 2)
    }
    const backups = store.backups.list()
    expect(readdirSync(join(store.dataDir, 'backups'))).toHaveLength(7)
    expect(backups.map((backup) => backup.created_at)).toEqual(
      [8, 7, 6, 5, 4, 3, 2].map((day) =>
        new Date(Date.parse('2026-03-01T12:00:00Z') + day * DAY_MS).toISOString(),
      ),
    )
    expect(backups.map((backup) => soundness(backup.path))).toEqual(Array(7).fill('ok'))
    expect(backups.every((backup) => isPrivate(backup.path))).toBe(true)
  })

  it("aren't delayed if the clock is set back", async () => {
    const clock = aClock()
    const store = await aStore({ clock })
    await store.backups.takeIfDue()
    clock.advance(-3 * DAY_MS)
    expect(await store.backups.takeIfDue()).not.toBe(null)
  })

  it('contain what was committed while they were taken', async () => {
    const store = await aStore()
    const flow = aFlow()
    await store.write(() => store.flows.insert(flow))
    for (let group = 0; group < 4; group++) await addRuns(store, flow.id, 500)
    const path = join(temporaryFolder(), 'copy.db')
    const backup = store.backups.writeTo(path)
    await addRuns(store, flow.id, 10)
    await backup
    expect({ soundness: soundness(path), runs: read(path, 'SELECT count(*) FROM flow_runs') }).toEqual({
      soundness: 'ok',
      runs: 2_010,
    })
  })

  it('are complete or absent if the process is killed while it takes one', async () => {
    for (const changes of [0, 1, 4]) {
      const dataDir = temporaryFolder()
      const taken = untilChanged(join(dataDir, 'backups'), changes)
      const child = startChild(BACK_UP, [dataDir])
      expect(await child.line()).toBe('taking')
      await taken
      child.process.kill('SIGKILL')
      await child.ended
      const store = await aStore({ dataDir })
      expect(store.backups.list().map((backup) => soundness(backup.path))).not.toContain('broken')
      store.close()
      const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
      expect(names.filter((name) => name.includes('partial'))).toEqual([])
    }
  })
})

/** Creates a folder, and resolves after this many changes of the files in it. */
async function untilChanged(dir: string, changes: number): Promise<void> {
  mkdirSync(dir, { mode: 0o700 })
  if (changes === 0) return
  const watcher = watch(dir)
  let seen = 0
  await new Promise<void>((resolve) => watcher.on('change', () => void (++seen === changes && resolve())))
  watcher.close()
}

async function addRuns(store: Store, flowId: string, count: number): Promise<void> {
  await store.write(() => {
    for (let run = 0; run < count; run++) {
      const steps = [aRunStep({ output: 'x'.repeat(1_000) })]
      store.flowRuns.insert(aFlowRun({ id: store.flowRuns.newId(), flow_id: flowId }), { steps })
    }
  })
}

const soundness = (path: string) => (read(path, 'PRAGMA integrity_check') === 'ok' ? 'ok' : 'broken')

function read(path: string, sql: string): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).pluck().get()
  } finally {
    db.close()
  }
}
