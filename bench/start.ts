/** The cost of Millrace before anybody uses it: the start with an existing folder, and an idle program. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../scripts/lib/build.ts'
import { withMemory } from '../src/main/host/machine/process-flags.ts'
import { createFlow } from './lib/create-flow.ts'
import { median, type Benchmark, type Figure } from './lib/figure.ts'
import { startProgram, type Program } from './lib/program.ts'
import { withFolder } from './lib/with-folder.ts'

const STARTS = 9
const MOST_START_MS = 500
/** A program that has just started still does some housekeeping. */
const SETTLED_AFTER_MS = 45_000
const IDLE_MS = 60_000
const MOST_IDLE_MB = 100
const MOST_IDLE_PERCENT = 0.2

const COMMAND = join(ROOT, 'bin/millrace.js')

export const benchmark: Benchmark = {
  title: 'The installed command: start to the first response of a webhook, then idle',
  run: () => withFolder(measure),
}

async function measure(folder: string): Promise<Figure[]> {
  const first = await start(folder)
  const [, bearer = ''] = /#session=(\S+)/.exec(first.program.firstLines) ?? []
  const hook = await createFlow(first.url, bearer, {
    name: 'Orders',
    steps: [{ ref_id: 'hook', type: 'webhook', config: {} }],
  })
  await first.program.end()

  const times: number[] = []
  for (let count = 0; count < STARTS; count++) {
    const startedAt = performance.now()
    const { program, url } = await start(folder)
    const response = await fetch(`${url}${hook.path}`, {
      method: 'POST',
      headers: { ...hook.headers, 'Content-Type': 'application/json' },
      body: '{}',
    })
    if (response.status !== 200) throw new Error(`the webhook answered ${response.status}`)
    times.push(performance.now() - startedAt)
    await program.end()
  }

  const { program } = await start(folder)
  await sleep(SETTLED_AFTER_MS)
  const before = program.processorMs()
  await sleep(IDLE_MS)
  const percent = ((program.processorMs() - before) / IDLE_MS) * 100
  const idleMb = program.residentMb()
  await program.end()
  return [
    {
      what: 'Start to the first response, median',
      unit: 'ms',
      ours: median(times),
      goal: `under ${MOST_START_MS} ms`,
      isMet: median(times) < MOST_START_MS,
    },
    {
      what: 'Resident memory, idle',
      unit: 'MB',
      ours: idleMb,
      goal: `at most ${MOST_IDLE_MB} MB`,
      isMet: idleMb <= MOST_IDLE_MB,
    },
    {
      what: 'Processor, idle',
      unit: '%',
      ours: percent,
      goal: `at most ${MOST_IDLE_PERCENT} % of a core`,
      isMet: percent <= MOST_IDLE_PERCENT,
    },
  ]
}

async function start(folder: string): Promise<{ readonly program: Program; readonly url: string }> {
  const program = await startProgram(
    [COMMAND, 'serve', '--port', '0', '--no-open', '--data-dir', join(folder, 'data')],
    /#session=\S+\n/,
    withMemory({ MILLRACE_MASTER_KEY: '0'.repeat(64) }),
  )
  const [, url = ''] = /listening on (\S+)/.exec(program.firstLines) ?? []
  return { program, url }
}
