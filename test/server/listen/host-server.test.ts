import { expect, it, onTestFinished } from 'vitest'
import { createHostServer } from '../../../src/main/server/listen/host-server.ts'
import { listRefused } from '../../../src/main/server/routes/flow-webhook.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { logInto, testRandom } from '../../helpers/test-server.ts'

it('is open before the server is ready: 503 with Retry-After, and webhooks are listed afterwards', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook' }])
  const server = createHostServer({ log: logInto([]), random: testRandom })
  onTestFinished(() => server.close({ graceMs: 0 }))
  const port = await server.listen(0)
  const call = (path: string) =>
    callHttp(port, { method: 'POST', path, headers: { authorization: `Bearer ${hook.token}` }, body: '{}' })
  const early = await call(hook.path)
  await call('/v1/flows')
  listRefused(server, app.services)
  const before = await app.requests()
  server.open((_request, response) => response.end('served'))
  const served = await call(hook.path)
  await server.close({ graceMs: 0 })
  expect({ early, served }).toMatchObject({
    early: {
      status: 503,
      json: { error: 'unavailable', message: 'Millrace is starting; try again in a moment' },
      headers: { 'retry-after': '1', 'x-content-type-options': 'nosniff' },
    },
    served: { status: 200, text: 'served' },
  })
  expect(before).toMatchObject([
    {
      status: 503,
      reason: 'Millrace is starting; try again in a moment',
      flow_id: hook.flow.id,
      path: hook.path,
      method: 'POST',
      flow_run_id: null,
    },
  ])
  expect(JSON.stringify(before)).not.toContain(hook.token)
})
