import { describe, expect, it } from 'vitest'
import { DEFAULT_ALARMS } from '../../../src/shared/contract/alarms.ts'
import type { FlowFile, FlowImportPlan } from '../../../src/shared/contract/flow-files.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { FlowRun, FlowRunStep } from '../../../src/shared/contract/flow-runs.ts'
import { startTestApp, type TestApp } from '../../helpers/test-app.ts'

const post = async <T>(app: TestApp, path: string, body: unknown, status: number): Promise<T> => {
  const answer = await app.call('POST', path, body)
  expect({ status: answer.status, text: answer.text.slice(0, 400) }).toEqual({
    status,
    text: expect.any(String),
  })
  return answer.json as T
}
const planOf = (app: TestApp, source: unknown) =>
  post<FlowImportPlan>(app, '/v1/flows/import/plan', { source: JSON.stringify(source) }, 200)
const make = (app: TestApp, file: FlowFile) =>
  post<Flow & { other_flows: { id: string; name: string }[] }>(app, '/v1/flows/import', file, 201)

const SECRET = 'sk_live_abcdefgh12345678'

describe('a flow as a file', () => {
  it('includes the flows that it runs or uses for errors, with new ids and no secret', async () => {
    const app = await startTestApp()
    await post(app, '/v1/env-variables', { name: 'shop_key', type: 'text', value: 'x', secret: false }, 201)
    const handler = await post<Flow>(app, '/v1/flows', { name: 'Handler', steps: [] }, 201)
    const child = await post<Flow>(app, '/v1/flows', { name: 'Child', steps: [] }, 201)
    const connectors = (await app.call('GET', '/v1/connectors?filter=name,eq,GitHub')).json as {
      id: string
    }[]
    const auth = await post<{ id: string; connector_id: string }>(
      app,
      '/v1/connector-auths',
      {
        connector_id: connectors[0]?.id,
        name: 'Mine',
        auth_type: 'bearer',
        auth_token: SECRET,
      },
      201,
    )
    const { id } = await post<Flow>(
      app,
      '/v1/flows',
      {
        name: 'Parent',
        settings: {
          error_handling_flow_id: handler.id,
          alarms: { ...DEFAULT_ALARMS, flow_id: child.id },
          data_retention_days: 7,
        },
        steps: [
          {
            ref_id: 'ask',
            type: 'rest',
            config: {
              url: `https://api.example.test/x?key=${SECRET}`,
              headers: { Authorization: 'Bearer written-into-the-flow', 'X-Api-Key': '{{ shop_key }}' },
              auth_id: auth.id,
            },
          },
          {
            ref_id: 'gh',
            type: 'connector_action',
            config: { connector_id: auth.connector_id, action: 'list_issues', auth_id: auth.id },
          },
          { ref_id: 'run', type: 'run_flow', config: { flow_id: child.id } },
        ],
      },
      201,
    )
    const file = (await app.call('GET', `/v1/flows/${id}/export`)).json as FlowFile
    expect(JSON.stringify(file)).not.toMatch(new RegExp(`${SECRET}|written-into|${auth.id}`))
    expect(file).toMatchObject({
      format: 'millrace-flow',
      flows: [
        {
          name: 'Parent',
          steps: [{ config: { headers: { Authorization: '', 'X-Api-Key': '{{ shop_key }}' } } }, {}, {}],
        },
        { name: expect.any(String) },
        { name: expect.any(String) },
      ],
      references: { connectors: [{ name: 'GitHub' }] },
    })

    const other = await startTestApp()
    const plan = await planOf(other, file)
    expect(plan).toMatchObject({
      source_format: 'millrace',
      addresses: [
        { ref_id: 'ask', address: 'api.example.test' },
        { ref_id: 'gh', address: 'api.github.com' },
      ],
      variables: [{ name: 'shop_key', is_there: false, is_made: false }],
      without_auth: [{ ref_id: 'ask' }, { ref_id: 'gh' }],
    })
    const made = await make(app, plan.file)
    const ids = new Map(made.other_flows.map((flow) => [flow.name, flow.id]))
    expect({
      status: made.status,
      errorHandlingFlowId: made.settings.error_handling_flow_id,
      alarmFlowId: made.settings.alarms?.flow_id,
      flowId: made.steps[2]?.config['flow_id'],
    }).toEqual({
      status: 'draft',
      errorHandlingFlowId: ids.get('Handler (copy)'),
      alarmFlowId: ids.get('Child (copy)'),
      flowId: ids.get('Child (copy)'),
    })
    expect([...ids.values(), made.id]).not.toContain(child.id)
    expect(made.version).toBe(1)
  })

  it('gets a different name if its own is taken, so that a name identifies one flow', async () => {
    const app = await startTestApp()
    const long = 'Long '.repeat(40)
    const importAll = async (names: readonly string[]) => {
      const made = []
      for (const name of names) {
        const { file } = await planOf(app, { name, steps: [] })
        made.push((await make(app, file)).name)
      }
      return made
    }
    const given = await importAll(['Order', 'Order', 'Order', 'order', 'Order (copy)', long, long])
    expect(given).toEqual([
      'Order',
      'Order (copy)',
      'Order (copy 2)',
      'order',
      'Order (copy) (copy)',
      long,
      `${long.slice(0, 193)} (copy)`,
    ])
  })
})

