import Database from 'better-sqlite3'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createReserve } from '../../../src/main/store/folder/reserve.ts'
import { createWriter } from '../../../src/main/store/commit/group-commit.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const GIGABYTE = 1024 ** 3

describe('while the disk is full', () => {
  it('the reserve is released, deleting works, growing is rejected, and all recovers by itself', async () => {
    const { db, writer, path, disk, insert, count } = aFullDisk()
    for (let row = 0; row < 40; row++) writer.writeNow(() => insert('x'.repeat(3_000)))
    disk.free = 1_000
    db.pragma('max_page_count = 1', { simple: true }) // cut to the present size: nothing more fits
    await expect(writer.write(() => insert('x'.repeat(9_000)))).rejects.toMatchObject({ kind: 'full' })
    expect(existsSync(path)).toBe(false)

    db.pragma('max_page_count = 100000', { simple: true }) // the room that the reserve gave back
    const outcomes = await Promise.allSettled([
      writer.write(() => insert('x'.repeat(9_000))),
      writer.write(() => db.prepare('DELETE FROM t WHERE key <= 10').run().changes),
      writer.write(() => insert('fits into what was freed')),
      writer.write(() => insert('x'.repeat(90_000))),
    ])
    expect(outcomes).toMatchObject([
      { reason: { kind: 'full', code: 'unavailable' } },
      { value: 10 },
      { status: 'fulfilled' },
      { reason: { kind: 'full' } },
    ])
    expect(count()).toBe(31)

    disk.free = GIGABYTE
    await writer.write(() => insert('x'.repeat(90_000)))
    expect(count()).toBe(32)
    await expect.poll(() => statSync(path, { throwIfNoEntry: false })?.size).toBe(16 * 1024 * 1024)
  })

  it("the reserve is kept if the disk isn't the reason", async () => {
    const { db, writer, path, insert } = aFullDisk()
    db.pragma('max_page_count = 1', { simple: true })
    await expect(writer.write(() => insert('x'.repeat(90_000)))).rejects.toMatchObject({ kind: 'full' })
    expect(existsSync(path)).toBe(true)
  })
})

function aFullDisk() {
  const dir = temporaryFolder()
  const path = join(dir, 'millrace.reserve')
  writeFileSync(path, 'the reserve')
  const disk = { free: GIGABYTE }
  const db = new Database(join(dir, 'a.db'))
  db.pragma('journal_mode = WAL', { simple: true })
  db.exec('CREATE TABLE t (key INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT')
  const reserve = createReserve(path, { freeBytes: () => disk.free, fillAfterMs: 0 })
  const writer = createWriter(db, {
    space: {
      isShort: reserve.isShort,
      noteFailure: reserve.noteFailure,
      clearLog: () => db.pragma('wal_checkpoint(PASSIVE)', { simple: true }),
    },
  })
  onTestFinished(() => {
    reserve.close()
    db.close()
  })
  const statement = db.prepare('INSERT INTO t (value) VALUES (?)')
  return {
    db,
    writer,
    path,
    disk,
    insert: (value: string) => statement.run(value).changes,
    count: () => db.prepare('SELECT count(*) FROM t').pluck().get(),
  }
}
