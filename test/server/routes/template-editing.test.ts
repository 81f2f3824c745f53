import { describe, expect, test } from 'vitest'
import type { FlowProblem } from '../../../src/shared/contract/base/flow-problem.ts'
import type { CompletionEntry, ScopeName, TemplatePreview } from '../../../src/shared/contract/templates.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import type { FlowApp } from '../../helpers/flow-app.ts'
import { callHttp } from '../../helpers/http.ts'
import { startTestApp } from '../../helpers/test-app.ts'

const PREVIEW = '/v1/templates/preview'

const STEPS = [
  { ref_id: 'web1', type: 'webhook' },
  { ref_id: 'sum', type: 'set', config: { values: { total: '{{ web1.lines | length }}' } } },
  {
    ref_id: 'each',
    type: 'loop',
    config: { over: '{{ web1.lines }}' },
    steps: [{ ref_id: 'line', type: 'set', config: { values: { sku: '{{ item.sku }}' } } }],
  },
  { ref_id: 'last', type: 'set', config: { values: { a: 1 } } },
]

async function ranFlow(app: FlowApp) {
  const hook = await app.addFlow(STEPS)
  await app.trigger(hook, { body: { lines: [{ sku: 'A-1', count: 2 }], name: 'Ada' } })
  const run = await app.until(({ status }) => status === 'success')
  return { flowId: hook.flow.id, runId: run.id }
}

async function tokenFor(app: FlowApp, scopes: readonly string[]): Promise<string> {
  const body = { expiration: null, note: 'test', scopes }
  return ((await app.call('POST', '/v1/personal-access-tokens', body)).json as { token: string }).token
}

async function callAs(app: FlowApp, token: string, path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await callHttp(app.port, { method: 'POST', path, headers, body: JSON.stringify(body) })).json
}

describe('completion data', () => {
  test("lists the language's features, with signatures, and one line of help each", async () => {
    const app = await startFlowApp()
    const { status, json } = await app.call('GET', '/v1/templates/completions')
    const { entries, names } = json as { entries: CompletionEntry[]; names: ScopeName[] }
    const named = (kind: string, name: string) =>
      entries.find((entry) => entry.kind === kind && entry.name === name)
    expect({ status, paths: names.map(({ path }) => path) }).toEqual({
      status: 200,
      paths: ['playground_url', 'millrace_url'],
    })
    expect(named('filter', 'truncate')?.signature).toMatch(/^length=255/)
    expect([
      named('test', 'defined'),
      named('global', 'range'),
      named('method', 'upper'),
      named('tag', 'for'),
    ]).not.toContain(undefined)
    expect(entries.filter(({ help }) => help === '')).toEqual([])
  })

  test('lists what a step can read: nearest first, with types and samples, later steps left out', async () => {
    const app = await startFlowApp()
    const { flowId, runId } = await ranFlow(app)
    const query = `flow_id=${flowId}&ref_id=line&flow_run_id=${runId}`
    const { json } = await app.call('GET', `/v1/templates/completions?${query}`)
    const { names } = json as { names: ScopeName[] }
    const find = (path: string) => names.find((name) => name.path === path)
    expect([
      find('item.sku'),
      find('web1.lines[0].count'),
      find('sum.total'),
      find('each'),
      find('last'),
      find('line'),
    ]).toEqual([
      { path: 'item.sku', from: 'loop', type: 'str', sample: 'A-1' },
      { path: 'web1.lines[0].count', from: 'step', type: 'int', sample: '2' },
      { path: 'sum.total', from: 'step', type: 'int', sample: '1' },
      expect.objectContaining({ path: 'each', from: 'step' }),
      undefined,
      undefined,
    ])
    const roots = names.filter(({ path, from }) => from === 'step' && !/[.[]/.test(path))
    expect(roots.map(({ path }) => path)).toEqual(['each', 'sum', 'web1'])
  })

  test('names a step that has not run yet without a value, and hides secret env values', async () => {
    const app = await startFlowApp()
    await app.call('POST', '/v1/env-variables', { name: 'pin', type: 'text', value: '4711', secret: true })
    const { flow } = await app.addFlow(STEPS)
    const { json } = await app.call('GET', `/v1/templates/completions?flow_id=${flow.id}&ref_id=sum`)
    expect((json as { names: ScopeName[] }).names).toEqual([
      { path: 'web1', from: 'step', type: null, sample: null },
      { path: 'playground_url', from: 'env', type: 'NoneType', sample: 'None' },
      { path: 'millrace_url', from: 'env', type: 'str', sample: 'http://127.0.0.1:4747' },
      { path: 'pin', from: 'env', type: 'str', sample: '***' },
    ])
  })

  test("includes the editor's unsaved steps", async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow(STEPS)
    const steps = [{ ref_id: 'hook', type: 'webhook' }, { no: 'step' }, { ref_id: 'now_new', type: 'set' }]
    await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps })
    const { json } = await app.call('GET', `/v1/templates/completions?flow_id=${flow.id}&ref_id=now_new`)
    expect((json as { names: ScopeName[] }).names[0]?.path).toBe('hook')
  })

  test('is refused for a flow or a run that does not exist', async () => {
    const app = await startTestApp()
    const status = async (query: string) =>
      (await app.call('GET', `/v1/templates/completions?${query}`)).status
    expect([await status('flow_id=none'), await status('flow_run_id=none'), await status('x=1')]).toEqual([
      404, 404, 400,
    ])
  })
})

