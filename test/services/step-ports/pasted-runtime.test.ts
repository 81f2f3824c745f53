import { expect, it } from 'vitest'
import { createScripts } from '../../../src/main/services/reaching/step-ports/run-scripts.ts'
import { data, runSteps } from '../../helpers/flow-run.ts'
import steps from './pasted-runtime.json' with { type: 'json' }

/** Steps as the n8n import used to write them, with its runtime and the offsets of time zones before the code. */
it.each([
  ['dates', { a: '2024-04-01T00:30:00.000+02:00', f: '31.03.2024 00:30', w: 13, d: expect.any(Number) }],
  ['expression', { x: '2' }],
] as const)('a step with its runtime in its source still returns the same: %s', async (name, result) => {
  const scripts = createScripts()
  const [webhook, body] = [{ ref_id: 'webhook', type: 'set', config: { values: {} } }, 'webhook_2']
  const input = { ref_id: body, type: 'set', config: { values: { list: [1, 2] } } }
  const run = await runSteps([webhook, input, { ...steps[name], ref_id: 'code' }], {
    input: data({}) as never,
    ports: { runScript: scripts.run },
  })
  await scripts.close()
  expect({ error: run.error, code: (run.results as Record<string, unknown>)['code'] }).toEqual({
    error: null,
    code: result,
  })
})