/** As n8n's editor saves it. */
const N8N = {
  name: 'Order check',
  nodes: [
    {
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      position: [0, 0],
      parameters: { httpMethod: 'POST', path: 'x', responseMode: 'lastNode', options: {} },
    },
    {
      name: 'Code',
      type: 'n8n-nodes-base.code',
      typeVersion: 2,
      position: [200, 0],
      parameters: {
        jsCode:
          "const total = $input.first().json.body.items.reduce((sum, one) => sum + one.price, 0)\nreturn [{ json: { total, from: $('Webhook').first().json.body.name } }]",
      },
    },
    {
      name: 'IF',
      type: 'n8n-nodes-base.if',
      typeVersion: 2,
      position: [400, 0],
      parameters: {
        conditions: {
          options: { caseSensitive: true },
          combinator: 'and',
          conditions: [
            {
              leftValue: '={{ $json.total }}',
              rightValue: 100,
              operator: { type: 'number', operation: 'gt' },
            },
          ],
        },
      },
    },
    {
      name: 'Large',
      type: 'n8n-nodes-base.set',
      typeVersion: 3.4,
      position: [600, 0],
      parameters: {
        assignments: {
          assignments: [
            { name: 'kind', value: '=large: {{ $json.total }} for {{ $env.SHOP }}', type: 'string' },
          ],
        },
        includeOtherFields: true,
        options: {},
      },
    },
    {
      name: 'Small',
      type: 'n8n-nodes-base.set',
      typeVersion: 3.4,
      position: [600, 200],
      parameters: {
        mode: 'raw',
        jsonOutput: '={ "kind": "small", "total": {{ $json.total }}, "who": "Mr {{ $json.from }}" }',
        options: {},
      },
    },
    {
      name: 'Chat',
      type: 'n8n-nodes-base.slack',
      typeVersion: 1,
      position: [800, 0],
      parameters: { text: '={{ $json.kind }}' },
      credentials: { slackApi: { id: '1', name: 'x' } },
    },
  ],
  connections: {
    Webhook: { main: [[{ node: 'Code', type: 'main', index: 0 }]] },
    Code: { main: [[{ node: 'IF', type: 'main', index: 0 }]] },
    IF: { main: [[{ node: 'Large', type: 'main', index: 0 }], [{ node: 'Small', type: 'main', index: 0 }]] },
    Large: { main: [[{ node: 'Chat', type: 'main', index: 0 }]] },
  },
  settings: { executionOrder: 'v1' },
}

