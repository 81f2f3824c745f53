import { doc } from './base/doc.ts'
import { z } from 'zod'
import { actionCallPatch, connectorCallPatch, unsavedAction } from './action-drafts.ts'
import { idParams, json, jsonObject, text } from './base/common.ts'
import { exchange } from './flow-runs.ts'
import { completeness, STOP_REASONS } from './pagination.ts'
import { can, defineRoute } from './base/route.ts'

export const actionTryBody = z.strictObject({
  auth_id: text(200)
    .nullable()
    .optional()
    .describe(
      'ID of the connector auth whose credentials are used. If null or absent, the call is sent without credentials.',
    ),
  input: jsonObject.optional().describe("Values of the action's form fields, as a step would send them."),
  draft: actionCallPatch
    .optional()
    .describe('Action fields to try instead of the stored ones, so that unsaved edits can be tested.'),
  max_pages: z
    .int()
    .min(1)
    .max(10)
    .default(1)
    .describe('How many pages to read if the action returns a list, 1 to 10.'),
})
export type ActionTryBody = z.output<typeof actionTryBody>

export const connectorTryBody = actionTryBody.omit({ draft: true }).extend({
  action: unsavedAction,
  connector: connectorCallPatch.optional(),
})
export type ConnectorTryBody = z.output<typeof connectorTryBody>

export const actionTry = z.object({
  ok: z.boolean().describe('True if every call succeeded.'),
  status: z.int().nullable().meta(doc('HTTP status of the last response. Null if none arrived.', 200)),
  message: z
    .string()
    .describe('A sentence about the result: what was received, or what went wrong and what to do.')
    .meta({ examples: ['Status 200 with 64 records'] }),
  duration_ms: z.number().describe('Time from the first request to the end of the try, in milliseconds.'),
  http: z.array(exchange).describe('Every call that was made, in order. Secrets read `***`.'),
  output: json
    .nullable()
    .describe(
      'What a step with this action would return: the response body, or one list with the records of all pages.',
    )
    .meta({ examples: [[{ id: 4711, total: 19.8 }]] }),
  record_count: z
    .int()
    .nullable()
    .meta(doc("How many records were read. Null if the action doesn't read a list.", 64)),
  stop_reason: z
    .enum(STOP_REASONS)
    .nullable()
    .meta(doc("Why the list ended. Null if the action isn't paginated or the try failed.", 'no_next')),
  complete: completeness
    .nullable()
    .describe(
      'Whether the list has all its records: `false` if `max_pages` cut it, `"in_doubt"` if something says that records may be missing. Null if the action isn\'t paginated or the try failed.',
    ),
  warnings: z
    .array(
      z.object({
        code: z.string().describe('Machine-readable code, such as `more_announced`.'),
        message: z.string().describe('What was noticed, in a sentence.'),
        in_doubt: z
          .literal(true)
          .optional()
          .describe('True if the list may be incomplete. Otherwise absent.'),
      }),
    )
    .meta(doc('What was noticed about the list.', [])),
  truncated: z.boolean().meta(doc('True if the output was too long to be shown in full.', false)),
})
export type ActionTry = z.output<typeof actionTry>

export const tryActionRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-actions/:id/try',
  summary:
    'Run an action once, with an auth and an input, and show the calls and the result; nothing is stored',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 200,
  params: idParams,
  body: actionTryBody,
  bodyOptional: true,
  result: actionTry,
})

export const tryConnectorRoute = defineRoute({
  method: 'POST',
  path: '/v1/connectors/:id/try',
  summary:
    'Run an action that is not saved yet once, with an auth and an input, and show the calls and their results; nothing is stored',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 200,
  params: idParams,
  body: connectorTryBody,
  result: actionTry,
})

export const actionTryRoutes = {
  tryActionRoute,
  tryConnectorRoute,
}
