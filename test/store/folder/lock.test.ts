import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { StoreOpenError } from '../../../src/main/store/sql/errors.ts'
import { acquireLock, readLock } from '../../../src/main/store/folder/lock.ts'
import { startChild } from '../../helpers/child.ts'
import { aStore } from '../../helpers/store.ts'
import { spoofedSystem } from '../../helpers/spoofed-system.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const OPEN_STORE = new URL('../fixtures/open-store.ts', import.meta.url)
const DIE_AT_LOCK = new URL('../fixtures/die-at-lock.ts', import.meta.url)
const HOLD_FOLDER = new URL('../fixtures/hold-folder.ts', import.meta.url)
const RACE_FOR_LOCK = new URL('../fixtures/race-for-lock.ts', import.meta.url)

/** The moment after most calls is the same as before the next one. */
const momentsOf = (call: string) => (/link|rename/.test(call) ? ['before', 'after'] : ['before'])

describe('the lock of a data folder', () => {
  it('keeps a second process out, and names the first', async () => {
    const dataDir = temporaryFolder()
    const child = startChild(OPEN_STORE, [dataDir])
    expect(await child.line()).toBe('open')
    const error = await aStore({ dataDir }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(StoreOpenError)
    expect(error).toMatchObject({
      kind: 'locked',
      message: expect.stringContaining(`(process ${child.process.pid}, `),
    })
  })

  it('keeps a second opening in the same process out', async () => {
    const dataDir = temporaryFolder()
    await aStore({ dataDir })
    await expect(aStore({ dataDir })).rejects.toMatchObject({ kind: 'locked' })
  })

  it('is free again after a clean shutdown', async () => {
    const dataDir = temporaryFolder()
    const child = startChild(OPEN_STORE, [dataDir])
    await child.line()
    child.process.stdin?.end('end\n')
    expect(await child.ended).toBe(0)
    expect(readdirSync(dataDir)).toEqual(['millrace.db'])
    expect((await aStore({ dataDir })).endedCleanly).toBe(true)
  })

  it('is taken over from a killed process', async () => {
    const dataDir = temporaryFolder()
    const child = startChild(OPEN_STORE, [dataDir])
    await child.line()
    child.process.kill('SIGKILL')
    await child.ended
    expect(existsSync(join(dataDir, 'millrace.lock'))).toBe(true)
    await aStore({ dataDir })
    expect((await readLock(dataDir))?.pid).toBe(process.pid)
  })

  it('is taken over if another process has the ID of the dead one', async () => {
    const dataDir = temporaryFolder()
    const lock = await acquireLock(join(dataDir, 'millrace.lock'), 'boot-1')
    const record = JSON.parse(readFileSync(join(dataDir, 'millrace.lock'), 'utf8')) as object
    lock.release()
    const stale = { ...record, boot_id: 'boot-0', process_start: 'some other time' }
    writeFileSync(join(dataDir, 'millrace.lock'), JSON.stringify(stale))
    expect(await readLock(dataDir)).toBe(null)
    await aStore({ dataDir })
  })

  it('is free at once if a process was killed at any call while locking, and leaves nothing behind', async () => {
    const calls = ['openSync', 'writeSync', 'closeSync', 'linkSync', 'renameSync', 'rmSync']
    const stale = JSON.stringify({ pid: 2 ** 22 + 1, boot_id: 'dead' })
    const killed: string[] = []
    for (const [name, found] of Object.entries({ absent: null, stale })) {
      const deaths = calls.flatMap((call) =>
        momentsOf(call).map(async (moment) => {
          const dataDir = temporaryFolder()
          const path = join(dataDir, 'millrace.lock')
          if (found !== null) writeFileSync(path, found)
          const end = await startChild(DIE_AT_LOCK, [path, call, moment]).ended
          if (end === 'SIGKILL') killed.push(`${name} ${call}`)
          return { path, left: `${call} ${moment}` }
        }),
      )
      for (const { path, left } of await Promise.all(deaths)) {
        const next = await acquireLock(path, 'next')
        next.release()
        expect({ left, files: readdirSync(dirname(path)) }).toEqual({ left, files: [] })
      }
    }
    const each = (found: string) => calls.map((call) => `${found} ${call}`)
    const reached = [...each('absent').filter((one) => !one.endsWith('renameSync')), ...each('stale')]
    expect(new Set(killed)).toEqual(new Set(reached))
  }, 60_000)

  it('is taken over at once if a file without a complete record is in its place', async () => {
    for (const text of ['', '{"pid"']) {
      const dataDir = temporaryFolder()
      writeFileSync(join(dataDir, 'millrace.lock'), text)
      await aStore({ dataDir })
      expect((await readLock(dataDir))?.pid).toBe(process.pid)
    }
  })

  it('goes to one of several processes that find it stale at the same moment', async () => {
    const dataDir = temporaryFolder()
    const path = join(dataDir, 'millrace.lock')
    const takers = Array.from({ length: 6 }, () => startChild(RACE_FOR_LOCK, [path]))
    await Promise.all(takers.map((taker) => taker.line()))
    for (let round = 0; round < 12; round++) {
      // The lock file is stale in one round, absent in the next, then empty; in some rounds, the guard of a dead
      // process is in the way.
      if (round % 4 === 2) writeFileSync(path, '')
      if (round % 4 === 0) writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, boot_id: `dead-${round}` }))
      if (round % 3 === 0)
        writeFileSync(`${path}.takeover`, JSON.stringify({ pid: 2 ** 22 + 1, boot_id: 'dead' }))
      for (const taker of takers) taker.process.stdin?.write('take\n')
      const answers = await Promise.all(takers.map((taker) => taker.line()))
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1)
      expect(answers.filter((answer) => answer === 'locked')).toHaveLength(5)
      for (const taker of takers) taker.process.stdin?.write('release\n')
      await Promise.all(takers.map((taker) => taker.line()))
    }
  })
})

