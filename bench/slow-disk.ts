/**
 * Webhooks whose runs are saved on a slow disk: each sync takes 1, 5 or 15 ms longer, for Millrace and for bare
 * Express. The response waits for the disk; the event loop doesn't. Linux only, and with a C compiler, because the
 * delay is preloaded.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { besides, inTurns, startExpress } from './lib/beside-express.ts'
import type { HookAddress } from './lib/create-flow.ts'
import { type Benchmark, type Figure, median } from './lib/figure.ts'
import { startMillrace } from './lib/millrace.ts'
import { createOrderFlow } from './lib/orders.ts'
import { withFolder } from './lib/with-folder.ts'

const SYNCS_MS = [1, 5, 15]
const CONNECTIONS = 64
const WARM_UP_MS = 1_500
const MEASURE_MS = 3_000
const ROUNDS = 3
const LONGEST_DELAY_MS = 10

export const benchmark: Benchmark = {
  title: 'Webhooks on a slow disk, history committed before the answer',
  isLong: true,
  run: () =>
    withFolder(async (folder) => {
      const library = join(folder, 'slow-sync.so')
      const source = join(import.meta.dirname, 'lib/slow-sync.c')
      execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
      const first = await startMillrace(folder)
      const hook = await createOrderFlow(first, {
        response_body: '{ "order": {{ hook.id }}, "state": {{ answer.state }} }',
      })
      await first.program.end()
      const figures: Figure[] = []
      for (const ms of SYNCS_MS)
        figures.push(
          ...(await measure(folder, hook, ms, { LD_PRELOAD: library, MILLRACE_SYNC_MS: String(ms) })),
        )
      return figures
    }),
}

async function measure(
  folder: string,
  hook: HookAddress,
  ms: number,
  env: NodeJS.ProcessEnv,
): Promise<Figure[]> {
  const millrace = await startMillrace(folder, { watchesLoop: true, env })
  const express = await startExpress(folder, env)
  const longestMs: number[] = []
  const rounds = await inTurns(millrace, express, hook, {
    connections: CONNECTIONS,
    warmUpMs: WARM_UP_MS,
    durationMs: MEASURE_MS,
    rounds: ROUNDS,
    async settled() {
      longestMs.push((await millrace.program.eventLoopDelay()).maxMs)
    },
  })
  await Promise.all([millrace.program.end(), express.program.end()])
  const perSecond = besides(rounds, (result) => result.perSecond)
  // The first value belongs to the warm-up.
  const longest = median(longestMs.slice(1))
  return [
    {
      what: `Answered a second, ${CONNECTIONS} connections, syncs of ${ms} ms`,
      unit: '/s',
      ...perSecond,
      goal: 'at least as many',
      isMet: perSecond.ours >= perSecond.beside.value,
    },
    {
      what: 'Time to the answer, p99',
      unit: 'ms',
      ...besides(rounds, (result) => result.p99Ms),
      goal: 'told',
      isMet: true,
    },
    {
      what: 'Event-loop delay, longest',
      unit: 'ms',
      ours: longest,
      goal: `at most ${LONGEST_DELAY_MS} ms`,
      isMet: longest <= LONGEST_DELAY_MS,
    },
  ]
}
