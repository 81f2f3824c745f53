/**
 * The synchronous webhook: one `set` step, a templated JSON answer, the run in the history before the answer leaves
 * (`synchronous=FULL`). Beside it bare Express, which parses the same JSON and stores one row a request.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFlow, type HookAddress } from './lib/create-flow.ts'
import { median, type Benchmark, type Figure } from './lib/figure.ts'
import { load, sendOnce, type LoadResult } from './lib/load.ts'
import { startMillrace } from './lib/millrace.ts'
import { startProgram, type Program } from './lib/program.ts'

const CONNECTIONS = 32
const WARM_UP_MS = 2_000
const MEASURE_MS = 4_000
const ROUNDS = 3
const STARTS = 5
const IDLE_MS = 5_000

const BODY = JSON.stringify({ id: 1042, email: 'grace@example.test', total: 129.5 })

export const benchmark: Benchmark = {
  title: 'Synchronous webhook, one step, history committed before the answer',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
    try {
      const hook = await prepare(folder)
      return [
        ...(await measureThroughput(folder, hook)),
        ...(await measureStart(folder, hook)),
        await measureIdle(folder),
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** One start to make the flow; the measured starts find it in the folder. */
async function prepare(folder: string): Promise<HookAddress> {
  const { program, port, bearer } = await startMillrace(folder)
  const hook = await createFlow(`http://127.0.0.1:${port}`, bearer, {
    name: 'Benchmark',
    steps: [
      {
        ref_id: 'hook',
        type: 'webhook',
        config: { response_body: '{ "order": {{ hook.id }}, "state": {{ answer.state }} }' },
      },
      { ref_id: 'answer', type: 'set', config: { values: { state: 'received' } } },
    ],
  })
  await program.end()
  return hook
}

async function startExpress(folder: string): Promise<{ program: Program; port: number }> {
  const script = join(import.meta.dirname, 'rivals/bare-express.mjs')
  const program = await startProgram([script, join(folder, 'express.db')], /^\d+\n/)
  return { program, port: Number(program.firstLines) }
}

/** In turns, so that whatever else the machine does meets both. */
async function measureThroughput(folder: string, hook: HookAddress): Promise<Figure[]> {
  const millrace = await startMillrace(folder)
  const express = await startExpress(folder)
  const targets = {
    ours: { port: millrace.port, ...hook, body: BODY, connections: CONNECTIONS },
    bare: { port: express.port, path: '/hook', headers: {}, body: BODY, connections: CONNECTIONS },
  }
  for (const target of Object.values(targets)) await load({ ...target, durationMs: WARM_UP_MS })
  const rounds: { ours: LoadResult; bare: LoadResult }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await load({ ...targets.ours, durationMs: MEASURE_MS })
    const bare = await load({ ...targets.bare, durationMs: MEASURE_MS })
    requireSame(ours.lastBody, bare.lastBody)
    rounds.push({ ours, bare })
  }
  await Promise.all([millrace.program.end(), express.program.end()])
  const middle = (of: (round: { ours: LoadResult; bare: LoadResult }) => number) => median(rounds.map(of))
  const perSecond = { ours: middle(({ ours }) => ours.perSecond), bare: middle(({ bare }) => bare.perSecond) }
  return [
    {
      what: `Answered a second, ${CONNECTIONS} connections`,
      unit: '/s',
      ours: perSecond.ours,
      beside: { name: 'bare Express', value: perSecond.bare },
      goal: 'at least half',
      isMet: perSecond.ours >= perSecond.bare / 2,
    },
    latency(
      'p50',
      ({ ours }) => ours.p50Ms,
      ({ bare }) => bare.p50Ms,
    ),
    latency(
      'p99',
      ({ ours }) => ours.p99Ms,
      ({ bare }) => bare.p99Ms,
    ),
  ]

  function latency(
    name: string,
    ours: Parameters<typeof middle>[0],
    bare: Parameters<typeof middle>[0],
  ): Figure {
    const beside = { name: 'bare Express', value: middle(bare) }
    return {
      what: `Time to the answer, ${name}`,
      unit: 'ms',
      ours: middle(ours),
      beside,
      goal: 'told',
      isMet: true,
    }
  }
}

function requireSame(ours: string, bare: string): void {
  const [a, b] = [ours, bare].map((body) => JSON.stringify(JSON.parse(body)))
  if (a !== b) throw new Error(`the answers differ: ${a} and ${b}`)
}

/** From the start of the process to its first answered request. */
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
  hook: HookAddress,
): Promise<number> {
  const begun = performance.now()
  const { program, port } = await start()
  await sendOnce({ port, ...hook, body: BODY })
  const took = performance.now() - begun
  await program.end()
  return took
}

async function measureIdle(folder: string): Promise<Figure> {
  const { program } = await startMillrace(folder)
  await sleep(IDLE_MS)
  const ours = program.residentMb()
  await program.end()
  return { what: 'Resident memory, idle', unit: 'MB', ours, goal: 'at most 110 MB', isMet: ours <= 110 }
}
