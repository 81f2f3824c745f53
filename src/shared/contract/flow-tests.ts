/** Flow tests replay a run with its recorded calls, so that nothing leaves the computer. */
import { z } from 'zod'
import { idParams, type Json, json, jsonObject, nonEmptyText, text, timestamp, uuid } from './base/common.ts'
import { doc } from './base/doc.ts'
import { can, defineRoute } from './base/route.ts'

const step = text(100).meta(doc('Reference name of the step that makes the call.', 'order'))
const iteration = z
  .array(z.int().min(0))
  .max(20)
  .optional()
  .meta(
    doc('Iterations of the loops around the step, outermost first, from 0. Absent outside loops.', [2, 0]),
  )
const headers = z
  .record(text(300), text(20_000))
  .meta(doc('Headers by name.', { accept: 'application/json' }))
const body = json
  .optional()
  .meta(doc('JSON, or any other text as a string. If absent, there is no body.', { order_id: 'A-1' }))

export const FAULTS = ['status', 'reset', 'timeout', 'empty'] as const

const fault = z
  .strictObject({
    kind: z
      .enum(FAULTS)
      .default('status')
      .describe(
        'What goes wrong: `status` returns that status a number of `times` before the response, `reset` and `timeout` break every attempt off, `empty` empties the lists of the response.',
      ),
    status: z.int().min(200).max(599).default(503).meta(doc('Status of the kind `status`.', 429)),
    times: z
      .int()
      .min(1)
      .max(1_000)
      .default(1)
      .meta(doc('How many calls get that status before the response comes.', 2)),
    headers: headers.default({}),
  })
  .optional()
  .describe('What goes wrong with the call.')

const request = z
  .strictObject({
    method: text(20).meta(doc('HTTP method that the flow has to send.', 'POST')),
    url: text(20_000).meta(doc('Full URL, query included.', 'https://api.example.com/orders?page=2')),
    headers: headers.default({}),
    body,
  })
  .describe('Of `http`: the request as the flow has to send it, with secrets as `***`.')

const response = z
  .strictObject({
    status: z.int().min(100).max(599).meta(doc('HTTP status that the flow gets.', 200)),
    url: text(20_000)
      .optional()
      .meta(
        doc(
          'URL that responded after redirects. Defaults to that of the request.',
          'https://api.example.com/',
        ),
      ),
    headers: headers.default({}),
    body,
  })
  .describe('Of `http`: the response that the flow gets. If absent, the connection breaks.')

const failure = z
  .strictObject({
    code: text(100).meta(doc('Machine-readable code of the error.', 'http_error')),
    message: text(20_000).meta(doc('What went wrong.', 'Step "confirm": the server refused it')),
  })
  .describe('Of `step`: why it fails. If absent, it succeeds.')

const CALL_TYPES = ['http', 'step'] as const

const call = z
  .strictObject({
    type: z
      .enum(CALL_TYPES)
      .describe(
        '`http`, or `step` for the work of a whole step that reaches the world in another way, such as a database or an email.',
      ),
    step,
    iteration,
    request: request.optional(),
    response: response.optional(),
    fault,
    input: json
      .optional()
      .meta(doc('Of `step`: what it has to do, as its run shows it.', { to: ['ada@example.com'] })),
    output: json.optional().meta(doc('Of `step`: what it returns.', { message_id: '<1@millrace>' })),
    error: failure.optional(),
  })
  .refine(({ type, request: sent }) => type !== 'http' || sent !== undefined, {
    error: 'is required',
    path: ['request'],
  })
  .refine(({ type, input }) => type !== 'step' || input !== undefined, {
    error: 'is required',
    path: ['input'],
  })

interface Place {
  readonly step: string
  readonly iteration?: number[] | undefined
}

export interface HttpTestCall extends Place {
  readonly type: 'http'
  readonly request: z.output<typeof request>
  readonly response?: z.output<typeof response> | undefined
  readonly fault?: z.output<typeof fault>
}

export interface StepTestCall extends Place {
  readonly type: 'step'
  readonly input: Json
  readonly output?: Json | undefined
  readonly error?: z.output<typeof failure> | undefined
}

