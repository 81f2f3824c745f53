/** Flows as files: from one Millrace to another, and from n8n. */
import { z } from 'zod'
import { idParams, json, labels, nonEmptyText, text } from './base/common.ts'
import { flow, flowSettings } from './flows.ts'
import { can, defineRoute } from './base/route.ts'
import { importSource, TOO_LARGE_TO_IMPORT, uploadedImport } from './import-sources.ts'
import { withWarnings } from './base/save-warnings.ts'
import { step } from './steps.ts'

const flowInFile = z.strictObject({
  /** By which the flows of one file name each other; they get new ones. */
  id: text(100),
  name: nonEmptyText(200),
  description: text(20_000).default(''),
  tags: labels.default([]),
  settings: flowSettings.partial().default({}),
  steps: z.array(step).max(1_000),
})
export type FlowInFile = z.output<typeof flowInFile>

const EXAMPLE = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Greet',
  description: 'Says hello to whom the input names.',
  tags: [],
  settings: {},
  steps: [
    {
      ref_id: 'web1',
      type: 'webhook',
      title: '',
      description: '',
      disabled: false,
      on_error: 'stop' as const,
      retry: null,
      config: { response_body: 'Hello {{ web1.name }}' },
    },
  ],
}

/** What a flow needs to run, made along with it where it is not there yet. */
export const flowSetup = z.strictObject({
  env_variables: z
    .array(
      z.strictObject({
        name: text(100),
        type: z.enum(['text', 'number', 'list', 'object']),
        value: json,
        secret: z.boolean().default(false),
      }),
    )
    .max(100)
    .default([]),
  /** Of the built-in playground alone. */
  connector_auths: z
    .array(
      z.strictObject({
        key: text(100),
        connector_id: text(100),
        name: text(200),
        auth_type: z.enum(['bearer', 'none']),
        auth_token: text(200).default(''),
      }),
    )
    .max(20)
    .default([]),
  /** The env variable that holds the ids of the auths by their keys. */
  auth_ids_in: text(100).optional(),
})

/** One flow and those that it runs or hands its errors to, without any secret. */
export const flowFile = z.strictObject({
  format: z.literal('millrace-flow'),
  version: z.literal(1),
  /** The first one is what it is about. */
  flows: z
    .array(flowInFile)
    .min(1)
    .max(50)
    .meta({ examples: [[EXAMPLE]] }),
  /** Names of what its steps refer to by id; a connector is found by its name where the id is another one. */
  references: z
    .strictObject({ connectors: z.array(z.strictObject({ id: text(100), name: text(200) })).max(1_000) })
    .default({ connectors: [] }),
  setup: flowSetup.default({ env_variables: [], connector_auths: [] }),
})
export type FlowFile = z.output<typeof flowFile>

const place = { flow: z.string(), ref_id: z.string() }

const flowImportPlan = z.object({
  source_format: z.enum(['millrace', 'n8n']),
  /** What would be made: send it to `/v1/flows/import`. */
  file: flowFile,
  /** What the flows call: hosts, or the templates that make them. */
  addresses: z.array(z.object({ ...place, address: z.string() })),
  templates: z.array(z.object({ ...place, field: z.string(), template: z.string() })),
  /** Env variables that are read. */
  variables: z.array(z.object({ name: z.string(), is_there: z.boolean(), is_made: z.boolean() })),
  /** Steps whose credentials are to be chosen. */
  without_auth: z.array(z.object(place)),
  /** What is not as it was, and what was left out; each reads on from the name of the node. */
  notes: z.array(
    z.object({
      flow: z.string(),
      ref_id: z.string().nullable(),
      node: z.string(),
      field: z.string().nullable(),
      message: z.string(),
    }),
  ),
  /** For these the import is refused. */
  problems: z.array(z.string()),
})
export type FlowImportPlan = z.output<typeof flowImportPlan>

export const planFlowImportRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/import/plan',
  summary: 'Say which flows a file of Millrace or n8n would make, and what they call and read',
  access: can('flows', 'create'),
  status: 200,
  body: importSource,
  bodyLimit: 'large',
  whenTooLarge: TOO_LARGE_TO_IMPORT,
  result: flowImportPlan,
})

export const importFlowRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/import',
  collection: '/v1/flows',
  summary: 'Make the flows of a file as drafts, without credentials; the answer is the first one',
  access: can('flows', 'create'),
  status: 201,
  body: z.union([flowFile, uploadedImport]),
  bodyLimit: 'large',
  whenTooLarge: TOO_LARGE_TO_IMPORT,
  result: flow.extend({
    ...withWarnings,
    /** Those that were made along. */
    other_flows: z.array(z.object({ id: z.string(), name: z.string() })),
  }),
})

export const exportFlowRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/export',
  name: 'export_flow',
  summary: 'A flow with those that it runs as one file, without secrets',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: flowFile,
})
