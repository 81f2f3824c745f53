/** Tests flows that are kept in files; apart from the other routes of tests, so that the page needn't load what reads files. */
import { z } from 'zod'
import { can, defineRoute } from './base/route.ts'
import { flowSource } from './flow-files.ts'
import { flowTest, flowTestResults } from './flow-tests.ts'

export const runFlowTestsRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-tests/run',
  name: 'run_flow_tests',
  summary: 'Run tests of a flow with their recorded calls; nothing is sent, and nothing is stored',
  access: can('flow_runs', 'create'),
  chosen: 'free',
  status: 200,
  body: z.strictObject({
    source: flowSource.describe('The flow as it is kept in a file.'),
    tests: z.array(flowTest).min(1).max(500).describe('The tests to run.'),
  }),
  bodyLimit: 'large',
  result: flowTestResults,
})

export const flowSourceTestRoutes = { runFlowTestsRoute }
