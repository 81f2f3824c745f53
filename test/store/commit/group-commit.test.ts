import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StoreWriteError } from '../../../src/main/store/sql/errors.ts'
import { createWriter, type WriterOptions } from '../../../src/main/store/commit/group-commit.ts'
import { aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

describe('write', () => {
  it('commits all writes of one event loop iteration at once', async () => {
    const { writer, statements, insert, names } = aWriter()
    await Promise.all(Array.from({ length: 40 }, (_, index) => writer.write(() => insert(`row ${index}`))))
    expect(statements.filter((sql) => /^(BEGIN|COMMIT)/.test(sql))).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
    expect(names()).toEqual(Array.from({ length: 40 }, (_, index) => `row ${index}`))
  })

  it('includes the writes of the next iteration, unless the first has waited too long', async () => {
    let now = 0
    const { writer, statements, insert } = aWriter({ monotonic: () => now })
    const commitsOfTwo = async (passed: number) => {
      const first = writer.write(() => insert(`first, ${passed}`))
      now += passed
      await nextTurn()
      await Promise.all([first, writer.write(() => insert(`second, ${passed}`))])
      return statements.splice(0).filter((sql) => sql === 'COMMIT').length
    }
    expect([await commitsOfTwo(0.5), await commitsOfTwo(5)]).toEqual([1, 2])
  })

  it('returns the result of the work once it is committed', async () => {
    const { db, writer, insert } = aWriter()
    const during: boolean[] = []
    const result = await writer.write(() => {
      during.push(db.inTransaction)
      insert('a')
      return 42
    })
    expect({ result, during, inTransaction: db.inTransaction }).toEqual({
      result: 42,
      during: [true],
      inTransaction: false,
    })
  })

  it('rolls back and rejects one that throws, and commits the others', async () => {
    const { writer, insert, names } = aWriter()
    const outcomes = await Promise.allSettled([
      writer.write(() => insert('a')),
      writer.write(() => {
        insert('half of it')
        throw new Error('no')
      }),
      writer.write(() => insert('a')), // breaks the UNIQUE rule
      writer.write(() => insert('b')),
    ])
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(outcomes[2]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } })
    expect(names()).toEqual(['a', 'b'])
  })

  it('rejects work that would continue after the commit', async () => {
    const { writer, insert, names } = aWriter()
    const going = writer.write(async () => {
      insert('a')
    })
    await expect(going).rejects.toThrow(/synchronous/)
    expect(names()).toEqual([])
  })

  it("splits an iteration with very many writes, so that the event loop isn't blocked", async () => {
    const { writer, statements, insert, names } = aWriter()
    await Promise.all(Array.from({ length: 1_300 }, (_, index) => writer.write(() => insert(`row ${index}`))))
    expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(3)
    expect(names()).toHaveLength(1_300)
  })
})

describe('writeNow', () => {
  it('commits the queue first, in order, and then itself', async () => {
    const { writer, statements, insert, names } = aWriter()
    const queued = writer.write(() => insert('first'))
    expect(writer.writeNow(() => insert('second'))).toBe(2)
    expect(names()).toEqual(['first', 'second'])
    expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(1)
    expect(await queued).toBe(1)
  })

  it('throws what its work throws and rolls it back', () => {
    const { writer, insert, names } = aWriter()
    const work = () => {
      insert('a')
      throw new Error('no')
    }
    expect(() => writer.writeNow(work)).toThrow('no')
    expect(names()).toEqual([])
  })
})

describe('a full disk', () => {
  it('rejects the whole group as unavailable, keeps existing data, and recovers by itself', async () => {
    const { db, writer, insert, names } = aWriter()
    await writer.write(() => insert('before'))
    db.pragma('max_page_count = 4', { simple: true })
    const outcomes = await Promise.allSettled([
      writer.write(() => insert('small')),
      writer.write(() => insert('x'.repeat(50_000))),
    ])
    expect(outcomes).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    for (const outcome of outcomes) {
      const reason: unknown = outcome.status === 'rejected' ? outcome.reason : null
      expect(reason).toBeInstanceOf(StoreWriteError)
      expect(reason).toMatchObject({ kind: 'full', code: 'unavailable', headers: { 'Retry-After': '5' } })
    }
    expect(names()).toEqual(['before'])
    db.pragma('max_page_count = 1000', { simple: true })
    await writer.write(() => insert('after'))
    expect(names()).toEqual(['before', 'after'])
  })
})

describe('the end', () => {
  it('commits the queue and rejects later writes', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    const ran: string[] = []
    const queued = store.write(() => ran.push('queued'))
    store.close()
    await queued
    await expect(store.write(() => ran.push('late'))).rejects.toMatchObject({
      kind: 'closed',
      code: 'unavailable',
    })
    expect(ran).toEqual(['queued'])
  })
})

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

function aWriter(options: WriterOptions = {}) {
  const statements: string[] = []
  const db = new Database(join(temporaryFolder(), 'a.db'), { verbose: (sql) => statements.push(String(sql)) })
  onTestFinished(() => void db.close())
  db.pragma('journal_mode = WAL', { simple: true })
  db.exec('CREATE TABLE t (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT')
  const statement = db.prepare('INSERT INTO t (name) VALUES (?)')
  return {
    db,
    statements,
    writer: createWriter(db, options),
    insert: (name: string) => statement.run(name).lastInsertRowid,
    names: () => db.prepare('SELECT name FROM t ORDER BY key').pluck().all(),
  }
}
