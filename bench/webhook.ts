/**
 * Webhooks: one `set` step, a templated JSON response, the run saved before the response is sent (`synchronous=FULL`);
 * the same flow asynchronously, accepted and executed, also when the program is killed under load. Compared with bare
 * Express, which parses the same JSON and stores one row per request.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HookAddress } from './lib/create-flow.ts'
import { besides, inTurns, startExpress, type Round } from './lib/beside-express.ts'
import { median, type Benchmark, type Figure, type Wishes } from './lib/figure.ts'
import { load, sendOnce } from './lib/load.ts'
import { startMillrace, type StartedMillrace } from './lib/millrace.ts'
import { createOrderFlow, ORDER } from './lib/orders.ts'
import type { EventLoopDelay, Program } from './lib/program.ts'
import { countRuns, untilNoneWaits } from './lib/runs.ts'
import { withFolder } from './lib/with-folder.ts'

const CONNECTIONS = 32
const WARM_UP_MS = 2_000
const MEASURE_MS = 4_000
const ROUNDS = 3
const STARTS = 5
const IDLE_MS = 5_000
const ASYNC_MS = 3_000
const KILL_AFTER_MS = 2_000

export const benchmark: Benchmark = {
  title: 'Webhooks, one step, history committed before the answer',
  run: (wishes) => withFolder((folder) => measure(folder, wishes)),
}

async function measure(folder: string, wishes: Wishes): Promise<Figure[]> {
  const hook = await prepare(folder, SYNC)
  const asyncHook = await prepare(folder, ASYNC)
  return [
    ...(await measureThroughput(folder, hook, wishes)),
    ...(await measureStart(folder, hook)),
    ...(await measureQueue(folder, asyncHook, wishes)),
    await measureLost(folder, asyncHook),
    await measureIdle(folder),
  ]
}

const SYNC = { response_body: '{ "order": {{ hook.id }}, "state": {{ answer.state }} }' }
const ASYNC = { async: true }

/** A first start creates the flow; the measured starts find it in the folder. */
async function prepare(folder: string, config: object): Promise<HookAddress> {
  const millrace = await startMillrace(folder)
  const hook = await createOrderFlow(millrace, config)
  await millrace.program.end()
  return hook
}

async function measureThroughput(folder: string, hook: HookAddress, wishes: Wishes): Promise<Figure[]> {
  const millrace = await startMillrace(folder, { watchesLoop: true })
  const express = await startExpress(folder)
  const rounds = await inTurns(millrace, express, hook, {
    connections: CONNECTIONS,
    warmUpMs: WARM_UP_MS,
    durationMs: MEASURE_MS,
    rounds: ROUNDS,
  })
  for (const { ours, bare } of rounds) requireSame(ours.lastBody, bare.lastBody)
  const delay = await millrace.program.eventLoopDelay()
  await Promise.all([millrace.program.end(), express.program.end()])
  const perSecond = besides(rounds, (result) => result.perSecond)
  const p99 = besides(rounds, (result) => result.p99Ms)
  return [
    {
      what: `Answered a second, ${CONNECTIONS} connections`,
      unit: '/s',
      ...perSecond,
      goal: 'at least 0.65 times',
      isMet: perSecond.ours >= 0.65 * perSecond.beside.value,
    },
    {
      what: 'Time to the answer, p50',
      unit: 'ms',
      ...besides(rounds, (result) => result.p50Ms),
      goal: 'told',
      isMet: true,
    },
    {
      what: 'Time to the answer, p99',
      unit: 'ms',
      ...p99,
      goal: 'at most 2 times',
      isMet: p99.ours <= 2 * p99.beside.value,
    },
    ...threadFigures(rounds, wishes),
    ...loopFigures('while answering', delay),
  ]
}

/** The figures of an asynchronous run include its execution. */
function threadFigures(rounds: readonly Round[], { threads }: Wishes): Figure[] {
  if (!threads) return []
  const main = besides(rounds, ({ mainThreadUs }) => mainThreadUs)
  const process = besides(rounds, ({ processUs }) => processUs)
  return [
    {
      what: 'CPU time of the main thread, a webhook',
      unit: 'µs',
      ...main,
      goal: 'at most 1.4 times',
      isMet: main.ours <= 1.4 * main.beside.value,
    },
    { what: 'CPU time of the process, a webhook', unit: 'µs', ...process, goal: 'told', isMet: true },
  ]
}

function loopFigures(when: string, { p99Ms, maxMs }: EventLoopDelay): Figure[] {
  const what = `Event-loop delay ${when}`
  return [
    { what: `${what}, p99`, unit: 'ms', ours: p99Ms, goal: 'at most 50 ms', isMet: p99Ms <= 50 },
    { what: `${what}, longest`, unit: 'ms', ours: maxMs, goal: 'at most 500 ms', isMet: maxMs <= 500 },
  ]
}

