/** Connectors from what other tools know of an API, and as one file from one Millrace to another. */
import { z } from 'zod'
import { idParams } from './base/common.ts'
import { action, connector, connectorPatch } from './connectors.ts'
import { can, defineRoute } from './base/route.ts'
import { importSource, TOO_LARGE_TO_IMPORT, uploadedImport } from './import-sources.ts'

export const IMPORT_FORMATS = ['curl', 'openapi', 'postman', 'millrace'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

const actionDraft = z.strictObject(
  action
    .omit({ id: true, connector_id: true, created_at: true, updated_at: true })
    .partial()
    .required({ name: true, method: true, endpoint: true }).shape,
)
export type ActionDraft = z.output<typeof actionDraft>

const connectorDraft = connectorPatch.required({ name: true })
export type ConnectorDraft = z.output<typeof connectorDraft>

/** A connector with its actions and without any secret. */
export const connectorFile = z.strictObject({
  format: z.literal('millrace-connector'),
  version: z.literal(1),
  connector: connectorDraft,
  actions: z.array(actionDraft).max(1_000),
})
export type ConnectorFile = z.output<typeof connectorFile>

const leftOut = z.object({
  /** Which part of the source. */
  item: z.string(),
  reason: z.string(),
})
export type LeftOut = z.output<typeof leftOut>

const importNote = z.object({
  /** Which part of the source. */
  item: z.string(),
  note: z.string(),
})
export type ImportNote = z.output<typeof importNote>

const importPlan = z.object({
  source_format: z.enum(IMPORT_FORMATS),
  /** What would be made: send it to `/v1/connectors/import`, changed or as it is. */
  file: connectorFile,
  left_out: z.array(leftOut),
  /** What was understood beyond the calls, such as how lists are paged. */
  notes: z.array(importNote),
})
export type ConnectorImportPlan = z.output<typeof importPlan>

export const planImportRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/import/plan',
  summary:
    'Say what connector a curl command, an OpenAPI 3 or Swagger 2 document (JSON or YAML) or a Postman collection would make',
  access: can('connectors', 'create'),
  status: 200,
  body: importSource,
  bodyLimit: 'large',
  whenTooLarge: TOO_LARGE_TO_IMPORT,
  result: importPlan,
})

export const importConnectorRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/import',
  collection: '/v1/connectors',
  summary: 'Make a connector with its actions of a file that was exported, or of a plan',
  access: can('connectors', 'create'),
  status: 201,
  body: z.union([connectorFile, uploadedImport]),
  bodyLimit: 'large',
  whenTooLarge: TOO_LARGE_TO_IMPORT,
  result: connector,
})

export const exportConnectorRoute = defineRoute({
  method: 'GET',
  path: '/v1/connectors/:id/export',
  name: 'export_connector',
  summary: 'A connector with its actions as one file, without secrets',
  access: can('connectors', 'read'),
  status: 200,
  params: idParams,
  result: connectorFile,
})