describe('an n8n workflow', () => {
  it.each<[string, string, object]>([
    [
      'a dropdown with an empty option',
      'formTrigger',
      {
        formTitle: 'Order',
        formFields: {
          values: [
            { fieldLabel: 'Size', fieldType: 'dropdown', fieldOptions: { values: [{ option: 'S' }, {}] } },
          ],
        },
      },
    ],
    ['a dropdown without options', 'formTrigger', { formFields: { values: [{ fieldType: 'dropdown' }] } }],
    ['a form without fields or title', 'formTrigger', {}],
    [
      'a form that leads to no URL',
      'formTrigger',
      { options: { respondWithOptions: { values: { respondWith: 'redirect' } } } },
    ],
    ['a query of MySQL', 'mySql', { operation: 'executeQuery', query: 'SELECT 1' }],
    ['a selection of MySQL', 'mySql', { operation: 'select', table: { value: 'orders' } }],
    ['a selection of PostgreSQL', 'postgres', { operation: 'select', table: { value: 'orders' } }],
    ['two statements', 'mySql', { operation: 'executeQuery', query: 'SELECT 1; DROP TABLE x' }],
    [
      'a schedule that never comes',
      'scheduleTrigger',
      { rule: { interval: [{ field: 'cronExpression', expression: '0 9 31 2 *' }] } },
    ],
    [
      'a cron expression that is none',
      'scheduleTrigger',
      { rule: { interval: [{ field: 'cronExpression', expression: 'soon' }] } },
    ],
    [
      'an interval of 0',
      'scheduleTrigger',
      { rule: { interval: [{ field: 'minutes', minutesInterval: 0 }] } },
    ],
    ['a wait below 0', 'wait', { amount: -5, unit: 'seconds' }],
    ['a status that is none', 'respondToWebhook', { respondWith: 'text', options: { responseCode: 99_999 } }],
    ['a request without a URL', 'httpRequest', { method: 'BREW', url: '' }],
    ['nothing', 'set', {}],
  ])('with %s is imported with all its other steps', async (_, type, parameters) => {
    const app = await startTestApp()
    const isTrigger = type.endsWith('Trigger')
    const at = (name: string, kind: string, more: object) => ({
      name,
      type: `n8n-nodes-base.${kind}`,
      typeVersion: 2,
      position: [0, 0],
      parameters: more,
    })
    const start = isTrigger
      ? at('One', type, parameters)
      : at('Start', 'webhook', { httpMethod: 'POST', path: 'x' })
    const nodes = [
      start,
      ...(isTrigger ? [] : [at('One', type, parameters)]),
      at('Last', 'noOp', {}),
      at('End', 'set', { mode: 'raw', jsonOutput: '{"a": 1}' }),
    ]
    const connections = Object.fromEntries(
      nodes
        .slice(0, -1)
        .map(({ name }, index) => [
          name,
          { main: [[{ node: nodes[index + 1]?.name, type: 'main', index: 0 }]] },
        ]),
    )
    const plan = await planOf(app, { name: 'Broken', nodes, connections, settings: {} })
    const flow = await make(app, plan.file)
    expect({ problems: plan.problems, steps: JSON.stringify(flow.steps).includes('"end"') }).toEqual({
      problems: [],
      steps: true,
    })
  })

  it("is planned, created with its env variables, runs, and lists what it couldn't import", async () => {
    const app = await startTestApp()
    const plan = await planOf(app, N8N)
    expect(plan).toMatchObject({
      source_format: 'n8n',
      problems: [],
      variables: [{ name: 'SHOP', is_there: false, is_made: true }],
      notes: expect.arrayContaining([
        {
          flow: 'Order check',
          ref_id: 'chat',
          node: 'Chat',
          field: null,
          message: expect.stringContaining('uses node version 1'),
        },
      ]),
    })
    const flow = await make(app, plan.file)
    const run = async (input: object) => {
      const ended = await post<FlowRun>(app, `/v1/flows/${flow.id}/run?wait=true`, { input }, 200)
      const steps = (await app.call('GET', `/v1/flow-runs/${ended.id}/steps`)).json as FlowRunStep[]
      return { ended, steps }
    }
    const small = await run({ name: 'Ann', items: [{ price: 40 }, { price: 2 }] })
    const large = await run({ name: 'Bo', items: [{ price: 400 }] })
    expect({ small: small.ended.error, large: large.ended.error }).toMatchObject({
      small: null,
      large: {
        code: 'unknown_step_type',
        ref_id: 'chat',
        message: expect.stringContaining('n8n-nodes-base.slack'),
      },
    })
    expect(small.steps.find((one) => one.ref_id === 'small')?.output).toEqual({
      kind: 'small',
      total: 42,
      who: 'Mr Ann',
    })
    expect(large.steps.find((one) => one.ref_id === 'large')?.output).toEqual({
      total: 400,
      from: 'Bo',
      kind: 'large: 400 for ',
    })
  })

  it('keeps a step of an unknown type at every save, and says so', async () => {
    const app = await startTestApp()
    const { file } = await planOf(app, N8N)
    const flow = await make(app, file)
    const saved = (await app.call('PUT', `/v1/flows/${flow.id}`, { steps: flow.steps, name: 'Again' }))
      .json as {
      warnings: { code: string; message: string }[]
    }
    expect(saved.warnings).toMatchObject([
      {
        code: 'unknown_step_type',
        message: expect.stringMatching(/"chat".*n8n-nodes-base\.slack.* uses node version 1/),
      },
    ])
  })

  it.each([
    [
      '{"nodes": [',
      /must be a Millrace flow or an n8n workflow in JSON, but isn't valid JSON in line 1, column 12/,
    ],
    ['[]', /an n8n workflow/],
    ['{"format": "millrace-connector"}', /It is a connector/],
    [JSON.stringify([{ id: 'a', wires: [] }]), /Node-RED/],
    [`${'['.repeat(5_000)}${']'.repeat(5_000)}`, /JSON/],
  ])('anything else is rejected: %#', async (source, why) => {
    const app = await startTestApp()
    const answer = await app.call('POST', '/v1/flows/import/plan', { source })
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 400,
      text: expect.stringMatching(why),
    })
  })

  it("a token that can't create env variables can't import a flow that needs one", async () => {
    const app = await startTestApp()
    const token = await post<{ token: string }>(
      app,
      '/v1/personal-access-tokens',
      { expiration: 1, note: 'x', scopes: ['automation'] },
      201,
    )
    const file = {
      ...(await planOf(app, N8N)).file,
      setup: { env_variables: [{ name: 'NOT_THERE', type: 'text', value: '' }] },
    }
    const answer = await app.call('POST', '/v1/flows/import', file, {
      authorization: `Bearer ${token.token}`,
    })
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 403,
      text: expect.stringContaining('NOT_THERE'),
    })
  })
})
