import { expect, test } from 'vitest'
import { startTestApp } from '../../../helpers/test-app.ts'

const MISSING = "{{ not_imported('the file a.csv') }}"

test('a placeholder left by an import is a problem of its flow, and a run fails there with what is missing', async () => {
  const { call } = await startTestApp()
  const connector = (
    await call('POST', '/v1/connectors', { name: 'Shop', base_domain: 'http://127.0.0.1:9' })
  ).json as { id: string }
  const action = await call('POST', '/v1/connector-actions', {
    connector_id: connector.id,
    name: 'upload',
    method: 'POST',
    endpoint: 'files',
    body: { data: MISSING },
  })
  const steps = [
    {
      ref_id: 'step',
      type: 'rest',
      on_error: 'continue',
      config: { url: 'http://127.0.0.1:9', body: MISSING, method: 'POST', body_type: 'text' },
    },
    { ref_id: 'call', type: 'connector_action', config: { connector_id: connector.id, action: 'upload' } },
  ]
  const flow = (await call('POST', '/v1/flows', { name: 'Upload', steps })).json as { id: string }
  const { problems } = (await call('POST', `/v1/flows/${flow.id}/check`, { steps })).json as {
    problems: { path: string; severity: string; message: string }[]
  }
  const run = (await call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})).json as { id: string }
  const ran = (await call('GET', `/v1/flow-runs/${run.id}/steps`)).json as { error: { message: string } }[]
  expect({
    saved: (action.json as { warnings: object[] }).warnings,
    problems: problems.map(({ severity, message }) => [severity, message]),
    failed: ran.map(({ error }) => error.message),
  }).toEqual({
    saved: [expect.objectContaining({ code: 'not_imported', field: 'body' })],
    problems: [
      ['warning', expect.stringContaining('was not imported, so runs fail here: the file a.csv')],
      ['warning', expect.stringContaining('has a placeholder in its body')],
    ],
    failed: [expect.stringContaining('the file a.csv'), expect.stringContaining('the file a.csv')],
  })
})
