/** Exchanges flows as files: between installations, and from n8n. */
import { doc } from './base/doc.ts'
import { ENV_VARIABLE_TYPES } from './env-variables.ts'
import { z } from 'zod'
import { DATA_TABLE_LIMITS, dataColumn, dataTable } from './data/data-tables.ts'
import { idParams, json, jsonObject, labels, listQuery, nonEmptyText, text, uuid } from './base/common.ts'
import { flow, flowSettings } from './flows.ts'
import { flowProblem } from './base/flow-problem.ts'
import { flowTest, flowTestResults } from './flow-tests.ts'
import { can, defineRoute } from './base/route.ts'
import { importSource, TOO_LARGE_TO_IMPORT, uploadedImport } from './import-sources.ts'
import { withWarnings } from './base/save-warnings.ts'
import { step } from './steps.ts'

const flowInFile = z.strictObject({
  id: text(100).describe('ID that the flows of this file use for each other. Imported flows get new ones.'),
  name: nonEmptyText(200).describe('Name that the imported flow gets.'),
  description: text(20_000).default('').describe('Notes about the flow.'),
  tags: labels.default([]).describe('Labels of the flow.'),
  settings: flowSettings.partial().default({}).describe('Flow settings. Absent ones get their default.'),
  steps: z.array(step).max(1_000).describe("The flow's steps, in order."),
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
      title: 'Receive the form',
      description: 'The form is on our website.',
      disabled: false,
      on_error: 'stop' as const,
      retry: null,
      config: { response_body: 'Hello {{ web1.name }}' },
    },
  ],
}

/** The records that a flow needs to run; the import creates those that don't exist yet. */
export const flowSetup = z.strictObject({
  env_variables: z
    .array(
      z.strictObject({
        name: text(100).describe('Name of the variable.'),
        type: z.enum(ENV_VARIABLE_TYPES).describe('Type of the value.'),
        value: json.describe('Initial value of the variable.'),
        secret: z.boolean().default(false).describe('True creates the variable as a secret.'),
      }),
    )
    .max(100)
    .default([])
    .describe('Variables that the flows read. They are created unless a variable of that name exists.'),
  connector_auths: z
    .array(
      z.strictObject({
        key: text(100).describe('Key of the credentials in `auth_ids_in`.'),
        connector_id: text(100).describe('ID of the connector that the credentials are for.'),
        name: text(200).describe('Name of the credentials.'),
        auth_type: z.enum(['bearer', 'none']).describe('How the credentials are sent.'),
        auth_token: text(200).default('').describe('Token for `bearer`.'),
      }),
    )
    .max(20)
    .default([])
    .describe('Credentials that the flows use, only for the built-in playground.'),
  data_tables: z
    .array(
      z.strictObject({
        name: dataTable.shape.name,
        description: dataTable.shape.description.default(''),
        columns: z
          .array(dataColumn.omit({ id: true }))
          .max(DATA_TABLE_LIMITS.columns)
          .default([])
          .meta(doc('Its columns in their order.', [{ name: 'email', type: 'text' }])),
      }),
    )
    .max(20)
    .default([])
    .describe(
      'Tables that the steps use, without rows. They are created unless a table of that name exists.',
    ),
  auth_ids_in: text(100)
    .optional()
    .describe('Name of the variable that receives the IDs of the credentials by their keys.'),
})

/** A flow and the flows that it runs or uses as error flows, without secrets. */
export const flowFile = z.strictObject({
  format: z.literal('millrace-flow').describe('Marks the file as a Millrace flow.'),
  version: z.literal(1).describe('Version of the file format.'),
  flows: z
    .array(flowInFile)
    .min(1)
    .max(50)
    .meta({ examples: [[EXAMPLE]] })
    .describe('The exported flow first, then the flows that it runs and its error flows.'),
  references: z
    .strictObject({
      connectors: z
        .array(
          z.strictObject({
            id: text(100).describe('ID of the connector where the file was exported.'),
            name: text(200).describe('Name of the connector, used if the ID is unknown.'),
          }),
        )
        .max(1_000)
        .describe('Connectors that the steps use. One with another ID is found by its name.'),
    })
    .default({ connectors: [] })
    .describe('Names of records that the steps refer to by ID, so that an import can find them.'),
  setup: flowSetup
    .default({ env_variables: [], connector_auths: [], data_tables: [] })
    .describe('Variables, credentials and tables that are created with the flows.'),
})
export type FlowFile = z.output<typeof flowFile>

