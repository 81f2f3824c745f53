import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { onLinux } from '../helpers/platform.ts'
import { createHome } from '../helpers/program.ts'
import { callOrThrow, createNumberedFlow, kill, readFolder, sendNumber, stop } from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'

it.runIf(onLinux)('a program ends with the killed Millrace, and runs again with the same key', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const log = join(home.folder, 'log')
  const script = join(home.folder, 'script.cjs')
  // The first attempt waits to be killed.
  writeFileSync(
    script,
    `const { appendFileSync, existsSync } = require('node:fs')
    const log = ${JSON.stringify(log)}
    const isFirst = !existsSync(log)
    appendFileSync(log, process.pid + ' ' + process.env.MILLRACE_IDEMPOTENCY_KEY + '\\n')
    if (isFirst) setInterval(() => {}, 1e6)`,
  )
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
  await sendNumber(served, flow, 0)
  await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8').endsWith('\n')).toBe(true)
  await kill(served)
  const [first] = readFileSync(log, 'utf8').split(' ')
  await expect
    .poll(() => {
      try {
        return (
          process.kill(Number(first), 0) &&
          !/^State:\s+Z/m.test(readFileSync(`/proc/${first}/status`, 'utf8'))
        )
      } catch {
        return false
      }
    })
    .toBe(false)
  served = await home.serve()
  await untilIdle(served)
  const end = await stop(served)
  const attempts = readFileSync(log, 'utf8').trim().split('\n')
  const { runs, isSound } = readFolder(home)
  expect({
    end,
    isSound,
    statuses: runs.map(({ status }) => status),
    attempts: attempts.length,
    keys: new Set(attempts.map((line) => line.split(' ')[1])).size,
  }).toEqual({ end: 0, isSound: true, statuses: ['success'], attempts: 2, keys: 1 })
})
