import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'

async function run(app: FlowApp, source: string) {
  const { flow } = await app.addFlow([
    { ref_id: 'first', type: 'set', config: { values: { n: 21, list: ['a'] } } },
    { ref_id: 'it', type: 'code', config: { source } },
  ])
  const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const last = json as FlowRun
  const step = app.stepsOf(last)[1]
  const error = last.error && { code: last.error.code, line: last.error.line, message: last.error.message }
  return { output: step?.output, log: step?.log?.map(({ level, text }) => `${level} ${text}`), error }
}

describe('a code step', () => {
  it("reads the results so far as input, returns its own and writes to the step's log", async () => {
    const app = await startFlowApp()
    expect([
      await run(
        app,
        'console.log("n is", input.first.n, input.first.list)\nreturn { double: input.first.n * 2 }',
      ),
      await run(app, 'const wait = async () => 5\nreturn await wait()'),
      await run(app, ''),
    ]).toEqual([
      { output: { double: 42 }, log: ['log n is 21 ["a"]'], error: null },
      { output: 5, log: undefined, error: null },
      { output: null, log: undefined, error: null },
    ])
  })

  it('keeps the digits of integers beyond 2^53, in its input, in JSON and in its output', async () => {
    const app = await startFlowApp()
    const row =
      '{"id": 9007199254740993, "list": [-1234567890123456789012, 7, 0.1234567890123456], "text": "id: 1234567890123456789"}'
    /** What the code returned, as JSON. */
    const returned = async (source: string) => {
      const { flow } = await app.addFlow([
        { ref_id: 'row', type: 'set', config: { values: { it: `{{ ${row} }}` } } },
        { ref_id: 'made', type: 'code', config: { source: `const row = input.row.it\n${source}` } },
        { ref_id: 'told', type: 'set', config: { values: { text: '{{ made | tojson }}' } } },
      ])
      const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
      const run = json as FlowRun
      const [, made, told] = app.stepsOf(run)
      const log = made?.log?.map((line) => line.text)
      const { text } = (told?.output ?? { text: 'nothing' }) as { text: string }
      return run.error?.message ?? [text, ...(log ?? [])]
    }
    const compact =
      '{"id":9007199254740993,"list":[-1234567890123456789012,7,0.1234567890123456],"text":"id: 1234567890123456789"}'
    const clone = 'JSON.parse(JSON.stringify(row))'
    expect([
      await returned('return row'),
      await returned('return [typeof row.id, row.id + 1n, typeof row.list[1], 5n]'),
      await returned('return JSON.stringify(row)'),
      await returned('return JSON.stringify({ row }, null, 1).split("\\n").length'),
      await returned('return JSON.stringify(row, ["id"])'),
      await returned('return JSON.stringify(row, (key, value) => key === "list" ? undefined : value)'),
      await returned(
        'return JSON.stringify(row, (key, value) => typeof value === "bigint" ? `${value}` : value)',
      ),
      await returned(
        'BigInt.prototype.toJSON = function () { return `#${this}` }\nreturn JSON.stringify(row.id)',
      ),
      await returned(`return ${clone}`),
      await returned(
        `const a = {}; a.a = a; try { JSON.stringify([row, a]) } catch (error) { return error.name }`,
      ),
      await returned(
        'return JSON.parse(`[${row.id}, 1]`, (key, value) => typeof value === "bigint" ? value + 1n : value)',
      ),
      await returned('return JSON.parse("[1, 2]", (key, value) => key === "0" ? undefined : value)[1]'),
      await returned('return JSON.parse(\'{"a":"\\\\\\\\", "b":"\\\\"", "c":12345678901234567890}\')'),
      await returned('console.log(row, row.id, [1n])\nreturn row.list.map((n) => typeof n)'),
      await returned('JSON.parse("[12345678901234567890")'),
    ]).toEqual([
      [compact.replaceAll(',', ', ').replaceAll('":', '": ')],
      ['["bigint", 9007199254740994, "number", 5]'],
      [JSON.stringify(compact)],
      ['11'],
      [JSON.stringify('{"id":9007199254740993}')],
      [JSON.stringify('{"id":9007199254740993,"text":"id: 1234567890123456789"}')],
      [
        JSON.stringify(
          '{"id":"9007199254740993","list":["-1234567890123456789012",7,0.1234567890123456],"text":"id: 1234567890123456789"}',
        ),
      ],
      [JSON.stringify('"#9007199254740993"')],
      [compact.replaceAll(',', ', ').replaceAll('":', '": ')],
      ['"TypeError"'],
      ['[9007199254740994, 1]'],
      ['2'],
      ['{"a": "\\\\", "b": "\\"", "c": 12345678901234567890}'],
      ['["bigint", "number", "number"]', `${compact} 9007199254740993 [1]`],
      expect.stringContaining('SyntaxError') as string,
    ])
  })

  it('writes a bounded log that shows no secret, whole or cut', async () => {
    const app = await startFlowApp()
    const secret = 'sk_live_0123456789abcdef'
    await app.call('POST', '/v1/env-variables', {
      name: 'shop_key',
      type: 'text',
      value: secret,
      secret: true,
    })
    const { flow } = await app.addFlow([
      { ref_id: 'first', type: 'set', config: { values: { key: '{{ shop_key }}' } } },
      {
        ref_id: 'it',
        type: 'code',
        config: {
          source:
            'console.log("key", input.first.key)\nconsole.log("x".repeat(1990) + input.first.key)\nfor (let i = 0; i < 500; i++) console.warn(i)\nreturn 1',
        },
      },
    ])
    const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const { log = [], warnings } = app.stepsOf(json as FlowRun)[1] ?? { warnings: [] }
    expect({ first: log[0], entries: log.length, last: log.at(-1)?.text, warnings }).toEqual({
      first: { level: 'log', text: 'key ***' },
      entries: 201,
      last: '… more lines',
      warnings: [],
    })
    expect(JSON.stringify(log)).not.toMatch(/sk_l/)
    expect(log[1]?.text.length).toBeLessThanOrEqual(2_001)
  })

  it('can reach neither the network, nor files, nor the program', async () => {
    const app = await startFlowApp()
    const names = [
      'process',
      'require',
      'fetch',
      'XMLHttpRequest',
      'WebAssembly',
      'setTimeout',
      'Buffer',
      'module',
    ]
    const escape =
      'Function("return this")().process ?? input.constructor.constructor("return typeof process")()'
    expect([
      await run(
        app,
        `return ${JSON.stringify(names)}.filter((name) => typeof globalThis[name] !== 'undefined')`,
      ),
      await run(app, `return ${escape}`),
      await run(app, 'return await import("node:fs")'),
    ]).toMatchObject([{ output: [] }, { output: 'undefined' }, { error: { code: 'code_error' } }])
  })

  it('reports the line in which it failed', async () => {
    const app = await startFlowApp()
    expect([
      await run(app, 'const a = 1\nreturn a.b.c'),
      await run(app, 'return (1 +'),
      await run(app, '\n\nthrow new Error("no stock")'),
      await run(app, 'throw { status: 404 }'),
      await run(app, 'let deep = 1\nfor (let i = 0; i < 80; i++) deep = [deep]\nreturn deep'),
    ]).toMatchObject([
      { error: { code: 'code_error', line: 2 } },
      { error: { code: 'code_error', message: expect.stringContaining('SyntaxError') as string } },
      { error: { code: 'code_error', line: 3, message: 'Step "it": line 3: Error: no stock' } },
      { error: { code: 'code_error', message: 'Step "it": it threw {"status":404}' } },
      {
        error: {
          code: 'code_limit',
          message:
            'Step "it": the code\'s return value can\'t be used as a result: the JSON is nested deeper than 64 levels.',
        },
      },
    ])
  })

  it('gets no limit of 64 MB in small pieces either', async () => {
    const app = await startFlowApp()
    const greedy = (piece: string, more = '') =>
      `const held = []\ntry { for (;;) held.push(${piece}) } catch (error) { ${more} throw error }`
    const stopped = {
      error: { code: 'code_limit', message: expect.stringContaining('limit of 64 MB') as string },
    }
    const counted = await run(app, greedy('new Uint8Array(1_000_000)', 'return held.length;'))
    expect(counted.output).toBeGreaterThan(40)
    expect(counted.output).toBeLessThan(80)
    expect([
      await run(app, greedy('new Uint8Array(1_000_000)')),
      await run(app, greedy('{ a: 1, b: 2 }')),
      await run(app, greedy('"ab".repeat(50) + held.length')),
      await run(app, 'return "fine"'),
    ]).toMatchObject([stopped, stopped, stopped, { output: 'fine' }])
  })

  it('reports if it nests deeper than its sandbox can', async () => {
    const app = await startFlowApp()
    const nest = (levels: number) =>
      `let list = []; for (let turn = 0; turn < ${levels}; turn++) list = [list]; return list`
    const errorWith = (text: string) => ({
      error: { code: 'code_limit', message: expect.stringContaining(text) as string },
    })
    expect([
      await run(app, nest(64)),
      await run(app, nest(200_000)),
      await run(app, 'return 1'),
    ]).toMatchObject([
      errorWith('nested deeper than 64'),
      errorWith("exceeded the sandbox's depth"),
      { output: 1 },
    ])
  })

  it('is stopped after 5 seconds and above 64 MB, while everything else continues', async () => {
    const app = await startFlowApp()
    const ends: string[] = []
    const running = run(app, 'while (true) {}').finally(() => ends.push('endless'))
    const greedy = await run(app, 'return new Uint8Array(80_000_000).length')
    for (let call = 0; call < 20; call++) await app.call('GET', '/v1/meta')
    ends.push('others')
    const endless = await running
    const after = await run(app, 'return "fine"')
    expect({ endless, greedy, after }).toMatchObject({
      endless: {
        error: { code: 'code_limit', message: expect.stringContaining('limit of 5 s') as string },
      },
      greedy: {
        error: { code: 'code_limit', message: expect.stringContaining('limit of 64 MB') as string },
      },
      after: { output: 'fine' },
    })
    expect(ends).toEqual(['others', 'endless'])
  })
})
