import { expect, onTestFinished, test } from 'vitest'
import { createServer } from '../../src/main/server/create-server.ts'
import { mountRoutes } from '../../src/main/server/routes/index.ts'
import { callHttp } from '../helpers/http.ts'
import { startFlowApp } from '../helpers/flow-app.ts'
import { logInto, session, testRandom } from '../helpers/test-server.ts'

test('responses show their time in Server-Timing, in development only', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook' }])
  const timingsOf = async (showsTimings: boolean) => {
    const server = createServer({
      services: app.services,
      mount: (routes) => mountRoutes(routes, app.services),
      log: logInto([]),
      random: testRandom,
      rendererDir: '/there-is-no-page',
      showsTimings,
    })
    onTestFinished(() => server.close({ graceMs: 0 }))
    const port = await server.listen(0)
    server.ready()
    const answers = [
      await callHttp(port, { method: 'GET', path: '/v1/flows', headers: session }),
      await callHttp(port, { method: 'GET', path: '/v1/nothing', headers: session }),
      await callHttp(port, {
        method: 'POST',
        path: hook.path,
        headers: { authorization: `Bearer ${hook.token}` },
        body: '{}',
      }),
    ]
    return answers.map(({ status, headers }) => [status, headers['server-timing']])
  }
  const shown = expect.stringMatching(/^total;dur=\d+\.\d$/) as string
  expect({ development: await timingsOf(true), otherwise: await timingsOf(false) }).toEqual({
    development: [
      [200, shown],
      [404, shown],
      [200, shown],
    ],
    otherwise: [
      [200, undefined],
      [404, undefined],
      [200, undefined],
    ],
  })
})
