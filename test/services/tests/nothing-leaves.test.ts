/** Every step type in a test without recorded calls: what would have an effect outside fails, and nothing is sent. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FlowTest, FlowTestResult } from '../../../src/shared/contract/flow-tests.ts'
import { definitionOf, STEP_TYPES } from '../../../src/shared/contract/step-types/index.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { confirmedPlugin, part } from '../../helpers/plugins.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const AUTH = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const FLOW = '8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b'
const TRIGGERS: readonly string[] = ['webhook', 'schedule', 'form_trigger']

it('no step type reaches the world', async () => {
  const api = await startThirdPartyApi((_request, response) => void response.end('{}'))
  const folder = join(temporaryFolder(), 'allowed')
  mkdirSync(folder)
  writeFileSync(join(folder, 'prices.csv'), 'a,b\n1,2\n')
  const app = await startFlowApp({
    settings: {
      file_folders: [folder],
      programs: [
        {
          name: 'pandoc',
          path: '/bin/true',
          arguments: [],
          folder: null,
          environment: [],
          step_environment: [],
        },
      ],
    },
  })
  const { json } = await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: api.url })
  const { id: connector } = json as { id: string }
  await app.call('POST', '/v1/connector-actions', {
    connector_id: connector,
    name: 'list_orders',
    title: 'List orders',
    method: 'GET',
    endpoint: '/orders',
  })
  await confirmedPlugin(
    app,
    { steps: [part('check')] },
    `export const steps = { check: () => ({ ok: true }) }`,
  )
  const outcomes: Record<string, string[]> = { 'needs a call': [], computes: [] }
  for (const type of STEP_TYPES.toSorted()) {
    if (TRIGGERS.includes(type)) continue
    const step = sampleOf(type, api.url, connector)
    const isTrigger = definitionOf(type)?.family === 'triggers'
    const steps = isTrigger ? [step] : [{ ref_id: 'web1', type: 'webhook' }, step]
    const test: Partial<FlowTest> = {
      millrace_test: 1,
      flow: FLOW,
      name: type,
      clock: '2026-01-01T08:00:00.000Z',
      run_id: FLOW,
      input: {
        orders: [{ id: 1, total: 5, status: 'open' }],
        email: 'ada@example.com',
        subject: 'Holiday',
        number: 'A-1',
        file: 'a.md',
        url: api.url,
        html: '<p>a</p>',
        xml: '<a/>',
        csv: 'a,b\n1,2',
        text: 'a',
        body: '<p>a</p>',
        count: 3,
      },
      auths: [
        {
          id: AUTH,
          name: 'x',
          connector: 'Shop',
          auth_type: 'bearer',
          username: 'ada@example.com',
          api_endpoint: 'postgres://127.0.0.1:1/shop',
          user_input: {},
          secrets: ['auth_token'],
        },
      ],
      expect: { status: 'success', results: {} },
    }
    const answer = await app.call('POST', '/v1/flow-tests/run', {
      source: { id: FLOW, name: type, steps },
      tests: [test],
    })
    const [result] = (answer.json as { results?: FlowTestResult[] }).results ?? []
    const [failure] = result?.failures ?? []
    // A sample can fail for lack of data; then nothing was called either.
    const outcome =
      failure?.kind === 'missing_call'
        ? 'needs a call'
        : result !== undefined && (failure === undefined || failure.kind === 'status')
          ? 'computes'
          : `${type}: ${answer.text}`
    ;(outcomes[outcome] ??= []).push(type)
  }
  expect({ outcomes, sent: api.received.length, files: readdirSync(folder) }).toEqual({
    outcomes: {
      'needs a call': [
        'ask_person',
        'connector_action',
        'data_table',
        'export_job',
        'file_read',
        'file_write',
        'key_value',
        'plugin',
        'read_cursor',
        'rest',
        'run_flow',
        'run_program',
        'send_email',
        'sql',
        'wait_for_callback',
        'write_records',
      ],
      computes: expect.any(Array) as unknown,
    },
    sent: 0,
    files: ['prices.csv'],
  })
})

function sampleOf(type: string, url: string, connector: string): StepInput {
  const sample = (definitionOf(type) as unknown as { sample: Omit<StepInput, 'ref_id' | 'type'> }).sample
  const text = JSON.stringify({ ...sample, ref_id: 'one', type })
    .replaceAll('{{ playground_url }}', url)
    .replaceAll('https://api.example.com', url)
  const step = JSON.parse(text) as StepInput
  const config = step.config as Record<string, unknown>
  if (type === 'connector_action') step.config = { connector_id: connector, action: 'list_orders', input: {} }
  if (type === 'plugin') step.config = { plugin: 'tools', step: 'check', input: {} }
  if (type === 'run_flow') step.config = { flow_id: FLOW, input: {} }
  if (type === 'sql') step.config = { file: 'shop.db', statement: 'SELECT 1' }
  if ('auth_id' in config && config['auth_id']) config['auth_id'] = AUTH
  return step
}
