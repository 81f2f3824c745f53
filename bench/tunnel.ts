/**
 * The latency that a tunnel adds: the same requests are sent directly and through an SSH server on loopback,
 * alternating.
 */
import type { Tunnel } from '../src/shared/contract/reach/tunnel.ts'
import { startSshServer } from '../test/helpers/tunnel-servers.ts'
import { median, type Benchmark, type Figure } from './lib/figure.ts'
import { load } from './lib/load.ts'
import type { StartedMillrace } from './lib/millrace.ts'
import { createOrderFlow, ORDER } from './lib/orders.ts'
import { withMillrace } from './lib/with-folder.ts'

const WARM_UP = 200
const REQUESTS = 400
const ROUNDS = 5
const MOST_ADDED_MS = 3

export const benchmark: Benchmark = {
  title: 'A webhook through an SSH tunnel on loopback, one caller',
  run: () => withMillrace(measure),
}

async function measure(millrace: StartedMillrace): Promise<Figure[]> {
  const server = await startSshServer()
  try {
    const hook = await createOrderFlow(millrace, {})
    const port = await openTunnel(millrace, server)
    const send = (to: number, requests: number) =>
      load({ port: to, ...hook, body: ORDER, connections: 1, requests })
    await send(millrace.port, WARM_UP)
    await send(port, WARM_UP)
    const [direct, tunneled]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      direct.push((await send(millrace.port, REQUESTS)).p50Ms)
      tunneled.push((await send(port, REQUESTS)).p50Ms)
    }
    const added = median(tunneled) - median(direct)
    return [
      {
        what: 'Time to the response, median',
        unit: 'ms',
        ours: median(tunneled),
        beside: { name: 'directly', value: median(direct) },
        goal: 'told',
        isMet: true,
      },
      {
        what: 'Added by the tunnel',
        unit: 'ms',
        ours: added,
        goal: `under ${MOST_ADDED_MS} ms`,
        isMet: added < MOST_ADDED_MS,
      },
    ]
  } finally {
    await server.close()
  }
}

/** Resolves to the port that the SSH server forwards. */
async function openTunnel(
  { port, bearer }: StartedMillrace,
  server: Awaited<ReturnType<typeof startSshServer>>,
): Promise<number> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Tunnel
  }
  let tunnel = await call('POST', '/v1/tunnel/start', {
    provider: 'ssh',
    ssh_host: '127.0.0.1',
    ssh_port: server.port,
    ssh_username: 'ann',
    ssh_password: server.password,
    ssh_host_key: server.fingerprint,
    ssh_bind_port: 0,
    ssh_url: 'http://127.0.0.1:{port}',
  })
  while (tunnel.state === 'starting') tunnel = await call('GET', '/v1/tunnel')
  if (tunnel.public_url === null) throw new Error(`no tunnel: ${tunnel.problem?.message}`)
  return Number(new URL(tunnel.public_url).port)
}