describe('a preview', () => {
  test("can't take a secret apart, and shows variables only to callers who can read them", async () => {
    const app = await startFlowApp()
    const variable = (name: string, type: string, value: unknown, secret: boolean) =>
      app.call('POST', '/v1/env-variables', { name, type, value, secret })
    await variable('pin', 'text', 'planted-9f3c1e77', true)
    await variable('pins', 'object', { a: ['planted-9f3c1e77', 4711] }, true)
    await variable('shop', 'text', 'https://shop.test', false)
    const { runId } = await ranFlow(app)
    const templates = ['{{ pin | upper }}', '{{ pin | list }}', '{{ pins.a }}', '{{ pin[:4] }}', '{{ shop }}']

    const onlooker = await tokenFor(app, ['automation:view'])
    const outputs = templates.map(async (template) => {
      const body = { template, flow_run_id: runId }
      const preview = (await callAs(app, onlooker, PREVIEW, body)) as TemplatePreview
      const render = (await callAs(app, onlooker, '/v1/templates/render', body)) as { output: string }
      return [preview.rendered?.text, render.output]
    })
    expect(await Promise.all(outputs)).toEqual(
      ['***', "['*', '*', '*']", "['***', '***']", '***', 'https://shop.test'].map((text) => [text, text]),
    )
    const stranger = await tokenFor(app, ['webhook_run'])
    const refused = await callAs(app, stranger, PREVIEW, { template: '{{ shop }}{{ pin }}' })
    expect(JSON.stringify(refused)).not.toMatch(/shop\.test|planted|\*\*\*/)
  })

  test('returns the text and the value that the field makes of it', async () => {
    const app = await startFlowApp()
    const preview = async (kind: string, template: string) =>
      (
        (await app.call('POST', PREVIEW, { kind, template, context: { n: 2, name: 'a "b"' } }))
          .json as TemplatePreview
      ).rendered
    expect([
      await preview('value', '{{ [n, n + 1] }}'),
      await preview('text', 'https://x.example/{{ n }}'),
      await preview('condition', 'n > 2'),
      await preview('dictionary', "{'n': {{ n }}}"),
      await preview('body', '{"name": {{ name }}}'),
    ]).toEqual([
      { text: '[2, 3]', value: [2, 3], type: 'list', truncated: false },
      { text: 'https://x.example/2', value: 'https://x.example/2', type: 'text', truncated: false },
      { text: 'false', value: false, type: 'boolean', truncated: false },
      { text: expect.any(String), value: { n: 2 }, type: 'dictionary', truncated: false },
      { text: '{"name": "a \\"b\\""}', value: { name: 'a "b"' }, type: 'dictionary', truncated: false },
    ])
  })

  test('uses the results of a run, overridden by given ones', async () => {
    const app = await startFlowApp()
    const { flowId, runId } = await ranFlow(app)
    const place = { flow_id: flowId, ref_id: 'line', flow_run_id: runId }
    const text = async (template: string, context?: object) =>
      (
        (await app.call('POST', PREVIEW, { template, ...place, ...(context && { context }) }))
          .json as TemplatePreview
      ).rendered?.text
    expect({
      ofRun: await text('{{ web1.name }} {{ item.sku }} {{ index }}'),
      over: await text('{{ web1.name }} {{ item.sku }}', { web1: { name: 'Bob', lines: [{ sku: 'Z' }] } }),
    }).toEqual({ ofRun: 'Ada A-1 0', over: 'Bob Z' })
  })

  test('reports the position of each problem, and never returns an error for it', async () => {
    const app = await startFlowApp()
    const { flowId, runId } = await ranFlow(app)
    const place = { flow_id: flowId, ref_id: 'sum', flow_run_id: runId }
    const problems = async (template: string) => {
      const { status, json } = await app.call('POST', PREVIEW, { template, ...place })
      const found = (json as TemplatePreview).problems
      return [status, ...found.map(({ severity, line, column, token }) => [severity, line, column, token])]
    }
    expect([
      await problems('a\n {{ web1.name | uper }}'),
      await problems('{{ wab1.name }}'),
      await problems('{{ last.a }}'),
      await problems('{{ web1.name '),
      await problems('{{ web1.nothing.deep }}'),
    ]).toEqual([
      [200, ['error', 2, 17, 'uper']],
      [200, ['error', 1, 4, 'wab1']],
      [200, ['warning', 1, 4, 'last']],
      [200, ['error', 1, expect.any(Number), expect.any(String)]],
      [200, ['error', 1, expect.any(Number), expect.any(String)]],
    ])
  })

  test('names what has no known value instead of failing', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow(STEPS)
    const { json } = await app.call('POST', PREVIEW, {
      template: '{{ web1.name }}',
      flow_id: flow.id,
      ref_id: 'sum',
    })
    expect(json).toEqual({
      problems: [],
      missing: ['web1'],
      loops: [],
      rendered: null,
      outcome: null,
      continuations: [],
    })
  })
})

