import { expect, test } from 'vitest'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { IssuedToken } from '../../../src/shared/contract/tokens.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { connectMcp } from '../../helpers/mcp-client.ts'

async function connect(app: FlowApp, scopes: readonly string[] = ['automation:manage']) {
  const body = { expiration: null, scopes, note: 'Agent' }
  const { token } = (await app.call('POST', '/v1/personal-access-tokens', body)).json as IssuedToken
  return connectMcp(app.port, `Bearer ${token}`)
}

const STEPS = [
  { ref_id: 'order', type: 'webhook', config: {} },
  { ref_id: 'total', type: 'set', config: { values: { sum: '{{ order.amount * 2 }}' } } },
  {
    ref_id: 'large',
    type: 'condition',
    config: { when: '{{ total.sum > 100 }}' },
    then: [{ ref_id: 'note', type: 'set', config: { values: { text: 'large' } } }],
  },
]

test('an agent writes a flow as draft changes, which a person saves', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const { callTool } = await connect(app)
  const wrong = [STEPS[0], { ...STEPS[1], config: { values: { sum: '{{ ordr.amount * 2 }}' } } }, STEPS[2]]
  const created = await callTool('create_flow', { name: 'Totals', description: 'Of orders', steps: wrong })
  const flow_id = String(created.value['flow_id'])
  const before = await callTool('run_flow', { flow_id })
  const patched = await callTool('patch_flow', {
    flow_id,
    revision: created.value['revision'],
    edits: [
      { op: 'set', ref_id: 'total', path: '/config/values/sum', value: '{{ order.amount * 3 }}' },
      { op: 'set', ref_id: 'note', path: '/config/values/of~1for', value: '{{ order.amount }}' },
      { op: 'unset', ref_id: 'note', path: '/config/values/text' },
      { op: 'insert', after: 'note', step: { ref_id: 'more', type: 'set', config: { values: {} } } },
      { op: 'insert', into: 'large', list: 'else', step: { ref_id: 'small', type: 'set' } },
      { op: 'insert', before: 'large', step: { ref_id: 'gone', type: 'delay', config: { seconds: 9 } } },
      { op: 'delete', ref_id: 'gone' },
    ],
  })
  const read = await callTool('read_flow', { flow_id })
  const draft = (read.value['draft'] as { steps: object[] }).steps
  const diff = await callTool('diff_flow', { flow_id })
  const tried = await callTool('try_step', { flow_id, ref_id: 'total', results: { order: { amount: 50 } } })
  const saved = await app.call('PUT', `/v1/flows/${flow_id}`, { steps: draft })
  const output = await callTool('run_flow', { flow_id, input: { amount: 50 } })
  expect({
    problems: created.value['problems'],
    next: created.value['next'],
    before: before.value['output'],
    patched: patched.value,
    read: [read.value['steps'], read.value['revision']],
    draft,
    diff: (diff.value['changes'] as { step: string; what: string }[]).map(({ step, what }) => [step, what]),
    tried: tried.value['output'],
    saved: (saved.json as Flow).version,
    output: output.value['output'],
  }).toEqual({
    problems: [
      expect.objectContaining({ severity: 'error', ref_id: 'total', path: 'steps[1].config.values.sum' }),
    ],
    next: expect.stringContaining('a person has saved them'),
    before: null,
    patched: {
      flow_id,
      revision: read.value['revision'],
      problems: patched.value['problems'],
      next: expect.any(String),
    },
    read: [[], expect.any(String)],
    draft: [
      STEPS[0],
      { ...STEPS[1], config: { values: { sum: '{{ order.amount * 3 }}' } } },
      {
        ...STEPS[2],
        then: [
          { ref_id: 'note', type: 'set', config: { values: { 'of/for': '{{ order.amount }}' } } },
          { ref_id: 'more', type: 'set', config: { values: {} } },
        ],
        else: [{ ref_id: 'small', type: 'set' }],
      },
    ],
    diff: ['order', 'total', 'large', 'note', 'more', 'small'].map((ref) => [ref, 'added']),
    tried: { sum: 150 },
    saved: 2,
    output: expect.anything(),
  })
})

