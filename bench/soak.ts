/**
 * 200,000 asynchronous runs, then three minutes of steady load: whether memory grows every minute, how large the
 * database log becomes, and how late the event loop is.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HookAddress } from './lib/create-flow.ts'
import type { Benchmark, Figure } from './lib/figure.ts'
import { load } from './lib/load.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { createOrderFlow, ORDER } from './lib/orders.ts'
import type { Memory } from './lib/program.ts'
import { untilNoneWaits } from './lib/runs.ts'
import { withMillrace } from './lib/with-folder.ts'

const RUNS = 200_000
const CHUNK = 10_000
const CONNECTIONS = 32
const STEADY_MS = 180_000
const STEADY_CONNECTIONS = 4
const SAMPLE_EVERY_MS = 5_000
/** The pause between two requests of a connection, which makes about 400 runs per second in total. */
const PAUSE_MS = 10
const LOOK_EVERY_MS = 100
const MOST_MB_A_MINUTE = 1
const MOST_WAL_MB = 64

export const benchmark: Benchmark = {
  title: `${RUNS.toLocaleString('en')} runs, then ${STEADY_MS / 60_000} minutes of steady load`,
  run: () =>
    withMillrace(
      async (millrace, folder) => {
        const hook = await createOrderFlow(millrace, { async: true })
        const wal = watchSize(join(folder, 'data/millrace.db-wal'))
        const filled = await fill(millrace, hook)
        const steady = await keepSteady(millrace, hook)
        return figures(filled, steady, wal.stop())
      },
      { watchesMemory: true },
    ),
}

interface Sample extends Memory {
  /** Minutes since the first sample. */
  readonly minutes: number
}

async function fill(
  millrace: StartedMillrace,
  hook: HookAddress,
): Promise<{ perSecond: number; memory: Memory }> {
  const target = { port: millrace.port, ...hook, body: ORDER, connections: CONNECTIONS }
  const begun = performance.now()
  for (let run = 0; run < RUNS; run += CHUNK) {
    await load({ ...target, requests: CHUNK })
    await untilNoneWaits(millrace)
  }
  return { perSecond: RUNS / ((performance.now() - begun) / 1_000), memory: await millrace.program.memory() }
}

async function keepSteady(millrace: StartedMillrace, hook: HookAddress): Promise<readonly Sample[]> {
  const target = {
    port: millrace.port,
    ...hook,
    body: ORDER,
    connections: STEADY_CONNECTIONS,
    pauseMs: PAUSE_MS,
  }
  const loading = load({ ...target, durationMs: STEADY_MS })
  const begun = performance.now()
  const samples: Sample[] = []
  while (performance.now() - begun < STEADY_MS - SAMPLE_EVERY_MS) {
    await sleep(SAMPLE_EVERY_MS)
    samples.push({ minutes: (performance.now() - begun) / 60_000, ...(await millrace.program.memory()) })
  }
  await loading
  return samples
}

function figures(
  filled: { readonly perSecond: number; readonly memory: Memory },
  samples: readonly Sample[],
  mostWalMb: number,
): Figure[] {
  const last = samples.at(-1) ?? { heapMb: Number.NaN, residentMb: Number.NaN, externalMb: Number.NaN }
  const told = { goal: 'told', isMet: true }
  const slope = (what: string, of: (sample: Sample) => number): Figure => {
    const ours = slopeOf(samples.map((sample) => [sample.minutes, of(sample)]))
    return {
      what,
      unit: 'MB a minute',
      ours,
      goal: `at most ${MOST_MB_A_MINUTE}`,
      isMet: ours <= MOST_MB_A_MINUTE,
    }
  }
  return [
    { what: 'Accepted and run a second', unit: '/s', ours: filled.perSecond, ...told },
    { what: 'Heap after the runs', unit: 'MB', ours: filled.memory.heapMb, ...told },
    { what: 'Resident after the runs', unit: 'MB', ours: filled.memory.residentMb, ...told },
    { what: 'Heap at the end', unit: 'MB', ours: last.heapMb, ...told },
    { what: 'Resident at the end', unit: 'MB', ours: last.residentMb, ...told },
    slope('Heap grows by', (sample) => sample.heapMb + sample.externalMb),
    slope('Resident memory grows by', (sample) => sample.residentMb),
    {
      what: 'Log of the database, most',
      unit: 'MB',
      ours: mostWalMb,
      goal: `below ${MOST_WAL_MB} MB`,
      isMet: mostWalMb < MOST_WAL_MB,
    },
  ]
}

/** The slope of the least-squares line. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const rise = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return rise / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

function watchSize(path: string): { stop(): number } {
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6)
  }, LOOK_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return most
    },
  }
}