export type FlowTestCall = HttpTestCall | StepTestCall

/** The refinements ensure that a call has one of the two types. */
const flowTestCall = call as unknown as z.ZodType<FlowTestCall>

const anExpectation = z
  .strictObject({
    exact: json.optional().meta(doc('The value itself.', { total: 19.8 })),
    subset: json.optional().meta(doc('Members that it has to have; others are ignored.', { total: 19.8 })),
    schema: jsonObject
      .optional()
      .meta(doc('JSON Schema that it has to match.', { type: 'object', required: ['total'] })),
    template: text(20_000)
      .optional()
      .meta(
        doc(
          'Condition that must be true. It reads the value as `value`, and results by name.',
          '{{ value.total > 0 }}',
        ),
      ),
  })
  .refine((parts) => Object.values(parts).some((part) => part !== undefined), 'must have at least one member')
  .describe('How a value is compared: in one of these ways.')

export type Expectation =
  | { readonly exact: Json }
  | { readonly subset: Json }
  | { readonly schema: Readonly<Record<string, Json>> }
  | { readonly template: string }

const expectation = anExpectation as unknown as z.ZodType<Expectation>

export const flowTestExpect = z.strictObject({
  status: z.enum(['success', 'error']).meta(doc('How the run ends.', 'success')),
  error: z
    .strictObject({
      code: text(100).meta(doc('Machine-readable code of the error.', 'http_error')),
      step: text(100).nullable().meta(doc('Reference name of the step that failed.', 'order')),
    })
    .optional()
    .describe('Why it fails. Absent if it succeeds.'),
  response: z
    .strictObject({
      status: z.int().meta(doc('HTTP status of the response.', 200)),
      headers: headers.default({}).describe('Response headers to compare, by name.'),
      body: expectation.optional().describe('The body, JSON or a string. If absent, there is none.'),
    })
    .nullable()
    .optional()
    .describe('The response of the flow. Null means that it returns none. If absent, it is not compared.'),
  results: z
    .record(text(100), expectation)
    .default({})
    .describe('What steps return, by reference name. Steps that are left out are not compared.')
    .meta({ examples: [{ total: { exact: { sum: 19.8 } } }] }),
})
export type FlowTestExpect = z.output<typeof flowTestExpect>

const testAuth = z.strictObject({
  id: text(200).meta(
    doc('ID of the auth where the test was recorded.', '7c9e6679-7425-40de-944b-e07fc1f90ae7'),
  ),
  name: text(200).meta(doc('Name that flow files use for it.', 'Shop of the team')),
  connector: text(200).meta(doc('Name of its connector.', 'Shop')),
  auth_type: text(50).meta(doc('How its credentials are sent.', 'bearer')),
  username: text(1_000).default('').describe('User name, if it has one.'),
  api_endpoint: text(4_000)
    .default('')
    .describe('URL that replaces that of the connector, without its password.'),
  user_input: jsonObject.default({}).describe('Fields that the connector asks for, without secret ones.'),
  secrets: z
    .array(text(300))
    .max(50)
    .default([])
    .meta(
      doc(
        'Fields that hold a secret. In a test each has a value of its own, which reads `***` in requests.',
        ['auth_token'],
      ),
    ),
})
export type TestAuth = z.output<typeof testAuth>

export const MOST_TEST_CALLS = 2_000