describe('the URL in the lock file', () => {
  it('is available to the commands of the same user once the host listens', async () => {
    const dataDir = temporaryFolder()
    const store = await aStore({ dataDir })
    expect(await readLock(dataDir)).toMatchObject({ pid: process.pid, port: null, owner_secret: null })
    store.lock.publish({ port: 4747, ownerSecret: 'secret' })
    expect(await readLock(dataDir)).toMatchObject({
      pid: process.pid,
      boot_id: store.bootId,
      port: 4747,
      owner_secret: 'secret',
    })
    store.close()
    expect(await readLock(dataDir)).toBe(null)
  })
})

describe('the holder of a folder', () => {
  it('is recognized on macOS from another time zone and in another language', async () => {
    const dataDir = temporaryFolder()
    const system = spoofedSystem('darwin')
    vi.stubEnv('TZ', 'UTC')
    vi.stubEnv('LANG', 'en_US.UTF-8')
    const child = startChild(HOLD_FOLDER, [join(dataDir, 'millrace.lock'), 'darwin'])
    const bootId = await child.line()
    vi.stubEnv('TZ', 'Asia/Tokyo')
    vi.stubEnv('LANG', 'de_DE.UTF-8')
    const refused = await acquireLock(join(dataDir, 'millrace.lock'), 'boot-2', system).catch(String)
    const held = await readLock(dataDir, system)
    child.process.kill('SIGKILL')
    await child.ended
    vi.unstubAllEnvs()
    expect({ refused, held, afterwards: await readLock(dataDir, system) }).toEqual({
      refused: expect.stringContaining(`is in use by another Millrace (process ${child.process.pid}, `),
      held: expect.objectContaining({ boot_id: bootId, port: 4747 }),
      afterwards: null,
    })
  })

  it('is whoever has the pipe on Windows, and never a process with a reused ID', async () => {
    const dataDir = temporaryFolder()
    const path = join(dataDir, 'millrace.lock')
    const system = spoofedSystem('win32')
    const child = startChild(HOLD_FOLDER, [path, 'win32'])
    const bootId = await child.line()
    const other = startChild(HOLD_FOLDER, [path, 'win32'])
    const refused = await other.line()
    const held = await readLock(dataDir, system)
    child.process.kill('SIGKILL')
    await child.ended
    // A killed process leaves its file. Its process ID soon belongs to another process, which is alive.
    const left = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...left, pid: process.pid }))
    const afterwards = await readLock(dataDir, system)
    const lock = await acquireLock(path, 'boot-2', system)
    const again = await acquireLock(path, 'boot-3', system).catch(String)
    const taken = await readLock(dataDir, system)
    lock.release()
    expect({
      refused,
      held,
      afterwards,
      again,
      taken,
      released: await readLock(dataDir, system),
      files: readdirSync(dataDir),
    }).toEqual({
      refused: expect.stringContaining(`is in use by another Millrace (process ${child.process.pid}, `),
      held: expect.objectContaining({ boot_id: bootId, port: 4747, owner_secret: 'secret' }),
      afterwards: null,
      again: expect.stringContaining('is in use by another Millrace'),
      taken: expect.objectContaining({ boot_id: 'boot-2', port: null }),
      released: null,
      files: [],
    })
  })

  it('has no URL on Windows while the lock file is still from an earlier process', async () => {
    const dataDir = temporaryFolder()
    const path = join(dataDir, 'millrace.lock')
    const system = spoofedSystem('win32')
    const lock = await acquireLock(path, 'boot-2', system)
    writeFileSync(path, JSON.stringify({ pid: 1, boot_id: 'boot-1', port: 4747, owner_secret: 'old' }))
    const starting = await readLock(dataDir, system)
    lock.release()
    expect(starting).toMatchObject({ port: null, owner_secret: null })
  })
})
