import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { onLinux } from '../helpers/platform.ts'
import { createHome } from '../helpers/program.ts'
import { callOrThrow, createNumberedFlow, kill, readFolder, sendNumber, stop } from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(30, 1)

it.runIf(onLinux)('a program ends with the killed Millrace, and runs again with the same key', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const log = join(home.folder, 'log')
  const script = join(home.folder, 'script.cjs')
  // The first attempt of each run waits to be killed.
  writeFileSync(
    script,
    `const { appendFileSync, existsSync, readFileSync } = require('node:fs')
    const log = ${JSON.stringify(log)}
    const key = process.env.MILLRACE_IDEMPOTENCY_KEY
    const isFirst = !existsSync(log) || !readFileSync(log, 'utf8').includes(key)
    appendFileSync(log, process.pid + ' ' + key + '\\n')
    if (isFirst) setInterval(() => {}, 1e6)`,
  )
  /** Process ID and key of every attempt, in order. */
  const attempts = () => {
    const text = existsSync(log) ? readFileSync(log, 'utf8') : ''
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ') as [string, string])
  }
  let served = await home.serve()
  const program = {
    name: 'script',
    path: process.execPath,
    arguments: [script],
    environment: ['MILLRACE_IDEMPOTENCY_KEY'],
  }
  await callOrThrow(served, 'PUT', '/v1/settings', { programs: [program] })
  const steps = [{ ref_id: 'it', type: 'run_program', config: { program: 'script' } }]
  const flow = await createNumberedFlow(served, { async: true }, steps)

  for (let round = 0; round < KILLS; round++) {
    await sendNumber(served, flow, round)
    await expect.poll(() => attempts().length).toBe(round * 2 + 1)
    await randomPause(0, scale(100, 0))
    await kill(served)
    const [pid = ''] = attempts().at(-1) ?? []
    await expect.poll(() => isAlive(pid)).toBe(false)
    served = await home.serve()
    await untilIdle(served)
  }
  const end = await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const tried = Map.groupBy(attempts(), ([, key]) => key)
  report('kill -9 while programs run', { kills: KILLS, runs: runs.length, attempts: attempts().length })
  expect({
    end,
    isSound,
    queued,
    statuses: runs.map(({ status }) => status),
    attempts: [...tried.values()].map((list) => list.length),
  }).toEqual({
    end: 0,
    isSound: true,
    queued: 0,
    statuses: Array.from({ length: KILLS }, () => 'success'),
    attempts: Array.from({ length: KILLS }, () => 2),
  })
})

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
