/** Sample flows that come with Millrace, to start from and to learn from. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { flow } from './flows.ts'
import { can, defineRoute } from './base/route.ts'

/** A request to try the flow with. Headers and content type are absent if they are those of JSON. */
export const sampleRequest = z.strictObject({
  body: z.unknown().describe("Body to send to the flow's webhook."),
  content_type: z.string().optional().describe('Content-Type of the body. Defaults to JSON.'),
  headers: z.record(z.string(), z.string()).optional().describe('Further request headers by name.'),
  query: z.string().optional().describe("Query string to append to the webhook's URL, without `?`."),
})

export const flowSample = z.object({
  id: z.string().meta(doc('File name of the sample: `form-to-json`.', 'form-to-json')),
  name: z.string().meta(doc('Name that the created flow gets.', 'Form to JSON')),
  description: z.string().meta(doc('What the flow does.', 'Turns a submitted form into JSON.')),
  teaches: z
    .string()
    .meta(doc('What you learn from the sample.', 'Reading form fields and responding with a template')),
  tags: z.array(z.string()).meta(doc('Labels to find samples by.', ['webhook'])),
  step_types: z
    .array(z.string())
    .meta(doc('Step types that the sample uses, each once, in order of appearance.', ['webhook', 'set'])),
  sample_request: sampleRequest
    .nullable()
    .describe("A request to try the flow with. Null if the sample isn't started by a webhook.")
    .meta({ examples: [{ body: { name: 'ada' } }] }),
})
export type FlowSample = z.output<typeof flowSample>

export const listFlowSamplesRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-samples',
  summary: 'List the sample flows',
  access: can('flows', 'read'),
  chosen: 'free',
  status: 200,
  result: z.array(flowSample),
})

export const plantFlowSampleRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-samples/:id/plant',
  summary: 'Create a flow from a sample, as a draft, with the variables, auths and flows that it needs',
  access: can('flows', 'create'),
  status: 201,
  params: z.object({ id: z.string().describe('ID of the sample, as `GET /v1/flow-samples` lists it.') }),
  result: flow,
})

export const flowSampleRoutes = {
  listFlowSamplesRoute,
  plantFlowSampleRoute,
}