const place = {
  flow: z.string().describe('Name of the flow that contains the step.'),
  ref_id: z.string().describe('Reference name of the step.'),
}

const flowImportPlan = z.object({
  source_format: z.enum(['millrace', 'n8n']).describe('The format that the source was recognized as.'),
  file: flowFile.describe('The flows that would be created. Send it to `/v1/flows/import`.'),
  addresses: z
    .array(
      z.object({
        ...place,
        address: z.string().describe('Host that is called, or the template that produces it.'),
      }),
    )
    .describe('Hosts that the flows call, or the templates that produce them.')
    .meta({ examples: [[{ flow: 'Receive an order', ref_id: 'call', address: 'https://api.example.com' }]] }),
  templates: z
    .array(
      z.object({
        ...place,
        field: z.string().describe('Path of the field inside the step: `config.url`.'),
        template: z.string().describe("The template's source."),
      }),
    )
    .meta(
      doc('Every template in the flows, for review.', [
        {
          flow: 'Receive an order',
          ref_id: 'call',
          field: 'config.url',
          template: 'https://api.example.com/orders/{{ order.id }}',
        },
      ]),
    ),
  variables: z
    .array(
      z.object({
        name: z.string().describe('Name of the variable.'),
        is_there: z.boolean().describe('True if the variable already exists here.'),
        is_made: z.boolean().describe('True if the import creates the variable.'),
      }),
    )
    .meta(doc('Variables that the flows read.', [{ name: 'region', is_there: false, is_made: true }])),
  without_auth: z
    .array(z.object(place))
    .describe('Steps whose credentials you must choose after the import.')
    .meta({ examples: [[{ flow: 'Receive an order', ref_id: 'call' }]] }),
  notes: z
    .array(
      z.object({
        flow: z.string().describe('Name of the flow that the note is about.'),
        ref_id: z
          .string()
          .nullable()
          .describe("Reference name of the step. Null if the note isn't about a step."),
        node: z.string().describe('Name of the node in the source.'),
        field: z
          .string()
          .nullable()
          .describe('Path of the field inside the step. Null if the note is about the whole node.'),
        message: z
          .string()
          .describe("What is different, as the end of a sentence that begins with the node's name."),
      }),
    )
    .meta(
      doc('What was converted differently or left out.', [
        {
          flow: 'Receive an order',
          ref_id: 'call',
          node: 'HTTP Request',
          field: 'config.url',
          message: 'has a URL that is an expression',
        },
      ]),
    ),
  problems: z
    .array(z.string())
    .meta(doc('Reasons why the import would be rejected. Empty if it can go ahead.', [])),
})
export type FlowImportPlan = z.output<typeof flowImportPlan>

export const planFlowImportRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/import/plan',
  summary:
    'Plan the import of a Millrace or n8n file: the flows it would create, and what they call and read',
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
  summary: 'Import the flows of a file as drafts, without credentials; returns the first one',
  access: can('flows', 'create'),
  status: 201,
  body: z.union([flowFile, uploadedImport]),
  bodyLimit: 'large',
  whenTooLarge: TOO_LARGE_TO_IMPORT,
  result: flow.extend({
    ...withWarnings,
    other_flows: z
      .array(
        z.object({
          id: z.string().describe('ID of the flow.'),
          name: z.string().describe('Name of the flow, for display.'),
        }),
      )
      .describe('Flows that were created together with this one.'),
  }),
})

export const exportFlowRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/export',
  name: 'export_flow',
  summary: 'Export a flow and the flows it runs as a file, without secrets',
  access: can('flows', 'read'),
  status: 200,
  params: idParams,
  result: flowFile,
})

/**
 * A flow as it is kept in a folder under version control: without the state of an installation (status, version,
 * times), secrets, and default values.
 */
export const flowSource = z.strictObject({
  id: uuid
    .describe('ID of the flow, the same in every installation. A flow with a new ID is created under it.')
    .meta({ examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] }),
  name: nonEmptyText(200).meta(doc('Name of the flow.', 'Greet')),
  description: text(20_000).default('').describe('Notes about the flow.'),
  tags: labels.default([]).describe('Labels of the flow.'),
  settings: flowSettings.partial().default({}).describe('Flow settings. Absent ones have their default.'),
  steps: z
    .array(step)
    .max(1_000)
    .describe(
      'The steps, in order. Their configuration names connectors and auths (`connector`, `auth`) instead of giving their IDs, and has `{"$secret": "…"}` in the place of a secret.',
    )
    .meta({ examples: [EXAMPLE.steps] }),
})
export type FlowSource = z.output<typeof flowSource>

