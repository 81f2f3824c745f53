/** The first run of a new flow among thousands of others. Loading a new flow must not reload all the others. */
import { createFlow } from './lib/create-flow.ts'
import { type Benchmark, type Figure, median } from './lib/figure.ts'
import { sendOnce } from './lib/load.ts'
import { type StartedMillrace } from './lib/millrace.ts'
import { withMillrace } from './lib/with-folder.ts'

const FLOWS = 2_200
const ROUNDS = 9
const MOST_TIMES = 3

export const benchmark: Benchmark = {
  title: `The first run of a new flow, with ${FLOWS.toLocaleString('en')} others`,
  run: () => withMillrace(measure),
}

async function measure(millrace: StartedMillrace): Promise<Figure[]> {
  const alone = await firstRuns(millrace)
  for (let flow = 0; flow < FLOWS; flow++) await newFlow(millrace)
  const amongMany = await firstRuns(millrace)
  return [
    {
      what: 'From the request to the response',
      unit: 'ms',
      ours: amongMany,
      beside: { name: 'few flows', value: alone },
      goal: `at most ${MOST_TIMES} times`,
      isMet: amongMany <= MOST_TIMES * alone,
    },
  ]
}

const newFlow = ({ port, bearer }: StartedMillrace) =>
  createFlow(`http://127.0.0.1:${port}`, bearer, {
    name: 'One of many',
    steps: [
      { ref_id: 'hook', type: 'webhook', config: {} },
      { ref_id: 'answer', type: 'set', config: { values: { state: 'received {{ hook.id }}' } } },
    ],
  })

async function firstRuns(millrace: StartedMillrace): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const hook = await newFlow(millrace)
    const began = performance.now()
    await sendOnce({ port: millrace.port, ...hook, body: '{"id":1}' })
    times.push(performance.now() - began)
  }
  return median(times)
}
