import { expect, it, onTestFinished } from 'vitest'
import { createHome } from '../helpers/program.ts'
import { createNumberedFlow, readFolder, sendNumber, stop, UNLIMITED } from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { randomPause, report, scale } from './scale.ts'

const STOPS = scale(20, 1)
const CALLERS = 8

it('SIGTERM under load: acknowledged requests are in the history, no caller is left hanging, the queue continues later', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  let served = await home.serve({ env: UNLIMITED })
  const wait = { ref_id: 'wait', type: 'delay', config: { seconds: 0.02 } }
  const flows = [
    await createNumberedFlow(served, { response_body: 'done' }, [wait]),
    await createNumberedFlow(served, { async: true }, [wait, { ...wait, ref_id: 'again' }]),
  ]
  const answers = new Map<number, string>()
  const ends: unknown[] = []
  let sent = 0
  let slowest = 0
  for (let round = 0; round < STOPS; round++) {
    const stopped = new AbortController()
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      while (!stopped.signal.aborted) {
        const n = sent++
        const answer = await sendNumber(served, flows[caller % 2]!, n).then(
          async (response) => `${response.status} ${(await response.text()).slice(0, 4)}`,
          () => 'refused',
        )
        answers.set(n, answer)
      }
    })
    await randomPause(200, 500)
    const began = performance.now()
    ends.push(await stop(served))
    slowest = Math.max(slowest, performance.now() - began)
    stopped.abort()
    await Promise.all(callers)
    served = await home.serve({ env: UNLIMITED })
  }
  await untilIdle(served)
  await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const status = new Map(runs.map((run) => [Number(run.title), run.status]))
  const good = [...answers].filter(([, answer]) => answer.startsWith('200'))
  const lost = good.filter(([n]) => status.get(n) !== 'success')
  const kinds = [...new Set(answers.values())].filter(
    (answer) => !['200 done', '200 null', '503 {"st', 'refused'].includes(answer),
  )
  report('SIGTERM under load', {
    stops: STOPS,
    sent,
    answered: good.length,
    'answered 503': [...answers.values()].filter((answer) => answer.startsWith('503')).length,
    lost: lost.length,
    'slowest stop, ms': Math.round(slowest),
  })
  expect({ ends: new Set(ends), isSound, queued, lost, kinds }).toEqual({
    ends: new Set([0]),
    isSound: true,
    queued: 0,
    lost: [],
    kinds: [],
  })
})
