import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createHome, type Home } from '../helpers/program.ts'
import {
  callServed,
  createNumberedFlow,
  readFolder,
  sendNumber,
  stop,
  UNLIMITED,
} from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { pause, report, scale } from './scale.ts'
import { onLinux, onPosix } from '../helpers/platform.ts'

const FULL = scale(10, 3)

interface Disk {
  readonly fill: () => void
  readonly empty: () => void
}

/**
 * A separate disk for the data folder that can be filled and emptied: one in memory; null if that isn't permitted.
 */
function aSmallDisk(home: Home): Disk | null {
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m,mode=700', 'tmpfs', home.dataDir], {
      stdio: 'ignore',
    })
  } catch {
    return null
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', home.dataDir], { stdio: 'ignore' }))
  const ballast = join(home.dataDir, 'ballast')
  return {
    fill() {
      const { bavail, bsize } = statfsSync(home.dataDir)
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize))
      } catch {
        // The program wrote in the meantime, so the disk is as full as possible.
      }
    },
    empty: () => rmSync(ballast, { force: true }),
  }
}

/** The same with a limit on the size of the process's files, so that every write to the log fails. */
function aLimit(pid: number): Disk {
  const limit = (bytes: string) =>
    void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  return { fill: () => limit('4096'), empty: () => limit('unlimited') }
}

it.runIf(onLinux)(
  'with a full disk, only stored requests are accepted and the rest get a retry response; reading continues, and it recovers',
  async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    const disk = aSmallDisk(home)
    const served = await home.serve({ env: UNLIMITED })
    const { fill, empty } = disk ?? aLimit(served.process.pid ?? 0)
    const flow = await createNumberedFlow(served, { async: true }, [
      { ref_id: 'a', type: 'set', config: { values: { text: '{{ "x" * 20000 }}' } } },
    ])
    const answered: number[] = []
    const others = new Set<string>()
    let n = 0
    let refused = 0
    const send = async () => {
      const answer = await sendNumber(served, flow, n)
      await answer.text()
      if (answer.status === 200) answered.push(n)
      else {
        refused++
        others.add(`${answer.status} ${answer.headers.get('retry-after')}`)
      }
      n++
      return answer.status
    }
    const health = async () => (await callServed<{ status: string }>(served, 'GET', '/v1/health')).status
    const seen: unknown[] = []
    for (let round = 0; round < FULL; round++) {
      while ((await send()) !== 200) await pause(50)
      fill()
      while ((await send()) !== 503);
      const listed = await callServed<unknown[]>(served, 'GET', '/v1/flow-runs')
      seen.push([await health(), Array.isArray(listed) && listed.length > 0])
      empty()
      while ((await send()) !== 200) await pause(50)
      while ((await health()) !== 'ok') await pause(50)
    }
    await untilIdle(served)
    const end = await stop(served)
    const { runs, isSound } = readFolder(home)
    const ran = new Set(runs.map(({ title }) => Number(title)))
    const lost = answered.filter((number) => !ran.has(number))
    const failed = runs.filter(({ status }) => status !== 'success')
    report(`a full disk (${disk ? 'one in memory' : 'a limit on files'})`, {
      times: FULL,
      sent: n,
      answered: answered.length,
      'told to come again': refused,
      lost: lost.length,
      failed: failed.length,
    })
    expect({
      end,
      isSound,
      lost,
      failed,
      others: [...others],
      seen: new Set(seen.map((one) => JSON.stringify(one))),
    }).toEqual({
      end: 0,
      isSound: true,
      lost: [],
      failed: [],
      others: ['503 5'],
      seen: new Set(['["degraded",true]']),
    })
  },
)

it.runIf(onLinux)(
  'with a full disk, runs of many callers at once are answered only if they are stored, and it recovers',
  async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    const served = await home.serve({ env: UNLIMITED })
    const { fill, empty } = aLimit(served.process.pid ?? 0)
    const flow = await createNumberedFlow(served, {}, [
      { ref_id: 'a', type: 'set', config: { values: { text: '{{ "x" * 2000 }}' } } },
    ])
    const answered: number[] = []
    const others = new Set<string>()
    let n = 0
    const sendMany = async () => {
      const statuses = await Promise.all(
        Array.from({ length: 16 }, async () => {
          const number = n++
          const answer = await sendNumber(served, flow, number)
          await answer.text()
          if (answer.status === 200) answered.push(number)
          else others.add(`${answer.status} ${answer.headers.get('retry-after')}`)
          return answer.status
        }),
      )
      return statuses.every((status) => status === 200)
    }
    for (let round = 0; round < FULL; round++) {
      for (let times = 0; times < 20; times++) await sendMany()
      fill()
      while (await sendMany());
      empty()
      while (!(await sendMany())) await pause(50)
    }
    const end = await stop(served)
    const { runs, isSound } = readFolder(home)
    const ran = new Set(runs.map(({ title }) => Number(title)))
    const lost = answered.filter((number) => !ran.has(number))
    report('a full disk under many callers', {
      times: FULL,
      sent: n,
      answered: answered.length,
      lost: lost.length,
    })
    expect({ end, isSound, lost, others: [...others] }).toEqual({
      end: 0,
      isSound: true,
      lost: [],
      others: ['503 5'],
    })
  },
)

it.runIf(onPosix)(
  "a folder that can't be written is rejected by name and left unchanged, and opens once it is writable",
  async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    await stop(await home.serve())
    const path = join(home.dataDir, 'millrace.db')
    const before = readFileSync(path)
    const release = protect(home)
    const during = await home.run(['serve', '--no-open', '--port', '0'])
    const isSame = readFileSync(path).equals(before)
    release()
    const end = await stop(await home.serve())
    expect({ code: during.code, said: during.stderr, isSame, end }).toEqual({
      code: 78,
      said: expect.stringContaining(home.dataDir),
      isSame: true,
      end: 0,
    })
  },
)

/** Makes the folder read-only for everybody, including root if root runs the test. */
function protect({ dataDir }: Home): () => void {
  try {
    execFileSync('mount', ['--bind', dataDir, dataDir], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'remount,bind,ro', dataDir], { stdio: 'ignore' })
    return () => void execFileSync('umount', [dataDir], { stdio: 'ignore' })
  } catch {
    // A user who can't mount a disk is bound by permissions.
    chmodSync(dataDir, 0o500)
    return () => chmodSync(dataDir, 0o700)
  }
}

it('a database that another program has open is rejected, and opens once it is free', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  await stop(await home.serve())
  const script = join(import.meta.dirname, '../store/fixtures/hold-database.ts')
  const holder = spawn(process.execPath, [script, join(home.dataDir, 'millrace.db')])
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  const during = await home.run(['serve', '--no-open', '--port', '0'])
  holder.kill('SIGKILL')
  await new Promise((resolve) => holder.once('close', resolve))
  const end = await stop(await home.serve())
  expect({ code: during.code, end }).toEqual({ code: 75, end: 0 })
})
