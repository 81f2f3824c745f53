/**
 * The latency that forwarding adds: the same request is sent directly to the program and through Millrace, alternating.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callMillrace } from './lib/call-millrace.ts'
import { createFlow } from './lib/create-flow.ts'
import { median, type Benchmark, type Figure } from './lib/figure.ts'
import { load } from './lib/load.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { ORDER } from './lib/orders.ts'
import { withMillrace } from './lib/with-folder.ts'

const WARM_UP = 300
const REQUESTS = 300
const ROUNDS = 9
const MOST_ADDED_MS = 1

export const benchmark: Benchmark = {
  title: 'A webhook that is forwarded to a local program, one caller',
  run: () => withMillrace(measure),
}

async function measure(millrace: StartedMillrace): Promise<Figure[]> {
  const program = createServer((request, response) => {
    request.resume().once('end', () => response.end('{"ok":true}'))
  })
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = program.address() as AddressInfo
    const url = `http://127.0.0.1:${millrace.port}`
    const flow = { name: 'Forwarded', steps: [{ ref_id: 'hook', type: 'webhook', config: { async: true } }] }
    const [plain, forwarded] = [
      await createFlow(url, millrace.bearer, flow),
      await createFlow(url, millrace.bearer, flow),
    ]
    await callMillrace(millrace, 'PUT', `/v1/flows/${forwarded.flowId}/forward`, {
      url: `http://127.0.0.1:${port}/in`,
    })
    const ways = {
      direct: { port, path: '/in', headers: forwarded.headers },
      webhook: { port: millrace.port, ...plain },
      forwarded: { port: millrace.port, ...forwarded },
    }
    const times = { direct: [] as number[], webhook: [] as number[], forwarded: [] as number[] }
    for (let round = 0; round <= ROUNDS; round++)
      for (const way of ['direct', 'webhook', 'forwarded'] as const) {
        const requests = round === 0 ? WARM_UP : REQUESTS
        const { p50Ms } = await load({ ...ways[way], body: ORDER, connections: 1, requests })
        if (round > 0) times[way].push(p50Ms)
      }
    const [direct, webhook, through] = [times.direct, times.webhook, times.forwarded].map((all) =>
      median(all),
    )
    const figure = (what: string, ours: number, name: string, value: number): Figure => ({
      what,
      unit: 'ms',
      ours,
      beside: { name, value },
      goal: 'told',
      isMet: true,
    })
    return [
      figure('Time to the response of the program', through ?? 0, 'straight to the program', direct ?? 0),
      figure('The same', through ?? 0, 'a webhook that forwards nothing', webhook ?? 0),
      {
        what: 'Added to a webhook by forwarding',
        unit: 'ms',
        ours: (through ?? 0) - (webhook ?? 0),
        goal: `at most ${MOST_ADDED_MS} ms`,
        isMet: (through ?? 0) - (webhook ?? 0) <= MOST_ADDED_MS,
      },
    ]
  } finally {
    program.closeAllConnections()
    program.close()
  }
}
