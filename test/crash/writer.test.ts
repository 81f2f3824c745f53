import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
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
import { pause, randomPause, report, scale } from './scale.ts'

const CALLERS = 24
const END_WRITER = pathToFileURL(join(import.meta.dirname, 'fixtures/end-writer.ts')).href

describe.each([
  { kind: 'synchronous', config: {} },
  { kind: 'asynchronous', config: { async: true } },
])('$kind runs', ({ kind, config }) => {
  it('are kept once their callers have their responses, over kills of the program in the middle of batches', async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    const load = createLoad()
    let served = await home.serve({ env: UNLIMITED })
    const flow = await createNumberedFlow(served, config, [SET])
    const kills = scale(60, 2)
    for (let round = 0; round < kills; round++) {
      const end = load.start(served, flow)
      await randomPause(300, 900)
      const ended = end()
      await kill(served)
      await ended
      served = await home.serve({ env: UNLIMITED })
    }
    await untilIdle(served)
    const end = await stop(served)
    const { isSound, lost, failed, twice } = load.check(readFolder(home))
    report(`kill -9 under ${kind} load`, {
      kills,
      ...load.counts(),
      lost: lost.length,
      twice: twice.length,
      failed: failed.length,
    })
    expect({ end, isSound, lost, twice, failed, others: load.others() }).toEqual({
      twice: [],
      end: 0,
      isSound: true,
      lost: [],
      failed: [],
      others: [],
    })
  })

  it('are kept over the ends of the thread that writes, which tells the others to come again and is started again', async () => {
    const home = createHome()
    onTestFinished(() => home.remove())
    const load = createLoad()
    const served = await home.serve({ env: UNLIMITED, nodeArgs: ['--import', END_WRITER] })
    const flow = await createNumberedFlow(served, config, [SET])
    const ends = () => served.stderr().split('ended the writer').length - 1
    const wanted = scale(100, 6)
    const end = load.start(served, flow)
    while (ends() < wanted) await pause(50)
    await end()
    const last = await sendNumber(served, flow, -1)
    const logged = served.stderr().split('The thread that writes runs ended').length - 1
    await untilIdle(served)
    const ended = await stop(served)
    const { isSound, lost, failed, twice } = load.check(readFolder(home))
    report(`ends of the writing thread under ${kind} load`, {
      ends: ends(),
      ...load.counts(),
      lost: lost.length,
      twice: twice.length,
      failed: failed.length,
    })
    expect(logged).toBeGreaterThanOrEqual(wanted)
    expect({ last: last.status, ended, isSound, lost, twice, failed, others: load.others() }).toEqual({
      twice: [],
      last: 200,
      ended: 0,
      isSound: true,
      lost: [],
      failed: [],
      others: [],
    })
  })
})

const SET = {
  ref_id: 'a',
  type: 'set',
  config: { values: { n: '{{ web1.n }}', text: 'Größe → {{ web1.n }}' } },
}

/** Callers that send numbers and remember the responses. */
function createLoad() {
  const answered = new Set<number>()
  const others = new Set<string>()
  let sent = 0
  let toldToCome = 0

  async function send(served: Served, flow: ServedFlow): Promise<void> {
    const n = sent++
    const answer = await sendNumber(served, flow, n)
    await answer.text()
    const retryAfter = answer.headers.get('retry-after')
    if (answer.status === 200) answered.add(n)
    else if (answer.status === 503 && retryAfter !== null) toldToCome++
    else others.add(`${answer.status} ${retryAfter}`)
  }

  return {
    /** Starts the calls, and returns a function that ends them. */
    start(served: Served, flow: ServedFlow): () => Promise<void> {
      const over = new AbortController()
      const callers = Array.from({ length: CALLERS }, async () => {
        while (!over.signal.aborted) await send(served, flow).catch(() => undefined)
      })
      return async () => {
        over.abort()
        await Promise.all(callers)
      }
    },
    check({ runs, isSound }: ReturnType<typeof readFolder>) {
      const numbers = runs.map(({ title }) => Number(title))
      const stored = new Set(numbers)
      const seen = new Set<number>()
      return {
        isSound,
        lost: [...answered].filter((n) => !stored.has(n)),
        twice: numbers.filter((n) => seen.size === seen.add(n).size),
        failed: runs.filter(({ status }) => status !== 'success'),
      }
    },
    counts: () => ({ sent, answered: answered.size, 'told to come again': toldToCome }),
    others: () => [...others],
  }
}