/** A test as it is kept in a file. */
export const flowTest = z.strictObject({
  millrace_test: z.literal(1).describe('Marks the file as a test, and its format.'),
  flow: uuid.describe('ID of the flow.').meta({ examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] }),
  name: nonEmptyText(200).meta(doc('Name of the test.', 'An order with two items')),
  clock: text(40).meta(
    doc('The time at the start. It only moves when the flow waits.', '2026-01-01T08:00:00.000Z'),
  ),
  seed: text(200).default('').meta(doc('Determines every random value and ID.', 'a second draw')),
  run_id: uuid
    .describe('ID that the run has, which idempotency keys contain.')
    .meta({ examples: ['8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b'] }),
  input: json.meta(doc('What the flow is started with.', { order_id: 'A-1' })),
  trigger: text(100)
    .optional()
    .describe('Reference name of the trigger that it begins with. Absent if the flow has only one.')
    .meta({ examples: ['order'] }),
  webhook: json
    .optional()
    .meta(
      doc('What templates read as `webhook`. If absent, no webhook started the run.', { method: 'POST' }),
    ),
  variables: jsonObject
    .default({})
    .describe('Variables by name; a test has no other ones. `***` stands for a secret.')
    .meta({ examples: [{ region: 'eu' }] }),
  auths: z
    .array(testAuth)
    .max(100)
    .default([])
    .describe('Connector auths that the flow uses, without secrets.'),
  calls: z
    .array(flowTestCall)
    .max(MOST_TEST_CALLS)
    .default([])
    .describe('Calls with their responses, in the order of the run.'),
  ignore: z
    .array(text(500))
    .max(100)
    .default([])
    .meta(doc('Parts of requests that may differ.', ['headers.x-request-time', 'body.items[*].at'])),
  expect: flowTestExpect.describe('How the run has to end, and what it has to return.'),
})
export type FlowTest = z.output<typeof flowTest>

export const TEST_FAULTS = ['missing_call', 'unused_call', 'status', 'response', 'result', 'setup'] as const

const difference = z.object({
  path: z.string().meta(doc('Where the values differ.', 'body.items[0].price')),
  expected: json.optional().meta(doc('Expected value. If absent, there should be none.', 19.8)),
  got: json.optional().meta(doc('Actual value. If absent, there is none.', 20.8)),
})
export type TestDifference = z.output<typeof difference>

const testFailure = z.object({
  kind: z
    .enum(TEST_FAULTS)
    .describe('What failed: a call, the end of the run, its response, a result, or the preparation.'),
  step: z
    .string()
    .nullable()
    .meta(doc('Reference name of the step. Null means the run as a whole.', 'order')),
  message: z.string().meta(doc('What is wrong, in a sentence.', 'Result of step "total" differs')),
  differences: z
    .array(difference)
    .describe('What differs; for a call, from the nearest recorded one. At most 50.'),
})
export type TestFailure = z.output<typeof testFailure>

export const flowTestResult = z.object({
  name: z.string().meta(doc('Name of the test.', 'An order with two items')),
  passed: z.boolean().meta(doc('Whether the run did what the test expects.', true)),
  duration_ms: z.number().meta(doc('How long it took, in milliseconds.', 4)),
  failures: z.array(testFailure).meta(doc('What failed. Empty if the test passed.', [])),
  actual: flowTestExpect.describe('What the test would expect if this result were right.'),
  can_accept: z
    .boolean()
    .meta(doc('Whether only results differ, so that `actual` can replace `expect`.', false)),
})
export type FlowTestResult = z.output<typeof flowTestResult>

export const testCoverage = z.object({
  steps: z.int().meta(doc('How many steps the flow has, without disabled ones.', 5)),
  not_run: z.array(z.string()).meta(doc('Reference names of steps that no test ran.', ['alarm'])),
  branches_not_run: z
    .array(z.string())
    .meta(doc('Branches that no test entered: the step, and the list of it.', ['check.else'])),
})
export type TestCoverage = z.output<typeof testCoverage>

export const flowTestResults = z.object({
  results: z.array(flowTestResult).describe('One result per test, in the same order.'),
  coverage: testCoverage.describe('What these tests did not reach.'),
})
export type FlowTestResults = z.output<typeof flowTestResults>

export const recordFlowTestRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-runs/:id/test',
  name: 'record_flow_test',
  summary: 'Make a test from a run, if its calls were kept completely',
  access: can('flow_runs', 'create'),
  status: 200,
  params: idParams,
  body: z.strictObject({ name: nonEmptyText(200).meta(doc('Name of the test.', 'An order with two items')) }),
  result: z.object({ test: flowTest.describe('The test, to be kept in a file.') }),
})

/** Limits of the tests that Millrace stores with a flow. */
export const STORED_TEST_LIMITS = { ofFlow: 200, bytes: 4_000_000, bytesOfFlow: 20_000_000 } as const

