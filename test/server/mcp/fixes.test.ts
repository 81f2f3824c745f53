import { expect, test } from 'vitest'
import { startFlowApp } from '../../helpers/flow-app.ts'
import type { FlowProblem } from '../../../src/shared/contract/base/flow-problem.ts'
import { connectMcp } from '../../helpers/mcp-client.ts'
import { session } from '../../helpers/test-server.ts'

const flow = () => [
  { ref_id: 'order', type: 'webhook', config: { async: false } },
  {
    ref_id: 'customer',
    type: 'rest',
    config: {
      method: 'POST',
      url: 'https://api.example.com/{{ order.customer_id }}',
      body: '{"a": {{ order.amount }}}',
    },
    on_error: 'continue',
  },
  { ref_id: 'pause', type: 'delay', config: { seconds: 5 } },
  {
    ref_id: 'each',
    type: 'loop',
    config: { over: '{{ customer.body.orders }}' },
    steps: [{ ref_id: 'entry', type: 'set', config: { values: { 'of.one': '{{ item.name | upper }}' } } }],
  },
  {
    ref_id: 'large',
    type: 'condition',
    config: { when: '{{ order.amount > 100 }}' },
    then: [{ ref_id: 'big', type: 'set', config: { values: { text: '{{ customer.body.name }}' } } }],
    else: [{ ref_id: 'little', type: 'set', config: { values: { text: 'small' } } }],
  },
  { ref_id: 'done', type: 'respond', config: { body: 'Thanks' } },
]

/** What was written by mistake, and what was meant. */
const MISTAKES: readonly (readonly [written: string, meant: string])[] = [
  // misspelled references, filters and tags
  ['{{ ordr.customer_id }}', '{{ order.customer_id }}'],
  ['{{ oder.amount > 100 }}', '{{ order.amount > 100 }}'],
  ['{{ custmer.body.orders }}', '{{ customer.body.orders }}'],
  ['{{ Customer.body.name }}', '{{ customer.body.name }}'],
  ['{{ itme.name | upper }}', '{{ item.name | upper }}'],
  ['{{ item.name | uper }}', '{{ item.name | upper }}'],
  ['{{ item.name | upppr }}', '{{ item.name | upper }}'],
  // a member of the body
  ['{{ customer.name }}', '{{ customer.body.name }}'],
  ['{{ customer.orders }}', '{{ customer.body.orders }}'],
  // misspelled types and choices
  ['"type":"webhok"', '"type":"webhook"'],
  ['"type":"conditon"', '"type":"condition"'],
  ['"type":"dealy"', '"type":"delay"'],
  ['"type":"respnd"', '"type":"respond"'],
  ['"on_error":"contine"', '"on_error":"continue"'],
  // unknown fields
  ['"urll":', '"url":'],
  ['"ovr":', '"over":'],
  ['"second":', '"seconds":'],
  ['"valus":', '"values":'],
  ['"asnyc":', '"async":'],
  ['"confg":{"when"', '"config":{"when"'],
  ['"thn":', '"then":'],
  ['"elsee":', '"else":'],
  // wrong types
  ['"async":"false"', '"async":false'],
  ['"async":"no"', '"async":false'],
  [
    '"url":["https://api.example.com/{{ order.customer_id }}"]',
    '"url":"https://api.example.com/{{ order.customer_id }}"',
  ],
]

test('check_flow names the place of planted mistakes and a fix, which patch_flow takes', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const { callTool } = await connectMcp(app.port, session.authorization)
  const { flow: saved } = await app.addFlow([])
  const flow_id = saved.id
  const intended = JSON.stringify(flow())
  const unlike: unknown[] = []
  for (const [written, meant] of MISTAKES) {
    const text = intended.replace(meant, written)
    if (text === intended) throw new Error(`${meant} isn't in the flow`)
    await app.call('PUT', `/v1/flows/${flow_id}/working-copy`, { steps: JSON.parse(text) as object[] })
    const checked = await callTool('check_flow', { flow_id })
    const problems = checked.value['problems'] as FlowProblem[]
    const { value } = await callTool('read_flow', { flow_id })
    const edits = problems.find(({ fix }) => fix !== null)?.fix?.edits ?? []
    await callTool('patch_flow', { flow_id, revision: value['revision'], edits })
    const { json } = await app.call('GET', `/v1/flows/${flow_id}/working-copy`)
    try {
      expect((json as { steps: unknown }).steps).toEqual(JSON.parse(intended))
    } catch {
      unlike.push({ written, problems })
    }
  }
  expect(unlike).toEqual([])
})