async function measureQueue(folder: string, hook: HookAddress, wishes: Wishes): Promise<Figure[]> {
  const millrace = await startMillrace(folder, { watchesLoop: true })
  const express = await startExpress(folder)
  const rounds = await inTurns(millrace, express, hook, {
    connections: CONNECTIONS,
    warmUpMs: WARM_UP_MS,
    durationMs: ASYNC_MS,
    rounds: ROUNDS,
    settled: () => untilNoneWaits(millrace),
  })
  await express.program.end()
  await untilNoneWaits(millrace)
  const executed = await measureExecuted(millrace, hook)
  const delay = await millrace.program.eventLoopDelay()
  await millrace.program.end()
  const perSecond = besides(rounds, (result) => result.perSecond)
  return [
    {
      what: 'Accepted a second, asynchronously',
      unit: '/s',
      ...perSecond,
      goal: 'at least 0.75 times',
      isMet: perSecond.ours >= 0.75 * perSecond.beside.value,
    },
    ...threadFigures(rounds, wishes),
    {
      what: 'Accepted and executed a second',
      unit: '/s',
      ours: executed,
      goal: 'at least 3,000',
      isMet: executed >= 3_000,
    },
    ...loopFigures('while accepting and executing', delay),
  ]
}

/** The time from the first request to the end of the last run. */
async function measureExecuted(millrace: StartedMillrace, hook: HookAddress): Promise<number> {
  const begun = performance.now()
  const target = { port: millrace.port, ...hook, body: ORDER, connections: CONNECTIONS }
  const { answered } = await load({ ...target, durationMs: ASYNC_MS })
  await untilNoneWaits(millrace)
  return answered / ((performance.now() - begun) / 1_000)
}

/** Runs that were acknowledged with 200 but are missing, or never ended, after the program was killed under load. */
async function measureLost(folder: string, hook: HookAddress): Promise<Figure> {
  const killed = await startMillrace(folder)
  const before = await countRuns(killed, 'flow_id,eq', hook.flowId)
  const target = { port: killed.port, ...hook, body: ORDER, connections: CONNECTIONS, durationMs: 60_000 }
  const loading = load({ ...target, untilKilled: true })
  await sleep(KILL_AFTER_MS)
  await killed.program.kill()
  const { answered } = await loading
  const again = await startMillrace(folder)
  await untilNoneWaits(again)
  const stored = (await countRuns(again, 'flow_id,eq', hook.flowId)) - before
  const failed = await countRuns(again, 'status,eq', 'error')
  await again.program.end()
  const lost = Math.max(0, answered - stored) + failed
  return {
    what: `Lost of ${answered.toLocaleString('en')} accepted ones over kill -9`,
    unit: '',
    ours: lost,
    goal: 'none',
    isMet: lost === 0,
  }
}

function requireSame(ours: string, bare: string): void {
  const [a, b] = [ours, bare].map((body) => JSON.stringify(JSON.parse(body)))
  if (a !== b) throw new Error(`the answers differ: ${a} and ${b}`)
}

/** The time from the start of the process to its first response. */
async function measureStart(folder: string, hook: HookAddress): Promise<Figure[]> {
  const times = { ours: [] as number[], bare: [] as number[] }
  for (let start = 0; start < STARTS; start++) {
    times.bare.push(await timeStart(() => startExpress(folder), { path: '/hook', headers: {} }))
    times.ours.push(await timeStart(() => startMillrace(folder), hook))
  }
  const ours = median(times.ours)
  const bare = median(times.bare)
  return [
    {
      what: 'From process start to the first webhook answered',
      unit: 'ms',
      ours,
      beside: { name: 'bare Express', value: bare },
      goal: 'at most 2.5 times',
      isMet: ours <= 2.5 * bare,
    },
  ]
}

async function timeStart(
  start: () => Promise<{ program: Program; port: number }>,
  hook: Pick<HookAddress, 'path' | 'headers'>,
): Promise<number> {
  const begun = performance.now()
  const { program, port } = await start()
  await sendOnce({ port, ...hook, body: ORDER })
  const took = performance.now() - begun
  await program.end()
  return took
}

/** Measured in a separate folder, because after the load the search index would still be catching up. */
async function measureIdle(folder: string): Promise<Figure> {
  const own = join(folder, 'idle')
  mkdirSync(own)
  // The first start creates the samples and fills the compile cache, which later ones don't.
  await (await startMillrace(own)).program.end()
  const { program } = await startMillrace(own)
  await sleep(IDLE_MS)
  const ours = program.residentMb()
  await program.end()
  return { what: 'Resident memory, idle', unit: 'MB', ours, goal: 'at most 110 MB', isMet: ours <= 110 }
}
