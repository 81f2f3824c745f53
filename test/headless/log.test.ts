/** The real program's log when it can't be written. */
import { execFileSync } from 'node:child_process'
import { constants, openSync, readFileSync, closeSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { askToEnd, onLinux, onPosix } from '../helpers/platform.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'

describe.runIf(process.platform === 'linux')(
  "a log that can't be written neither blocks nor ends the program",
  () => {
    let home: Home
    beforeEach(() => {
      home = createHome()
    })
    afterEach(() => home.remove())

    test.runIf(onLinux)('on a full disk', async () => {
      const served = await home.serve({ nodeArgs: bombed(home), stderr: openSync('/dev/full', 'w') })
      const answers = await fail(served, 50)
      askToEnd(served.process)
      expect({ answers, end: await served.ended }).toEqual({ answers: ['500'], end: 0 })
    })

    test('into a pipe that nobody reads', async () => {
      const served = await home.serve({ nodeArgs: bombed(home) })
      served.process.stderr?.destroy()
      const answers = await fail(served, 50)
      askToEnd(served.process)
      expect({ answers, end: await served.ended }).toEqual({ answers: ['500'], end: 0 })
    })

    test.runIf(onPosix)(
      'into a pipe whose reader stalls: once it reads again it gets the number of lines it missed',
      async () => {
        const fifo = join(home.folder, 'stderr')
        execFileSync('mkfifo', [fifo])
        const reader = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
        const served = await home.serve({ nodeArgs: bombed(home), stderr: openSync(fifo, 'w') })
        const answers = await fail(served, REQUESTS)
        let log = ''
        await vi.waitUntil(() => (log += readAll(reader)).includes('lines dropped'), { timeout: 60_000 })
        askToEnd(served.process)
        const end = await served.ended
        closeSync(reader)
        const { written, dropped, torn } = linesOf(log)
        expect({ answers, end, lines: written + dropped, torn, some: dropped > 0 }).toEqual({
          answers: ['500'],
          end: 0,
          lines: REQUESTS,
          torn: 0,
          some: true,
        })
      },
    )

    test.runIf(onLinux)(
      'on a disk that has space again: the log says how many lines are missing',
      async () => {
        const file = join(home.folder, 'log')
        const served = await home.serve({ nodeArgs: bombed(home), stderr: openSync(file, 'a') })
        const limit = (bytes: string) =>
          void execFileSync('prlimit', ['--pid', String(served.process.pid), `--fsize=${bytes}:unlimited`])
        limit('4096')
        const answers = await fail(served, 50)
        limit('unlimited')
        await fail(served, 1)
        askToEnd(served.process)
        const end = await served.ended
        expect({ answers, end, ...linesOf(readFileSync(file, 'utf8')) }).toEqual({
          answers: ['500'],
          end: 0,
          written: 1,
          dropped: 50,
          torn: 1,
        })
      },
    )
  },
)

/** Together with the long lines, this is more than a pipe and the program's buffer can hold. */
const REQUESTS = 120

/** Every load of the page fails with an unexpected error, which is logged as a line of 20 kB. */
function bombed(home: Home): readonly string[] {
  const bomb = join(home.folder, 'bomb.mjs')
  writeFileSync(
    bomb,
    `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { statSync } = fs
fs.statSync = (path, ...more) => {
  if (String(path).endsWith('index.html')) throw new Error('the bomb '.repeat(1_100))
  return statSync(path, ...more)
}
syncBuiltinESMExports()`,
  )
  return ['--import', pathToFileURL(bomb).href]
}

/** The distinct statuses of the responses. */
async function fail({ url }: Served, times: number): Promise<readonly string[]> {
  const statuses = new Set<string>()
  for (let n = 0; n < times; n++) {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    statuses.add(String(response.status))
    await response.text()
  }
  return [...statuses]
}

function readAll(fd: number): string {
  const chunk = Buffer.alloc(65_536)
  let text = ''
  for (;;) {
    try {
      text += chunk.toString('utf8', 0, readSync(fd, chunk))
    } catch {
      return text
    }
  }
}

function linesOf(log: string) {
  const counts = { written: 0, dropped: 0, torn: 0 }
  for (const line of log.split('\n').filter((text) => text !== '')) {
    try {
      const { err, dropped = 0 } = JSON.parse(line) as { err?: { message: string }; dropped?: number }
      counts.dropped += dropped
      if (err?.message.includes('the bomb')) counts.written++
    } catch {
      counts.torn++
    }
  }
  return counts
}
