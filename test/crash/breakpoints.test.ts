import { expect, it, onTestFinished } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome } from '../helpers/program.ts'
import { callOrThrow, kill, readFolder, stop } from '../helpers/served-api.ts'
import { untilIdle, untilSeen } from '../helpers/served-runs.ts'
import { report, scale } from './scale.ts'

const KILLS = scale(100, 3)

it('a run that has stopped at a breakpoint continues as it was decided, despite kill -9', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  let served = await home.serve()
  const { id } = await callOrThrow<Flow>(served, 'POST', '/v1/flows', {
    name: 'Stop',
    settings: { dynamic_title: '{{ start.n }}: {{ second.x }}' },
    steps: [
      { ref_id: 'start', type: 'webhook' },
      { ref_id: 'first', type: 'set', config: { values: { x: '{{ start.n }}' } } },
      { ref_id: 'second', type: 'set', config: { values: { x: '{{ first.x }}' } } },
    ],
  })
  await callOrThrow(served, 'PUT', `/v1/flows/${id}/breakpoints/first`, {})

  for (let n = 0; n < KILLS; n++) {
    const body = { input: { n }, test: true }
    const started = await callOrThrow<{ flow_run_id: string }>(served, 'POST', `/v1/flows/${id}/run`, body)
    const path = `/v1/flow-runs/${started.flow_run_id}`
    const stopped = () =>
      untilSeen(served, async () => {
        const run = await callOrThrow<FlowRun>(served, 'GET', path)
        return run.stopped === true && run.parked_until !== undefined ? run : null
      })
    await stopped()
    await kill(served)
    served = await home.serve()
    await stopped()
    const input = { values: { x: `edited ${n}` } }
    await callOrThrow(served, 'POST', `${path}/breakpoint`, { do: 'continue', input })
  }
  await untilIdle(served)
  const end = await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const titles = runs.map(({ title }) => title).toSorted()
  const wanted = Array.from({ length: KILLS }, (_, n) => `${n}: edited ${n}`).toSorted()
  report('kill -9 while stopped at a breakpoint', { kills: KILLS, runs: runs.length })
  expect({ end, isSound, queued, titles }).toEqual({ end: 0, isSound: true, queued: 0, titles: wanted })
})
