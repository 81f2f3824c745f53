/** Flows that come with Millrace, to begin with and to learn from. */
import { z } from 'zod'
import { flow } from './flows.ts'
import { can, defineRoute } from './base/route.ts'

/** A request to try the flow with; headers and content type where they are not those of JSON. */
export const sampleRequest = z.strictObject({
  body: z.unknown(),
  content_type: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  query: z.string().optional(),
})

export const flowSample = z.object({
  /** The name of its file: `form-to-json`. */
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** What one learns from it. */
  teaches: z.string(),
  tags: z.array(z.string()),
  /** Types of its steps, in order, each once. */
  step_types: z.array(z.string()),
  /** Null for one that is not started by a request. */
  sample_request: sampleRequest.nullable(),
})
export type FlowSample = z.output<typeof flowSample>

export const listFlowSamplesRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-samples',
  summary: 'List the flows that come with Millrace',
  access: can('flows', 'read'),
  status: 200,
  result: z.array(flowSample),
})

export const plantFlowSampleRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-samples/:id/plant',
  summary: 'Make a flow of a sample, as a draft, with the variables, auths and flows that it needs',
  access: can('flows', 'create'),
  status: 201,
  params: z.object({ id: z.string() }),
  result: flow,
})
