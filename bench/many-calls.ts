/** A loop with 1,000 calls of 100 ms each, twenty at once, with its history; and the memory it takes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFlow } from './lib/create-flow.ts'
import type { Benchmark, Figure } from './lib/figure.ts'
import { startMillrace } from './lib/millrace.ts'
import { withFolder } from './lib/with-folder.ts'

const CALLS = 1_000
const AT_ONCE = 20
const CALL_MS = 100
const MOST_SECONDS = 6
const MOST_MB = 20

export const benchmark: Benchmark = {
  title: `A loop with ${CALLS.toLocaleString('en')} calls of ${CALL_MS} ms, ${AT_ONCE} at once`,
  async run() {
    const api = createServer((_, response) => {
      setTimeout(() => response.setHeader('content-type', 'application/json').end('{"ok":true}'), CALL_MS)
    })
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = api.address() as AddressInfo
      return await withFolder((folder) => measure(folder, `http://127.0.0.1:${port}`))
    } finally {
      api.closeAllConnections()
      api.close()
    }
  },
}

async function measure(folder: string, url: string): Promise<Figure[]> {
  const { program, port, bearer } = await startMillrace(folder, { watchesMemory: true })
  const own = `http://127.0.0.1:${port}`
  const flow = (count: number) => ({
    name: `${count} calls`,
    steps: [
      { ref_id: 'hook', type: 'webhook', config: {} },
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: `{{ range(${count}) | list }}`, concurrency: AT_ONCE, collect: '{{ item }}' },
        steps: [{ ref_id: 'call', type: 'rest', config: { url: `${url}/{{ item }}` } }],
      },
    ],
  })
  const run = async (id: string) => {
    const startedAt = performance.now()
    const response = await fetch(`${own}/v1/flows/${id}/run?wait=true`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}` },
    })
    const { status } = (await response.json()) as { status: string }
    if (status !== 'success') throw new Error(`the run ended as ${status}`)
    return performance.now() - startedAt
  }
  const warm = await createFlow(own, bearer, flow(10 * AT_ONCE))
  const many = await createFlow(own, bearer, flow(CALLS))
  await run(warm.flowId)
  const before = await program.memory()
  const worked = program.processorMs()
  const byHand = (await callByHand(url)) / 1000
  const seconds = (await run(many.flowId)) / 1000
  const processorSeconds = (program.processorMs() - worked) / 1000
  const after = await program.memory()
  await program.end()
  const megabytes = after.residentMb - before.residentMb
  return [
    {
      what: 'time of the run',
      unit: 's',
      ours: seconds,
      beside: { name: 'fetch by hand', value: byHand },
      goal: `at most ${MOST_SECONDS} s`,
      isMet: seconds <= MOST_SECONDS,
    },
    {
      what: 'CPU time',
      unit: 's',
      ours: processorSeconds,
      goal: 'at most 4 s',
      isMet: processorSeconds <= 4,
    },
    {
      what: 'memory in addition',
      unit: 'MB',
      ours: megabytes,
      goal: `at most ${MOST_MB} MB`,
      isMet: megabytes <= MOST_MB,
    },
  ]
}

/** Milliseconds. */
async function callByHand(url: string): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  const work = async () => {
    while (next < CALLS) await (await fetch(`${url}/${next++}`)).json()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return performance.now() - startedAt
}
