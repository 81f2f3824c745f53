import { expect, test } from 'vitest'
import { startFlowApp } from '../helpers/flow-app.ts'

test('a step that fails because of a bug says so, and the log has the details, without secrets', async () => {
  const app = await startFlowApp()
  await app.call('POST', '/v1/env-variables', {
    name: 'shop_secret',
    type: 'text',
    value: 'a-secret-nobody-may-read',
    secret: true,
  })
  const { path, token } = await app.addFlow([
    { ref_id: 'web1', type: 'webhook', config: {} },
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ [1, 2] }}' },
      steps: [
        {
          ref_id: 'call',
          type: 'connector_action',
          config: { connector_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', action: 'list', input: {} },
        },
      ],
    },
  ])
  Object.assign(app.store.connectors, {
    get() {
      throw new TypeError('the bomb met a-secret-nobody-may-read')
    },
  })
  const { status } = await app.trigger({ path, token }, { body: {} })
  const run = await app.until((one) => one.status === 'error')
  const logged = app.logged.map(({ level, fields }) => [level, fields])
  expect({ status, says: run.error?.message, logged }).toEqual({
    status: 500,
    says: 'Step "call" failed because of an internal error (a bug in Millrace); see the log',
    logged: [
      [
        'error',
        {
          err: {
            type: 'TypeError',
            message: 'the bomb met ***',
            stack: expect.stringMatching(/^TypeError: the bomb met \*\*\*\n +at /),
          },
          flowRunId: run.id,
          refId: 'call',
        },
      ],
    ],
  })
})
