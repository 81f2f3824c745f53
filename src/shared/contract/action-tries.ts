import { z } from 'zod'
import { idParams, json, jsonObject, text } from './base/common.ts'
import { actionPatch } from './connectors.ts'
import { exchange } from './flow-runs.ts'
import { STOP_REASONS } from './pagination.ts'
import { can, defineRoute } from './base/route.ts'

export const actionTryBody = z.strictObject({
  auth_id: text(200).nullable().optional(),
  /** What the action's form would hold. */
  input: jsonObject.optional(),
  /** Fields that go before the stored ones for this call: what is being edited can be tried before it is saved. */
  draft: z
    .strictObject(
      actionPatch.pick({
        method: true,
        endpoint: true,
        query: true,
        headers: true,
        body: true,
        supports_automatic_pagination: true,
      }).shape,
    )
    .optional(),
  /** Of a list: how many pages to read at most. */
  max_pages: z.number().int().min(1).max(10).default(1),
})
export type ActionTryBody = z.output<typeof actionTryBody>

export const actionTry = z.object({
  ok: z.boolean(),
  /** Of the last answer; null where none came. */
  status: z.number().int().nullable(),
  /** A sentence: what came, or what is wrong. */
  message: z.string(),
  duration_ms: z.number(),
  /** Every call that was made, secrets as `***`. */
  http: z.array(exchange),
  /** What the step of a flow would give: the body of the answer, or the records as one list. */
  output: json.nullable(),
  /** How many records were read; null where the action does not read a list. */
  record_count: z.number().int().nullable(),
  stop_reason: z.enum(STOP_REASONS).nullable(),
  /** Whether the output was too long to be shown whole. */
  truncated: z.boolean(),
})
export type ActionTry = z.output<typeof actionTry>

export const tryActionRoute = defineRoute({
  method: 'POST',
  path: '/v1/connector-actions/:id/try',
  summary:
    'Run an action once, with an auth and an input, and show the calls and what came of them; nothing is stored',
  access: can('connectors', 'create'),
  status: 200,
  params: idParams,
  body: actionTryBody,
  bodyOptional: true,
  result: actionTry,
})