describe('the check of a whole flow', () => {
  async function check(steps: readonly object[]): Promise<unknown[]> {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([])
    const { json } = await app.call('POST', `/v1/flows/${flow.id}/check`, { steps })
    return (json as { problems: FlowProblem[] }).problems.map(({ severity, ref_id, path, message }) => [
      severity,
      ref_id,
      path,
      message,
    ])
  }

  test('lists what prevents saving, and probable mistakes', async () => {
    expect(
      await check([
        { ref_id: 'web1', type: 'webhook', config: { async: true, response_body: '{{ tell }}' } },
        { ref_id: 'call', type: 'rest' },
        { ref_id: 'tell', type: 'set', config: { values: { text: '{"name": "{{ web1.name }}"}' } } },
        { ref_id: 'answer', type: 'respond', config: { body: '{"ok": {{ web1.ok }}}' } },
      ]),
    ).toEqual([
      ['error', 'call', 'steps[1].config.url', 'is required'],
      ['warning', 'tell', 'steps[2].config.values.text', expect.stringContaining('| tojson')],
      ['warning', 'web1', 'steps[0].config.response_body', expect.stringContaining('responds immediately')],
      ['warning', 'answer', 'steps[3]', expect.stringContaining('no caller to respond to')],
    ])
  })

  test("names what isn't a step, and uses the working copy if no steps are given", async () => {
    expect(await check([{ ref_id: '1', type: 'set' }])).toEqual([
      ['error', '1', 'steps[0].ref_id', expect.any(String)],
    ])
    const app = await startFlowApp()
    const { flow } = await app.addFlow([])
    await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps: [{ ref_id: 'a', type: 'loop' }] })
    const { json } = await app.call('POST', `/v1/flows/${flow.id}/check`)
    expect(json).toEqual({ problems: [expect.objectContaining({ path: 'steps[0].config.over' })] })
  })
})
