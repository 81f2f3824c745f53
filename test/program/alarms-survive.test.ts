/** Alarms of the real program survive kill -9: none is lost, and delivered ones aren't repeated. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const kill = async (served: Served) => {
  served.process.kill('SIGKILL')
  await served.ended
}

it("an alarm whose hook hadn't responded is sent again at the next start, and its flow runs once", async () => {
  let isUp = false
  const api = await startThirdPartyApi((_request, response) => {
    if (isUp) response.writeHead(204).end() // before that nobody ever gets a response
  })
  const first = await home.serve()
  const handler = await callOrThrow<Flow>(first, 'POST', '/v1/flows', {
    name: 'Handler',
    status: 'active',
    steps: [{ ref_id: 'seen', type: 'set', config: { values: { id: '{{ alarm_id }}' } } }],
  })
  await callOrThrow(first, 'PUT', '/v1/settings', {
    event_hook: { events: ['failed'], flow_id: handler.id, url: `${api.url}/alarms` },
  })
  const flow = await callOrThrow<Flow & { webhook: { token: string } }>(first, 'POST', '/v1/flows', {
    name: 'Orders',
    status: 'active',
    steps: [
      { ref_id: 'web1', type: 'webhook', config: {} },
      { ref_id: 'end', type: 'stop', config: { status: 'error', message: 'No stock' } },
    ],
  })
  const { status } = await fetch(`${first.url}/v1/flow-webhook/${flow.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${flow.webhook.token}` },
  })
  await vi.waitUntil(() => api.received.length === 1, { timeout: 60_000 })
  await kill(first)
  isUp = true
  const second = await home.serve()
  await vi.waitUntil(() => api.received.length === 2, { timeout: 60_000 })
  const handled = async () =>
    callOrThrow<FlowRun[]>(second, 'GET', `/v1/flow-runs?filter=flow_id,eq,${handler.id}`)
  await vi.waitUntil(async () => (await handled())[0]?.status === 'success', { timeout: 60_000 })
  await kill(second)
  const third = await home.serve()
  const runs = await callOrThrow<FlowRun[]>(third, 'GET', `/v1/flow-runs?filter=flow_id,eq,${handler.id}`)
  const ids = api.received.map(({ body }) => (JSON.parse(body.toString()) as { alarm_id: string }).alarm_id)
  expect({ status, ids: new Set(ids).size, times: ids.length, runs: runs.length }).toEqual({
    status: 500,
    ids: 1,
    times: 2,
    runs: 1,
  })
})
