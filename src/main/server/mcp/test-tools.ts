/** Makes and runs tests of flows: nothing is sent, and nothing is stored. */
import { z } from 'zod'
import { jsonObject, nonEmptyText, text } from '../../../shared/contract/base/common.ts'
import { can } from '../../../shared/contract/base/route.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import { flowSource } from '../../../shared/contract/flow-files.ts'
import { flowTest } from '../../../shared/contract/flow-tests.ts'
import { stepsOfCopy } from './draft-tools.ts'
import { flowId } from './flow-tools.ts'
import { defineTool } from './tool.ts'

const MOST_TESTS = 50
/** Idempotency keys contain the ID of the run. */
const RUN_ID = '00000000-0000-4000-8000-000000000000'

const testFlow = defineTool({
  name: 'test_flow',
  title: 'Test a flow',
  description:
    'Runs tests of the draft changes of a flow, or else of its steps, with the calls and responses that each test names. Nothing is sent, and nothing is stored. Returns what failed, what each test would have to expect if the results were right, and which steps no test ran. Search the documentation for "tests of flows" to write one; record_test makes one from a run.',
  access: can('flow_runs', 'create'),
  readsOnly: true,
  input: z.strictObject({
    flow_id: flowId,
    tests: z
      .array(jsonObject)
      .min(1)
      .max(MOST_TESTS)
      .describe(
        'The tests as they are kept in files: `name`, `input`, `calls` and `expect`. `millrace_test`, `flow`, `run_id` and `clock` can be left out.',
      ),
  }),
  run({ services, caller }, { flow_id: id, tests }) {
    const flow = services.flows.read(caller, id)
    const steps = stepsOfCopy(services.flows.readWorkingCopy(id))
    const source = services.flowSources.written(caller, { ...flow, steps })
    const filled = tests.map((test) => ({ ...DEFAULTS, flow: id, ...test }))
    const sent = parseInput(z.object({ source: flowSource, tests: z.array(flowTest) }), {
      source,
      tests: filled,
    })
    return services.flowTests.run(caller, sent)
  },
})

const DEFAULTS = { millrace_test: 1, run_id: RUN_ID, clock: '2026-01-01T08:00:00.000Z' }

const recordTest = defineTool({
  name: 'record_test',
  title: 'Make a test from a run',
  description:
    'Makes a test from a run whose calls were kept, for test_flow: it plays the same calls and expects the same results. Secrets read ***.',
  access: can('flow_runs', 'create'),
  readsOnly: true,
  input: z.strictObject({
    flow_run_id: text(200).describe('ID of the run.'),
    name: nonEmptyText(200).describe('Name of the test.'),
  }),
  run: ({ services, caller }, { flow_run_id: id, name }) => services.flowTests.record(caller, id, name),
})

export const TEST_TOOLS = [testFlow, recordTest]