export const storedTest = z.object({
  flow_id: z.string().describe('ID of the flow that it tests.'),
  name: z.string().meta(doc('Name of the test, unique in its flow.', 'An order with two items')),
  calls: z.int().meta(doc('How many recorded calls it has.', 2)),
  revision: z.string().meta(doc('Identifies the content of the test.', '3q2-7wQ1n5cY0dL8')),
  created_at: timestamp.describe('When it was made, in UTC.'),
  updated_at: timestamp.describe('When it was last changed, in UTC.'),
})
export type StoredTest = z.output<typeof storedTest>

export const wholeStoredTest = storedTest.extend({
  test: flowTest.describe('The test, as it is kept in a file.'),
})
export type WholeStoredTest = z.output<typeof wholeStoredTest>

const testParams = z.object({
  id: z.string().max(200).describe('ID of the flow.'),
  name: z.string().max(200).describe('Name of the test.'),
})

const ofTest = {
  status: 200,
  params: testParams,
  access: can('flows', 'update'),
} as const

export const listStoredTestsRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/tests',
  name: 'list_tests_of_flow',
  summary: 'List the tests of a flow by name',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: z.array(storedTest),
})

const testBody = z.strictObject({
  test: flowTest.describe('The test. It must be about this flow, and have no secrets.'),
})

export const createStoredTestRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/tests',
  name: 'create_test_of_flow',
  summary: 'Add a test to a flow, such as one that was made from a run',
  access: can('flows', 'update'),
  status: 201,
  params: idParams,
  body: testBody,
  bodyLimit: 'large',
  result: wholeStoredTest,
})

export const readStoredTestRoute = defineRoute({
  ...ofTest,
  method: 'GET',
  path: '/v1/flows/:id/tests/:name',
  name: 'read_test_of_flow',
  summary: 'Read a test of a flow',
  access: can('flows', 'read'),
  result: wholeStoredTest,
})

export const updateStoredTestRoute = defineRoute({
  ...ofTest,
  method: 'PUT',
  path: '/v1/flows/:id/tests/:name',
  name: 'update_test_of_flow',
  summary: 'Replace a test of a flow; another name in it renames it',
  body: testBody,
  readOnly: ['flow_id', 'name', 'calls', 'revision', 'created_at', 'updated_at'],
  bodyLimit: 'large',
  result: wholeStoredTest,
})

export const deleteStoredTestRoute = defineRoute({
  ...ofTest,
  method: 'DELETE',
  path: '/v1/flows/:id/tests/:name',
  name: 'delete_test_of_flow',
  summary: 'Delete a test of a flow',
  status: 204,
})

const testedVersion = z
  .int()
  .min(1)
  .optional()
  .describe(
    'Version of the flow to test. Defaults to the draft changes, or the saved steps if there are none.',
  )

export const runStoredTestsRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/tests/run',
  name: 'run_tests_of_flow',
  summary: 'Run the tests of a flow with their recorded calls; nothing is sent, and nothing is stored',
  access: can('flow_runs', 'create'),
  status: 200,
  params: idParams,
  body: z.strictObject({
    names: z
      .array(nonEmptyText(200))
      .min(1)
      .max(STORED_TEST_LIMITS.ofFlow)
      .optional()
      .describe('Names of the tests to run. If absent, all run.')
      .meta({ examples: [['An order with two items']] }),
    version: testedVersion,
  }),
  bodyOptional: true,
  result: flowTestResults,
})

export const acceptStoredTestRoute = defineRoute({
  ...ofTest,
  method: 'POST',
  path: '/v1/flows/:id/tests/:name/accept',
  name: 'accept_result_of_test',
  summary: 'Run a test of a flow, and have it expect the new results, if only results differ',
  body: z.strictObject({ version: testedVersion }),
  bodyOptional: true,
  result: wholeStoredTest,
})

export const flowTestRoutes = { recordFlowTestRoute }

export const storedTestRoutes = {
  // Has to come before the path of a single test, which would match `run` as its name.
  runStoredTestsRoute,
  listStoredTestsRoute,
  createStoredTestRoute,
  readStoredTestRoute,
  updateStoredTestRoute,
  deleteStoredTestRoute,
  acceptStoredTestRoute,
}
