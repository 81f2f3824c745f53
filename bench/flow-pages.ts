/**
 * A webhook flow that reads 100 pages of 100 records, with its history, compared with a hand-written loop; and the disk
 * space of such a run. The flow and the loop alternate, and their medians are compared.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from 'undici'
import { createFlow, type HookAddress } from './lib/create-flow.ts'
import { median, type Benchmark, type Figure } from './lib/figure.ts'
import { startMillrace, type StartedMillrace } from './lib/millrace.ts'
import { startPagedApi } from './lib/paged-api.ts'
import { pagesFlow, readByHand } from './lib/pages-flow.ts'
import { withFolder } from './lib/with-folder.ts'

const PAGES = 100
const RECORDS = 100
const WARM_UP = 5
const ROUNDS = 25
const MOST_TIMES = 1.7
const MOST_MB = 0.25

export const benchmark: Benchmark = {
  title: `A webhook flow that reads ${PAGES} pages of ${RECORDS} records, history on`,
  async run() {
    const api = await startPagedApi(PAGES, RECORDS)
    try {
      return await withFolder((folder) => measure(folder, api.url))
    } finally {
      await api.close()
    }
  },
}

/** Measures the disk space while the program is stopped, because the database log is empty then. */
async function measure(folder: string, url: string): Promise<Figure[]> {
  const first = await startMillrace(folder)
  const hook = await createFlow(`http://127.0.0.1:${first.port}`, first.bearer, pagesFlow(url))
  await readInTurns(url, first, hook, ROUNDS)
  await first.program.end()
  const before = sizeOf(folder)
  const second = await startMillrace(folder)
  await readInTurns(url, second, hook, WARM_UP)
  const { byHand, ours } = await readInTurns(url, second, hook, ROUNDS)
  await second.program.end()
  const megabytes = (sizeOf(folder) - before) / (WARM_UP + ROUNDS) / 1_000_000
  return [
    {
      what: 'time to the response',
      unit: 'ms',
      ours: median(ours),
      beside: { name: 'undici by hand', value: median(byHand) },
      goal: `at most ${MOST_TIMES} times`,
      isMet: median(ours) <= MOST_TIMES * median(byHand),
    },
    {
      what: 'disk space of the run',
      unit: 'MB',
      ours: megabytes,
      goal: `at most ${MOST_MB} MB`,
      isMet: megabytes <= MOST_MB,
    },
  ]
}

async function readInTurns(url: string, millrace: StartedMillrace, hook: HookAddress, rounds: number) {
  const agent = new Agent()
  const [byHand, ours]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    byHand.push(await timed(() => readByHand(url, agent)))
    ours.push(await timed(() => runFlow(millrace, hook)))
  }
  await agent.close()
  return { byHand, ours }
}

async function runFlow({ port }: StartedMillrace, { path, headers }: HookAddress): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: '{}' })
  const text = await response.text()
  if (!response.ok) throw new Error(`the flow answered ${response.status}: ${text}`)
  return (JSON.parse(text) as { count: number }).count
}

/** Milliseconds. */
async function timed(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const records = await work()
  if (records !== PAGES * RECORDS) throw new Error(`${records} records instead of ${PAGES * RECORDS}`)
  return performance.now() - startedAt
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