const revision = z.string().meta(doc('Identifies the content of the source.', '3q2-7wQ1n5cY0dL8'))

export const listFlowSourcesRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-sources',
  summary: 'List flows as they are kept in a folder under version control, newest first',
  access: can('flows', 'read'),
  chosen: 'own',
  status: 200,
  query: listQuery,
  result: z.array(
    z.object({
      revision,
      source: z
        .object({
          id: z.string().describe('ID of the flow.'),
          name: z.string().meta(doc('Name of the flow.', 'Greet')),
          description: z.string().optional().describe('Notes about the flow. Defaults to none.'),
          tags: z.array(z.string()).optional().describe('Labels of the flow. Defaults to none.'),
          settings: jsonObject.optional().describe("Flow settings that aren't the default."),
          steps: z
            .array(json)
            .describe('The steps, without values that are the default.')
            .meta({ examples: [[{ ref_id: 'order', type: 'webhook' }]] }),
        })
        .describe('The flow as it is kept in a file.'),
    }),
  ),
})

export const MISSING_KINDS = ['connector', 'connector_auth', 'flow', 'variable', 'folder', 'secret'] as const

const missingItem = z.object({
  kind: z.enum(MISSING_KINDS).describe('What is missing.'),
  name: z
    .string()
    .describe('Its name, the ID of a flow, the path of a folder, or the field that a secret is missing in.'),
  ref_id: z
    .string()
    .nullable()
    .meta(
      doc('Reference name of the step that needs it. Null means the flow itself, or several steps.', 'call'),
    ),
})
export type MissingItem = z.output<typeof missingItem>

export const pushFlowSourceRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-sources/push',
  name: 'push_flow_source',
  summary: 'Create or change a flow so that it is as its source says',
  access: can('flows', 'update'),
  chosen: 'own',
  status: 200,
  refusals: [412],
  body: z.strictObject({
    source: flowSource.describe('The flow as it should be.'),
    revision: revision
      .nullable()
      .optional()
      .describe(
        'Revision that the flow has to have, otherwise nothing is changed (412). If null, it must not exist. Defaults to any.',
      ),
    dry_run: z.boolean().default(false).describe('True changes nothing and only says what would happen.'),
  }),
  bodyLimit: 'large',
  result: z.object({
    change: z
      .enum(['create', 'change', 'none'])
      .describe('What happened, or would happen, to the flow: `create`, `change` or `none`.'),
    revision: revision.nullable().describe('Revision of the flow afterwards. Null after a dry run.'),
    missing: z
      .array(missingItem)
      .describe(
        'What the flow needs and is missing here. Without its connectors, auths and secrets a flow is rejected.',
      )
      .meta({ examples: [[{ kind: 'connector_auth', name: 'GitHub of the team', ref_id: 'call' }]] }),
    problems: z
      .array(z.string())
      .meta(doc('Reasons why the flow would be rejected. Empty if it can be saved.', [])),
  }),
})
export type PushedFlow = z.output<typeof pushFlowSourceRoute.result>

export const checkFlowSourceRoute = defineRoute({
  method: 'POST',
  path: '/v1/flow-sources/check',
  name: 'check_flow_source',
  summary: 'Check a flow as it is kept in a file, also an incomplete one; nothing is stored',
  access: can('flows', 'read'),
  status: 200,
  body: z.strictObject({
    source: jsonObject.describe('The flow as its file has it.').meta({
      examples: [{ id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', name: 'Greet', steps: EXAMPLE.steps }],
    }),
  }),
  bodyLimit: 'large',
  result: z.object({
    problems: z
      .array(flowProblem)
      .meta(doc('Errors and warnings. Their paths and edits are those of the file.', [])),
  }),
})

export const readFlowSchemaRoute = defineRoute({
  method: 'GET',
  path: '/v1/schemas/flow.json',
  name: 'read_flow_schema',
  summary: 'Read the JSON Schema of flow files, for editors',
  access: 'open',
  status: 200,
  result: z.looseObject({
    $schema: z
      .string()
      .meta(doc('The version of JSON Schema.', 'https://json-schema.org/draft/2020-12/schema')),
  }),
})

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

export const flowFileRoutes = {
  planFlowImportRoute,
  importFlowRoute,
  exportFlowRoute,
  listFlowSourcesRoute,
  checkFlowSourceRoute,
  pushFlowSourceRoute,
  readFlowSchemaRoute,
}
