import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { callServed, stop } from '../helpers/served-api.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const SCRIPTS = [
  ['one large piece', 'return new Uint8Array(80_000_000).length', 'limit of 64 MB'],
  ['large pieces', 'const held = []\nfor (;;) held.push(new Uint8Array(1_000_000))', 'limit of 64 MB'],
  ['small pieces', 'const held = []\nfor (;;) held.push({ a: 1, b: 2 })', 'limit of 64 MB'],
  ['texts', 'const held = []\nfor (;;) held.push("ab".repeat(50) + held.length)', 'limit of 64 MB'],
  ['a map', 'const held = new Map()\nfor (;;) held.set({}, [])', 'limit of 64 MB'],
  ['closures', 'let f = () => 1\nfor (;;) { const g = f; f = () => g }', 'limit of 64 MB'],
  [
    'a caught end',
    'let held = []\ntry { for (;;) held.push([held]) } catch { held = [] }\nfor (;;) held.push([held])',
    'limit of 64 MB',
  ],
  ['calls', 'const f = () => f()\nreturn f()', 'stack'],
  [
    'depth',
    'let list = []\nfor (let turn = 0; turn < 200_000; turn++) list = [list]\nreturn list',
    "exceeded the sandbox's depth",
  ],
  ['text', 'return "x".repeat(10_000_001)', 'the limit is 10000000'],
] as const

test('a script that reaches a sandbox limit gets an error in its run, and nothing is written to stderr', async () => {
  const served = await home.serve()
  const said: unknown[] = []
  for (const [name, source] of SCRIPTS) {
    const { id } = await callServed<Flow>(served, 'POST', '/v1/flows', {
      name,
      steps: [{ ref_id: 'it', type: 'code', config: { source } }],
    })
    const run = await callServed<FlowRun>(served, 'POST', `/v1/flows/${id}/run?wait=true`, {})
    said.push([name, run.error?.message])
  }
  expect({ said, exitCode: await stop(served), stderr: served.stderr() }).toEqual({
    said: SCRIPTS.map(([name, , message]) => [name, expect.stringMatching(message) as string]),
    exitCode: 0,
    stderr: '',
  })
})
