import { expect, it, onTestFinished } from 'vitest'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { createHome } from '../helpers/program.ts'
import { createNumberedFlow, kill, readFolder, sendNumber, stop } from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(50, 1)
const RUNS_A_ROUND = 3
const STEPS = ['1', '2', '3', '4', '5']

it('repeats no finished step of a killed run, only the one in flight', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  /** The steps called for each run, in order, with their keys. */
  const called = new Map<string, string[]>()
  const keys = new Map<string, Set<string>>()
  const api = await startThirdPartyApi(({ target, headers }, response) => {
    const [, n = '', step = ''] = target.split('/')
    called.set(n, [...(called.get(n) ?? []), step])
    const key = String(headers['idempotency-key'])
    keys.set(`${n}/${step}`, (keys.get(`${n}/${step}`) ?? new Set()).add(key))
    setTimeout(() => response.end('{}'), 10)
  })
  const call = (step: string): StepInput => ({
    ref_id: `call${step}`,
    type: 'rest',
    config: { method: 'POST', url: `${api.url}/{{ web1.n }}/${step}` },
  })

  let served = await home.serve()
  const flow = await createNumberedFlow(served, { async: true }, STEPS.map(call))
  let answered = 0
  for (let round = 0; round < KILLS; round++) {
    for (let run = 0; run < RUNS_A_ROUND; run++) {
      const answer = await sendNumber(served, flow, round * RUNS_A_ROUND + run)
      if (answer.status === 200) answered++
    }
    await randomPause(0, 120)
    await kill(served)
    served = await home.serve()
    await untilIdle(served)
  }
  const end = await stop(served)

  const { runs, isSound } = readFolder(home)
  const failed = runs.filter(({ status }) => status !== 'success')
  const repeats = [...called.values()].map((steps) => steps.length - STEPS.length)
  // Steps are called in order and at least once. A repeated call directly follows the first, which was in flight.
  const wrong = [...called].filter(
    ([, steps]) => steps.toSorted().join() !== steps.join() || new Set(steps).size !== STEPS.length,
  )
  const tooOften = repeats.filter((count) => count > 1)
  const otherKeys = [...keys].filter(([, given]) => given.size > 1)
  report('kill -9 inside a flow of five steps', {
    kills: KILLS,
    runs: runs.length,
    calls: [...called.values()].flat().length,
    'repeated while in flight': repeats.filter((count) => count === 1).length,
    'finished and repeated': wrong.length + tooOften.length,
    failed: failed.length,
  })
  expect({ end, isSound, answered, runs: runs.length, failed, wrong, tooOften, otherKeys }).toEqual({
    end: 0,
    isSound: true,
    answered: KILLS * RUNS_A_ROUND,
    runs: KILLS * RUNS_A_ROUND,
    failed: [],
    wrong: [],
    tooOften: [],
    otherKeys: [],
  })
})
