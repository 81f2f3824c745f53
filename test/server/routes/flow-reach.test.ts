import { expect, test } from 'vitest'
import type { FlowReach } from '../../../src/shared/contract/reach/flow-reach.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'

const step = (ref_id: string, type: string, config: Record<string, unknown>): StepInput => ({
  ref_id,
  type,
  config,
})

test('what a flow may reach comes from its definition, and what a template decides is anything', async () => {
  const app = await startFlowApp()
  const created = async (path: string, body: object) =>
    ((await app.call('POST', path, body)).json as { id: string }).id
  const connectorId = await created('/v1/connectors', { name: 'Shop', base_domain: 'https://shop.example' })
  const auth = { connector_id: connectorId, auth_type: 'none' }
  const authId = await created('/v1/connector-auths', { ...auth, name: 'Shop of the team' })
  const { flow: other } = await app.addFlow([step('web1', 'webhook', {})], { name: 'Archive' })
  const { flow } = await app.addFlow([
    step('web1', 'webhook', {}),
    step('call', 'rest', { url: 'https://API.example.com:8443/orders?x={{ web1.x }}' }),
  ])
  const reach = async () => (await app.call('GET', `/v1/flows/${flow.id}/reach`)).json as FlowReach[]
  const before = await reach()
  await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, {
    steps: [
      ...flow.steps,
      step('secret', 'rest', { url: 'https://user:pass@{{ web1.host }}/x' }),
      step('again', 'rest', { url: 'https://api.example.com:8443/{{ web1.path }}' }),
      {
        ...step('each', 'loop', { over: '{{ web1.items }}' }),
        steps: [
          step('list', 'connector_action', { connector_id: connectorId, action: 'list', auth_id: authId }),
        ],
      },
      step('any', 'connector_action', {
        connector_id: connectorId,
        action: 'list',
        dynamic_auth_id: '{{ web1.auth }}',
      }),
      step('mail', 'send_email', {
        auth_id: authId,
        to: 'a@example.com, b@example.com',
        cc: '{{ web1.cc }}',
      }),
      step('run', 'run_program', { program: 'pandoc' }),
      step('file', 'file_write', { path: 'out/{{ web1.name }}', content: 'x' }),
      step('rows', 'data_table', { table: 'orders', operation: 'read' }),
      step('sub', 'run_flow', { flow_id: other.id }),
    ],
  })
  const shown = (await reach()).map(({ kind, name, id, steps, is_new: isNew }) => [
    kind,
    name,
    id,
    steps,
    isNew,
  ])
  expect({ before, shown }).toEqual({
    before: [{ kind: 'host', name: 'api.example.com:8443', id: null, steps: ['call'], is_new: false }],
    shown: [
      ['host', null, null, ['secret', 'any'], true],
      ['host', 'api.example.com:8443', null, ['call', 'again'], false],
      ['host', 'shop.example', null, ['list', 'any'], true],
      ['connector', 'Shop', connectorId, ['list', 'any'], true],
      ['auth', null, null, ['any'], true],
      ['auth', 'Shop of the team', authId, ['list', 'mail'], true],
      ['program', 'pandoc', null, ['run'], true],
      ['file', null, null, ['file'], true],
      ['email', null, null, ['mail'], true],
      ['email', 'a@example.com', null, ['mail'], true],
      ['email', 'b@example.com', null, ['mail'], true],
      ['table', 'orders', null, ['rows'], true],
      ['flow', 'Archive', other.id, ['sub'], true],
    ],
  })
})

test('draft changes say that a token wrote them until they are saved or discarded', async () => {
  const app = await startFlowApp()
  const { flow } = await app.addFlow([step('web1', 'webhook', {})])
  const path = `/v1/flows/${flow.id}/working-copy`
  const body = { expiration: null, scopes: ['automation'], note: 'Agent' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as { token: string }
  const copyOf = async () =>
    ((await app.call('GET', path)).json as { written_with: string | null }).written_with
  const seen = [await copyOf()]
  await fetch(`http://127.0.0.1:${app.port}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ steps: [...flow.steps, step('sum', 'set', { values: {} })] }),
  })
  seen.push(await copyOf())
  await app.call('PUT', path, { steps: flow.steps })
  seen.push(await copyOf())
  await app.call('PUT', path, { steps: null })
  seen.push(await copyOf())
  expect(seen).toEqual([null, 'Agent', 'Agent', null])
})
