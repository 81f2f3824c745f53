import Database from 'better-sqlite3'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startChild } from '../helpers/child.ts'
import { aClock, aStore } from '../helpers/store.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const DAY_MS = 86_400_000
const BACK_UP = new URL('./fixtures/back-up.ts', import.meta.url)

describe('backups', () => {
  it('are taken once a day, sound, for the owner alone, and seven are kept', async () => {
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
    expect(backups.every((backup) => (statSync(backup.path).mode & 0o777) === 0o600)).toBe(true)
  })

  it('are not put off by a clock that was set back', async () => {
    const clock = aClock()
    const store = await aStore({ clock })
    await store.backups.takeIfDue()
    clock.advance(-3 * DAY_MS)
    expect(await store.backups.takeIfDue()).not.toBe(null)
  })

  it('hold what was committed while they were taken', async () => {
    const store = await aStore()
    const path = join(temporaryFolder(), 'copy.db')
    const backup = store.backups.writeTo(path)
    await backup
    expect(soundness(path)).toBe('ok')
  })

  it('are whole or not there at all when the process is killed while it takes one', async () => {
    for (const delayMs of [0, 5, 20]) {
      const dataDir = temporaryFolder()
      const child = startChild(BACK_UP, [dataDir])
      expect(await child.line()).toBe('taking')
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      child.process.kill('SIGKILL')
      await child.ended
      const store = await aStore({ dataDir })
      expect(store.backups.list().map((backup) => soundness(backup.path))).not.toContain('broken')
      store.close()
      expect(readdirSync(join(dataDir, 'backups')).filter((name) => name.includes('partial'))).toEqual([])
    }
  })
})

function soundness(path: string): string {
  const db = new Database(path, { readonly: true })
  try {
    return db.pragma('integrity_check', { simple: true }) === 'ok' ? 'ok' : 'broken'
  } finally {
    db.close()
  }
}