test('a change that was made meanwhile is never lost, and an edit that fits nowhere changes nothing', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const { callTool } = await connect(app)
  const { flow } = await app.addFlow([{ ref_id: 'total', type: 'set', config: { values: { a: 1 } } }])
  const revision = (await callTool('read_flow', { flow_id: flow.id })).value['revision']
  const patch = async (edit: object, of: unknown = revision) => {
    const { text, isError } = await callTool('patch_flow', { flow_id: flow.id, revision: of, edits: [edit] })
    return isError ? text : 'done'
  }
  const set = (path: string, ref_id = 'total') => patch({ op: 'set', ref_id, path, value: 2 })
  const refused = {
    missing: await set('/config', 'totl'),
    within: await set('/config/values/a/b'),
    prototype: await set('/config/__proto__/polluted'),
    pointer: await set('config'),
    index: await patch({ op: 'unset', ref_id: 'total', path: '/config/values/x/y' }),
    unknown: await patch({ op: 'replace', ref_id: 'total', path: '/config', value: 2 }),
    before: await patch({ op: 'insert', before: 'none', step: {} }),
  }
  const untouched = (await app.call('GET', `/v1/flows/${flow.id}/working-copy`)).json
  const first = await set('/config/values/a')
  const stale = await set('/config/values/a')
  const twice = [flow.steps[0], flow.steps[0]]
  await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps: twice })
  const again = (await callTool('read_flow', { flow_id: flow.id })).value['revision']
  const ambiguous = await patch({ op: 'delete', ref_id: 'total' }, again)
  expect({
    refused,
    untouched,
    first,
    stale,
    ambiguous,
    saved: app.store.flows.get(flow.id)?.version,
  }).toEqual({
    refused: {
      missing: 'There is no step "totl"; read the flow again',
      within: 'There is no place "b" in total/config/values/a/b',
      prototype: 'There is no place "__proto__" in total/config/__proto__/polluted',
      pointer: expect.stringContaining('must begin with /'),
      index: 'There is no place "y" in total/config/values/x/y',
      unknown: expect.stringContaining('edits[0].op'),
      before: 'There is no step "none"; read the flow again',
    },
    untouched: expect.objectContaining({ updated_at: null }),
    first: 'done',
    stale: 'The flow has changed since you read it; read it again',
    ambiguous: '2 steps have the name "total"; read the flow again',
    saved: 1,
  })
})

test('versions are compared and restored as draft changes, and a token needs the scope of each tool', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const { callTool, toolNames } = await connect(app)
  const values = (a: number) => [{ ref_id: 'total', type: 'set', config: { values: { a } } }]
  const { flow } = await app.addFlow(values(1))
  const flow_id = flow.id
  await app.call('PUT', `/v1/flows/${flow_id}`, { steps: values(2) })
  const compared = await callTool('diff_flow', { flow_id, from: 1, to: 2 })
  const same = await callTool('diff_flow', { flow_id })
  await callTool('restore_flow', { flow_id, version: 1 })
  const restored = await callTool('read_flow', { flow_id })
  await callTool('restore_flow', { flow_id })
  const discarded = await callTool('read_flow', { flow_id })
  const earlier = await callTool('read_flow', { flow_id, version: 1 })
  const none = await callTool('restore_flow', { flow_id, version: 9 })
  const viewer = await connect(app, ['automation:view'])
  const written = ['create_flow', 'patch_flow', 'restore_flow', 'try_step']
  const viewed = await viewer.toolNames()
  const forbidden = await viewer.callTool('restore_flow', { flow_id })
  const valuesOf = (steps: unknown) => (steps as typeof flow.steps)[0]?.config['values']
  expect({
    compared: compared.value['changes'],
    same: same.value['changes'],
    restored: valuesOf((restored.value['draft'] as { steps: unknown }).steps),
    live: valuesOf(restored.value['steps']),
    discarded: discarded.value['draft'],
    earlier: valuesOf(earlier.value['steps']),
    none: none.isError,
    offered: written.filter((name) => viewed.includes(name)),
    all: (await toolNames()).filter((name) => written.includes(name)),
    diff: viewed.includes('diff_flow'),
    forbidden: forbidden.isError,
  }).toEqual({
    compared: [{ step: 'total', what: 'changed', field: 'config.values.a', before: 1, after: 2 }],
    same: [],
    restored: { a: 1 },
    live: { a: 2 },
    discarded: null,
    earlier: { a: 1 },
    none: true,
    offered: [],
    all: written,
    diff: true,
    forbidden: true,
  })
})

test('a configuration for paging is suggested from one response', async () => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const { callTool } = await connect(app, ['connectors'])
  const { value } = await callTool('suggest_pagination', {
    request: { url: 'https://api.example.com/orders', method: 'GET' },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { orders: [{ id: 1 }, { id: 2 }], next_cursor: 'abc' },
    },
  })
  const [first] = value['suggestions'] as { config: unknown }[]
  expect(JSON.stringify(first?.config)).toContain('next_cursor')
})
