/** Webhooks that go on to a local program, from the command line and over a crash. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { callHttp } from '../helpers/http.ts'
import { aRecorder, closedAtEnd } from '../helpers/odd-requests.ts'
import { onPosix } from '../helpers/platform.ts'
import { COMMAND, createHome, type Home, type Served } from '../helpers/program.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

async function call<T>(served: Served, method: string, path: string, body?: unknown): Promise<T> {
  const { json } = await callHttp(Number(new URL(served.url).port), {
    method,
    path,
    headers: { authorization: `Bearer ${served.bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return json as T
}

const send = (served: Served, { id }: Pick<Flow, 'id'>, query = '') =>
  callHttp(Number(new URL(served.url).port), {
    method: 'POST',
    path: `/v1/flow-webhook/${id}${query}`,
    body: 'a=1',
  })

test.runIf(onPosix)(
  'millrace forward makes a flow, prints each request, and ends the forward with itself',
  async () => {
    const served = await home.serve()
    const program = closedAtEnd(await aRecorder())
    const command = spawn(
      process.execPath,
      [...FLAGS, COMMAND, 'forward', String(program.port), '--path', '/in', '--json'],
      { env: home.env },
    )
    onTestFinished(() => void command.kill('SIGKILL'))
    const lines = createInterface({ input: command.stdout })[Symbol.asyncIterator]()
    const flowOf = async () =>
      (await call<Flow[]>(served, 'GET', '/v1/flows')).find(({ name }) => name.startsWith('Forward to port'))
    const forwardOf = async (flow: Flow | undefined) =>
      (await call<{ forward: unknown }>(served, 'GET', `/v1/flows/${flow?.id ?? ''}/forward`)).forward ?? null
    await expect.poll(async () => forwardOf(await flowOf()), { timeout: 60_000 }).not.toBe(null)
    const flow = (await flowOf())!
    expect((await send(served, flow, '?n=1')).text).toBe('#1')
    const { value } = await lines.next()
    expect(JSON.parse(value ?? '')).toMatchObject({ method: 'POST', forwarded: { status: 201, error: null } })
    expect(program.arrived[0]).toMatchObject({ url: '/in?n=1', method: 'POST' })
    const ended = new Promise((resolve) => command.once('exit', resolve))
    command.kill('SIGINT')
    expect({ code: await ended, forward: await forwardOf(flow) }).toEqual({ code: 0, forward: null })
  },
)

test('requests that are kept until the program listens survive kill -9', async () => {
  const closed = await aRecorder()
  await closed.close()
  const before = await home.serve()
  const flow = await call<Flow>(before, 'POST', '/v1/flows', {
    name: 'Kept',
    steps: [{ ref_id: 'web1', type: 'webhook' }],
    settings: { webhook_token_enabled: false },
  })
  await call(before, 'PUT', `/v1/flows/${flow.id}/forward`, { url: closed.url, keep_when_closed: true })
  const statuses = []
  for (const n of [1, 2, 3]) statuses.push((await send(before, flow, `?n=${n}`)).status)
  before.process.kill('SIGKILL')
  await before.ended
  const program = closedAtEnd(await aRecorder(closed.port))
  await home.serve()
  await expect.poll(() => program.arrived.length, { timeout: 60_000 }).toBe(3)
  expect({ statuses, arrived: program.arrived.map(({ url }) => url) }).toEqual({
    statuses: [202, 202, 202],
    arrived: ['/?n=1', '/?n=2', '/?n=3'],
  })
})
