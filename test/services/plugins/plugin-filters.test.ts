import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { Plugin } from '../../../src/shared/contract/plugins/plugins.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { aPlugin, confirmedPlugin } from '../../helpers/plugins.ts'

const filter = (name: string, more: object = {}) => ({ name, description: `Does ${name}.`, ...more })

const FILTERS = [
  filter('group', { arguments: ['size', 'mark'] }),
  filter('count'),
  filter('fails'),
  filter('loops'),
  filter('fills'),
  filter('reaches'),
  filter('same'),
]
const RUN = `let calls = 0
export const filters = {
  group: (value, size, mark) => String(value).match(new RegExp('.{1,' + (size ?? 4) + '}', 'g')).join(mark ?? ' '),
  count: () => ++calls,
  fails() { throw new Error('no such number') },
  loops() { for (;;); },
  fills() { const all = []; for (;;) all.push(new Array(1000).fill('x')) },
  reaches: (...all) => typeof fetch + typeof process + all.length,
  same: (value) => value,
}`

async function valueOf(app: FlowApp, template: string) {
  const { flow } = await app.addFlow([{ ref_id: 'it', type: 'set', config: { values: { value: template } } }])
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const { error } = json as FlowRun
  return error?.message ?? (app.stepsOf(json as FlowRun)[0]?.output as { value: unknown } | undefined)?.value
}

async function valuesOf(app: FlowApp, templates: readonly string[]) {
  const values: unknown[] = []
  for (const template of templates) values.push(await valueOf(app, template))
  return values
}

async function started(run = RUN): Promise<FlowApp> {
  const app = await startFlowApp()
  await app.services.runtime.start()
  await confirmedPlugin(app, { filters: FILTERS }, run)
  return app
}

describe('a filter of a plug-in', () => {
  it('is in every template by the names of both, with arguments, values of all kinds and map', async () => {
    const app = await started()
    expect(
      await valuesOf(app, [
        '{{ "DE021234" | tools_group }}',
        '{{ "DE021234" | tools_group(2, mark="-") }}',
        '{{ ["abcd", "efgh"] | map("tools_group", 2) | list }}',
        '{{ {"a": [9007199254740993, 1.5, none, true]} | tools_same }}',
        '{{ missing_name | default("x") | tools_same }}',
        '{{ [1 | tools_count, 2 | tools_count] }}',
        '{{ 1 | tools_reaches }}',
        '{{ "tools_same" is filter }}',
      ]),
    ).toEqual([
      'DE02 1234',
      'DE-02-12-34',
      ['ab cd', 'ef gh'],
      { a: [9_007_199_254_740_993n, 1.5, null, true] },
      'x',
      [1, 1],
      'undefinedundefined1',
      true,
    ])
  })

  it('is stopped within the time of its template and the memory of code, and the next one works', async () => {
    const app = await started()
    expect(
      await valuesOf(app, [
        '{{ 1 | tools_fails }}',
        '{{ 1 | tools_loops }}',
        '{{ 1 | tools_fills }}',
        '{{ 1 | tools_group(size=1, other=2) }}',
        '{% for i in range(100000) %}{{ i | tools_same }}{% endfor %}',
        '{{ 1 | tools_same }}',
      ]),
    ).toEqual([
      expect.stringContaining('"tools_fails" failed: line 5: Error: no such number'),
      expect.stringContaining('line 1, column 8: The template reached its limit "milliseconds"'),
      expect.stringMatching(/"tools_fills" failed: .*limit of 64 MB|limit "milliseconds"/),
      expect.stringContaining('unexpected keyword argument'),
      expect.stringContaining('reached its limit "milliseconds"'),
      1,
    ])
  })

  it('is known while its plug-in is confirmed; otherwise the error says what to do', async () => {
    const app = await startFlowApp()
    await app.services.runtime.start()
    const template = '{{ "abcdef" | tools_group }}'
    const preview = async () => {
      const { json } = await app.call('POST', '/v1/templates/preview', { template, context: {} })
      return JSON.stringify(json)
    }
    const seen = [await preview()]
    const { json } = await app.call('POST', '/v1/plugins', { path: aPlugin({ filters: FILTERS }, RUN) })
    seen.push(await preview())
    await app.call('POST', '/v1/plugins/tools/confirm', { hash: (json as Plugin).hash })
    seen.push(await preview())
    const { json: completion } = await app.call('GET', '/v1/templates/completions')
    await app.call('DELETE', '/v1/plugins/tools')
    seen.push(await preview())
    expect({ seen, completes: JSON.stringify(completion).includes('tools_group') }).toEqual({
      seen: [
        expect.stringContaining("that plug-in isn't installed; see Plug-ins"),
        expect.stringContaining('Nobody has confirmed the plug-in \\"tools\\" yet'),
        expect.stringContaining('abcd ef'),
        expect.stringContaining("that plug-in isn't installed; see Plug-ins"),
      ],
      completes: true,
    })
  })

  it("can't have the name of another filter", async () => {
    const app = await startFlowApp()
    const named = (name: string, own: string) => aPlugin({ name, filters: [filter(own)] }, RUN)
    const shadowing = await app.call('POST', '/v1/plugins', { path: named('parse', 'json') })
    const both = [named('a_b', 'c'), named('a', 'b_c')]
    const confirmed: unknown[] = []
    for (const path of both) {
      const { json } = await app.call('POST', '/v1/plugins', { path })
      const { name, hash } = json as Plugin
      const { status, json: answer } = await app.call('POST', `/v1/plugins/${name}/confirm`, { hash })
      confirmed.push([status, (answer as { message?: string }).message])
    }
    expect([shadowing.status, (shadowing.json as Error).message, ...confirmed]).toEqual([
      400,
      expect.stringContaining('"parse_json" is already a filter of Millrace'),
      [200, undefined],
      [409, 'The plug-in "a_b" already has a filter "a_b_c"'],
    ])
  })
})