test('a fix that could be wrong is not safe, and none brings another problem', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const { callTool } = await connectMcp(app.port, session.authorization)
  const { flow: saved } = await app.addFlow([])
  const fixesOf = async (...steps: object[]) => {
    const { value } = await callTool('check_flow', { flow_id: saved.id, steps })
    return (value['problems'] as FlowProblem[]).map(({ path, fix }) => [path, fix && [fix.title, fix.safe]])
  }
  const set = (values: object, more: object = {}) => ({
    ref_id: 'a',
    type: 'set',
    config: { values },
    ...more,
  })
  expect({
    fine: await fixesOf(set({ x: 1 })),
    nothingLike: await fixesOf(set({ x: '{{ zebra }}' })),
    twice: await fixesOf(set({ x: 1 }), set({ x: 2 })),
    syntax: await fixesOf(set({ x: '{{ now( }}' })),
    noStep: await fixesOf({ ref_id: 7 }),
    extra: await fixesOf({ ...set({ x: 1 }), config: { values: { x: 1 }, quite_another: 1 } }),
  }).toEqual({
    fine: [],
    nothingLike: [['steps[0].config.values.x', null]],
    twice: [['steps[1].ref_id', null]],
    syntax: [['steps[0].config.values.x', ['Insert ")"', false]]],
    noStep: [
      ['steps[0].ref_id', null],
      ['steps[0].type', null],
    ],
    extra: [['steps[0].config.quite_another', ['Remove it', false]]],
  })
})

test('names of connectors, actions and auths become those that exist, if the token can read them', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const made = async (path: string, body: object) => {
    const { json } = await app.call('POST', path, body)
    return (json as { id: string }).id
  }
  const connector_id = await made('/v1/connectors', { name: 'Shop', base_domain: 'https://api.example.com' })
  await made('/v1/connector-actions', {
    connector_id,
    name: 'list_orders',
    method: 'GET',
    endpoint: '/orders',
  })
  const auth_id = await made('/v1/connector-auths', { connector_id, name: 'Mine', auth_type: 'none' })
  const { flow: saved } = await app.addFlow([])
  const valuesOf = async (authorization: string, config: object) => {
    const { callTool } = await connectMcp(app.port, authorization)
    const steps = [{ ref_id: 'call', type: 'connector_action', config }]
    const { value } = await callTool('check_flow', { flow_id: saved.id, steps })
    return (value['problems'] as FlowProblem[]).map(({ fix }) => {
      const edit = fix?.edits[0]
      return edit?.op === 'set' ? [edit.value, fix?.safe] : null
    })
  }
  const right = { connector_id, action: 'list_orders', auth_id }
  const body = { expiration: null, scopes: ['automation:view'], note: 'Agent' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as { token: string }
  const nobody = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  expect({
    right: await valuesOf(session.authorization, right),
    connector: await valuesOf(session.authorization, { ...right, connector_id: 'shop' }),
    action: await valuesOf(session.authorization, { ...right, action: 'list_order' }),
    auth: await valuesOf(session.authorization, { ...right, auth_id: nobody }),
    byToken: await valuesOf(`Bearer ${token}`, { ...right, connector_id: 'shop' }),
  }).toEqual({
    right: [],
    connector: [[connector_id, true]],
    action: [['list_orders', true]],
    auth: [[auth_id, false]],
    byToken: [null],
  })
})
