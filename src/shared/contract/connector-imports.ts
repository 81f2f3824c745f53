/** Imports connectors from other tools' API descriptions, and exchanges them between installations as files. */
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams } from './base/common.ts'
import { action, connector, connectorPatch } from './connectors.ts'
import { can, defineRoute } from './base/route.ts'
import { withWarnings } from './base/save-warnings.ts'
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

/** A connector with its actions, without secrets. */
export const connectorFile = z.strictObject({
  format: z.literal('millrace-connector').describe('Marks the file as a Millrace connector.'),
  version: z.literal(1).describe('Version of the file format.'),
  connector: connectorDraft.describe('The connector itself, without secrets.'),
  actions: z.array(actionDraft).max(1_000).describe("The connector's actions."),
})
export type ConnectorFile = z.output<typeof connectorFile>

const leftOut = z.object({
  item: z
    .string()
    .describe('The part of the source that was skipped, such as a path of the OpenAPI document.')
    .meta({ examples: ['POST /orders/bulk'] }),
  reason: z.string().meta(doc('Why it was skipped.', 'its body is neither JSON nor a form')),
})
export type LeftOut = z.output<typeof leftOut>

const importNote = z.object({
  item: z.string().meta(doc('The part of the source that the note is about.', 'GET /orders')),
  note: z
    .string()
    .meta(doc('A remark, or something to check.', 'The list is read page by page with the header Link.')),
})
export type ImportNote = z.output<typeof importNote>

const importPlan = z.object({
  source_format: z.enum(IMPORT_FORMATS).describe('The format that the source was recognized as.'),
  file: connectorFile.describe(
    'The connector that would be created. Send it to `/v1/connectors/import`, edited or as it is.',
  ),
  left_out: z.array(leftOut).meta(doc("Parts of the source that aren't imported, each with the reason.", [])),
  notes: z
    .array(importNote)
    .meta(doc('What was recognized besides the calls, such as how lists are paginated.', [])),
})
export type ConnectorImportPlan = z.output<typeof importPlan>

export const planImportRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/import/plan',
  summary:
    'Say what connector a curl command, an OpenAPI 3 or Swagger 2 document (JSON or YAML) or a Postman collection would make',
  access: can('connectors', 'create'),
  chosen: 'free',
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
  summary: 'Create a connector with its actions from an exported file or a plan',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 201,
  body: z.union([connectorFile, uploadedImport]),
  bodyLimit: 'large',
  whenTooLarge: TOO_LARGE_TO_IMPORT,
  result: connector.extend(withWarnings),
})

export const exportConnectorRoute = defineRoute({
  method: 'GET',
  path: '/v1/connectors/:id/export',
  name: 'export_connector',
  summary: 'Export a connector with its actions as a file, without secrets',
  access: can('connectors', 'read'),
  chosen: 'free',
  status: 200,
  params: idParams,
  result: connectorFile,
})

export const connectorImportRoutes = {
  planImportRoute,
  importConnectorRoute,
  exportConnectorRoute,
}
