/**
 * The cost of steps that only compute: a run of 1,000 `set` steps, and a loop over 100,000 items with one step in it.
 * Measured in the built program, including the history. The time is the run's own duration, and the best one counts
 * because other work on the machine can only add to it.
 */
import type { Benchmark } from './lib/figure.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { withMillrace } from './lib/with-folder.ts'

const STEPS = 1_000
const ITEMS = 100_000
const ROUNDS = 15
const LOOPS = 3

export const benchmark: Benchmark = {
  title: 'Steps that compute',
  async run() {
    const set = await withMillrace(async (millrace) => {
      const many = await aFlow(
        millrace,
        Array.from({ length: STEPS }, (_, at) => aSet(`s${at}`, at === 0 ? '7' : `{{ s${at - 1}.n }}`)),
      )
      const one = await aFlow(millrace, [aSet('s0', '7')])
      const times = { many: [] as number[], one: [] as number[] }
      for (let round = 0; round < ROUNDS; round++) {
        times.many.push(await run(millrace, many))
        times.one.push(await run(millrace, one))
      }
      return ((Math.min(...times.many) - Math.min(...times.one)) * 1_000) / (STEPS - 1)
    })
    const loop = await withMillrace(async (millrace) => {
      const inside = [
        {
          ref_id: 'doubled',
          type: 'set',
          config: { values: { total: '{{ item.price * 2 }}', text: 'row {{ item.id }}' } },
        },
      ]
      const flow = await aFlow(millrace, [
        { ref_id: 'web1', type: 'webhook', config: {} },
        { ref_id: 'each', type: 'loop', config: { over: '{{ web1.rows }}' }, steps: inside },
      ])
      const rows = Array.from({ length: ITEMS }, (_, id) => ({ id, price: 9.5 }))
      const times: number[] = []
      for (let round = 0; round < LOOPS; round++) times.push(await run(millrace, flow, { rows }))
      return { seconds: Math.min(...times) / 1_000, megabytes: millrace.program.peakMb() }
    })
    return [
      {
        what: `a set step in a run of ${STEPS}`,
        unit: 'µs',
        ours: set,
        goal: 'at most 30 µs',
        isMet: set <= 30,
      },
      {
        what: `a loop over ${ITEMS} items with one set step`,
        unit: 's',
        ours: loop.seconds,
        goal: 'under 3 s',
        isMet: loop.seconds < 3,
      },
      {
        what: 'memory of the program at its most',
        unit: 'MB',
        ours: loop.megabytes,
        goal: 'under 300 MB',
        isMet: loop.megabytes < 300,
      },
    ]
  },
}

const aSet = (refId: string, n: string) => ({ ref_id: refId, type: 'set', config: { values: { n } } })

async function aFlow(millrace: StartedMillrace, steps: readonly object[]): Promise<string> {
  const { id } = await call<{ id: string }>(millrace, '/v1/flows', { name: 'Bench', steps })
  return id
}

/** Milliseconds. */
async function run(millrace: StartedMillrace, id: string, input: object = {}): Promise<number> {
  const ended = await call<{ status: string; duration_ms: number }>(
    millrace,
    `/v1/flows/${id}/run?wait=true`,
    { input },
  )
  if (ended.status !== 'success') throw new Error(`the run ended as ${JSON.stringify(ended)}`)
  return ended.duration_ms
}

async function call<T>({ port, bearer }: StartedMillrace, path: string, body: object): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
