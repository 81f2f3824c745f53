import { expect, it, onTestFinished } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome, type Served } from '../helpers/program.ts'
import {
  callServed,
  createNumberedFlow,
  kill,
  readFolder,
  sendNumber,
  stop,
  UNLIMITED,
} from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(50, 1)
const CALLERS = 4
const TURNS = 3

/** Each accepted run starts another flow in each iteration of a loop, and counts in the key-value store. */
it('loses no run of flows that run flows, loop and count, and runs none twice, over many kills', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const serve = () => home.serve({ env: UNLIMITED })
  let served = await serve()
  const child = await callServed<Flow>(served, 'POST', '/v1/flows', {
    name: 'Child',
    status: 'active',
    steps: [
      { ref_id: 'web1', type: 'webhook', config: {} },
      { ref_id: 'count', type: 'key_value', config: { operation: 'set', key: '{{ web1.key }}', value: 1 } },
      { ref_id: 'give', type: 'set', config: { values: { key: '{{ web1.key }}' } } },
    ],
    settings: { dynamic_title: 'child {{ web1.key }}' },
  })
  const flow = await createNumberedFlow(served, { async: true }, [
    {
      ref_id: 'turns',
      type: 'loop',
      config: { over: '{{ range(3) }}', collect: '{{ sub.key }}' },
      steps: [
        {
          ref_id: 'sub',
          type: 'run_flow',
          config: { flow_id: child.id, input: { key: '{{ web1.n }}-{{ item }}' } },
        },
      ],
    },
    {
      ref_id: 'alone',
      type: 'run_flow',
      config: { flow_id: child.id, input: { key: '{{ web1.n }}-x' }, wait: false },
    },
  ])
  const ticks = await callServed<Flow>(served, 'POST', '/v1/flows', {
    name: 'Ticks',
    status: 'active',
    steps: [
      { ref_id: 'every', type: 'schedule', config: { interval: 'cron', cron: '* * * * * *' } },
      { ref_id: 'sub', type: 'run_flow', config: { flow_id: child.id, input: { key: 'tick' } } },
    ],
  })
  expect(ticks.status).toBe('active')

  const answered = new Set<number>()
  let sent = 0
  let accepted = Promise.withResolvers<void>()
  const send = async (to: Served) => {
    const n = sent++
    const answer = await sendNumber(to, flow, n)
    await answer.text()
    if (answer.status !== 200) return
    answered.add(n)
    accepted.resolve()
  }
  for (let round = 0; round < KILLS; round++) {
    const dead = new AbortController()
    accepted = Promise.withResolvers()
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!dead.signal.aborted) await send(served).catch(() => undefined)
    })
    await accepted.promise
    await randomPause(0, 500)
    dead.abort()
    await kill(served)
    await Promise.all(callers)
    served = await serve()
    // A run in progress would be set aside at its third crash in a row.
    if (round % 2 === 1) await untilIdle(served)
  }
  // No new tick starts, so that idle flows stay idle.
  await callServed(served, 'PUT', `/v1/flows/${ticks.id}`, { status: 'paused' })
  await untilIdle(served)
  const end = await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const times = (title: string) => runs.filter((run) => run.title === title).length
  const counts = new Map<string, number>()
  for (const { title } of runs) counts.set(title, (counts.get(title) ?? 0) + 1)
  const lost = [...answered].filter((n) => !counts.has(String(n)))
  const twice = [...counts].filter(([title, count]) => /^\d+$|^child \d/.test(title) && count > 1)
  const missing = [...answered].flatMap((n) =>
    [...Array.from({ length: TURNS }, (_, turn) => String(turn)), 'x']
      .map((turn) => `child ${n}-${turn}`)
      .filter((title) => !counts.has(title)),
  )
  const failed = runs.filter(({ status }) => status !== 'success')
  report('kill -9 of flows that run flows', {
    kills: KILLS,
    sent,
    answered: answered.size,
    'in the history': runs.length,
    'ticks of a schedule': times('Ticks'),
    lost: lost.length,
    'children missing': missing.length,
    'run twice': twice.length,
    failed: failed.length,
  })
  expect({ end, isSound, queued, lost, missing, twice, failed }).toEqual({
    end: 0,
    isSound: true,
    queued: 0,
    lost: [],
    missing: [],
    twice: [],
    failed: [],
  })
})
