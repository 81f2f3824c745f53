import { expect, it, onTestFinished } from 'vitest'
import { createHome, type Served } from '../helpers/program.ts'
import {
  createNumberedFlow,
  kill,
  readFolder,
  sendNumber,
  type ServedFlow,
  stop,
  UNLIMITED,
} from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(100, 1)
const CALLERS = 8

it('loses no accepted run over many kills under load, and runs none twice', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const serve = () => home.serve({ env: UNLIMITED })
  const answered = new Set<number>()
  let sent = 0
  const send = async (served: Served, flow: ServedFlow) => {
    const n = sent++
    const status = await sendNumber(served, flow, n).then((answer) => answer.text().then(() => answer.status))
    if (status === 200) answered.add(n)
  }

  let served = await serve()
  const flow = await createNumberedFlow(served, { async: true }, [
    { ref_id: 'a', type: 'set', config: { values: { n: '{{ web1.n }}' } } },
    { ref_id: 'wait', type: 'delay', config: { seconds: 0.01 } },
  ])
  for (let round = 0; round < KILLS; round++) {
    const dead = new AbortController()
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!dead.signal.aborted) await send(served, flow).catch(() => undefined)
    })
    await randomPause(50, 600)
    dead.abort()
    await kill(served)
    await Promise.all(callers)
    served = await serve()
    // A run in progress would be set aside at its third crash in a row.
    if (round % 2 === 1) await untilIdle(served)
  }
  await untilIdle(served)
  const end = await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const times = new Map<number, number>()
  for (const { title } of runs) times.set(Number(title), (times.get(Number(title)) ?? 0) + 1)
  const lost = [...answered].filter((n) => !times.has(n))
  const twice = [...times.values()].filter((count) => count > 1)
  const failed = runs.filter(({ status }) => status !== 'success')
  report('kill -9 under asynchronous load', {
    kills: KILLS,
    sent,
    answered: answered.size,
    'in the history': runs.length,
    lost: lost.length,
    'run twice': twice.length,
    failed: failed.length,
  })
  expect({ end, isSound, queued, lost, twice, failed }).toEqual({
    end: 0,
    isSound: true,
    queued: 0,
    lost: [],
    twice: [],
    failed: [],
  })
})
