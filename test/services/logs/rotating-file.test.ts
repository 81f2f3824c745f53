import { spawn } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createRotatingFile } from '../../../src/main/services/serving/logs/rotating-file.ts'
import { readLogs } from '../../../src/main/services/serving/logs/read-logs.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { isPrivate } from '../../helpers/platform.ts'

const line = (n: number) =>
  `${JSON.stringify({ level: 30, time: '2026-03-01T12:00:00.000Z', msg: `line ${n}` })}\n`
const filesOf = (folder: string) => readdirSync(folder).toSorted()
const linesOf = (folder: string) =>
  filesOf(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((text) => text !== ''),
  )

test('files are bounded in size and number, and a new start continues the newest', () => {
  const folder = join(temporaryFolder(), 'logs')
  const options = { folder, name: 'millrace' as const, maxBytes: 1_000, maxFiles: 3 }
  const errors: unknown[] = []
  const write = (from: number, to: number) => {
    const file = createRotatingFile(options)
    for (let n = from; n < to; n++) file.write(line(n), (error) => error && errors.push(error))
    file.close()
  }
  write(0, 100)
  write(100, 101)
  const names = filesOf(folder)
  const numbers = linesOf(folder).map((text) => Number(/line (\d+)/.exec(text)?.[1]))
  expect({
    errors,
    files: names.length,
    largest: Math.max(...names.map((name) => statSync(join(folder, name)).size)) <= 1_000,
    isPrivate: names.every((name) => isPrivate(join(folder, name))),
    contiguous: numbers.every((number, at) => number === (numbers[0] ?? 0) + at),
    last: numbers.at(-1),
  }).toEqual({ errors: [], files: 3, largest: true, isPrivate: true, contiguous: true, last: 100 })
})

test('a process that is killed leaves complete files: no line is lost, repeated or out of order', async () => {
  const folder = join(temporaryFolder(), 'logs')
  const module = join(import.meta.dirname, '../../../src/main/services/serving/logs/rotating-file.ts')
  const script = join(temporaryFolder(), 'write.mjs')
  writeFileSync(
    script,
    `import { createRotatingFile } from ${JSON.stringify(module)}
const file = createRotatingFile({ folder: ${JSON.stringify(folder)}, name: 'millrace', maxBytes: 2_000, maxFiles: 4 })
let n = Number(process.argv[2])
for (;;) file.write(JSON.stringify({ level: 30, msg: \`line \${n++}\` }) + '\\n', (error) => { if (error) throw error })`,
  )
  for (let round = 0, next = 0; round < 5; round++) {
    const child = spawn(process.execPath, [script, String(next)], { stdio: 'inherit' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const newest = () => Number(/(\d+)\.log$/.exec(filesOf(folder).at(-1) ?? '')?.[1] ?? 0)
    const before = round === 0 ? 0 : newest()
    await vi.waitUntil(() => (round === 0 ? filesOfOrNone(folder) > 3 : newest() > before + 3), {
      timeout: 20_000,
      interval: 1,
    })
    child.kill('SIGKILL')
    await ended
    const numbers = linesOf(folder).map((text) => Number(/line (\d+)"/.exec(text)?.[1]))
    const gaps = numbers.filter((number, at) => at > 0 && number !== (numbers[at - 1] ?? 0) + 1)
    expect({ gaps, files: filesOf(folder).length <= 5 }).toEqual({ gaps: [], files: true })
    next = (numbers.at(-1) ?? 0) + 1
  }
})

function filesOfOrNone(folder: string): number {
  try {
    return filesOf(folder).length
  } catch {
    return 0
  }
}

test('an incomplete line, left by a kill or a full disk, is ended before the next one', async () => {
  const folder = join(temporaryFolder(), 'logs')
  const first = createRotatingFile({ folder, name: 'millrace' })
  first.write(line(1), () => undefined)
  first.close()
  appendFileSync(join(folder, 'millrace.000001.log'), '{"level":50,"ti')
  const second = createRotatingFile({ folder, name: 'millrace' })
  second.write(line(2), () => undefined)
  second.close()
  const entries = await readLogs(folder, { limit: 10 })
  expect(entries.map(({ message, level }) => [level, message])).toEqual([
    ['info', 'line 2'],
    ['warn', '{"level":50,"ti'],
    ['info', 'line 1'],
  ])
})

test('lines are found by level, text and time, in pages over several files, or after a given line', async () => {
  const folder = join(temporaryFolder(), 'logs')
  const file = createRotatingFile({ folder, name: 'millrace', maxBytes: 500, maxFiles: 20 })
  for (let n = 0; n < 40; n++) {
    const time = new Date(Date.UTC(2026, 2, 1, 12, n)).toISOString()
    const text = JSON.stringify({ level: n % 10 === 0 ? 50 : 40, time, flowId: `f${n}`, msg: `Line ${n}` })
    file.write(`${text}\n`, () => undefined)
  }
  file.close()
  const messages = async (query: object) =>
    (await readLogs(folder, { limit: 100, ...query })).map(({ message }) => message)
  const page = await readLogs(folder, { limit: 3 })
  expect({
    errors: await messages({ level: 'error' }),
    text: await messages({ text: '"F17"' }),
    time: await messages({ since: Date.UTC(2026, 2, 1, 12, 37), until: Date.UTC(2026, 2, 1, 12, 38) }),
    next: (await messages({ after: page.at(-1)?.id })).slice(0, 2),
    newer: await messages({ newerThan: page[1]?.id }),
    all: (await messages({})).length,
    details: page[0]?.details,
  }).toEqual({
    errors: ['Line 30', 'Line 20', 'Line 10', 'Line 0'],
    text: ['Line 17'],
    time: ['Line 38', 'Line 37'],
    next: ['Line 36', 'Line 35'],
    newer: ['Line 39'],
    all: 40,
    details: { flowId: 'f39' },
  })
})
