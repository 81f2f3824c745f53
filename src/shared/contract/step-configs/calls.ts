/** Steps that call something outside the flow. */
import { z } from 'zod'
import { json, jsonObject } from '../common.ts'
import { paginationConfig } from '../pagination.ts'
import { dictionary, flag, template } from './fields.ts'

export const connectorAction = z.strictObject({
  connector_id: z.string(),
  action: z.string(),
  auth_id: template.nullable().optional(),
  dynamic_auth_id: template.nullable().optional(),
  input: jsonObject.default({}),
  retrieve_all_data: flag.optional(),
  max_pages: z.number().int().min(1).optional(),
})

export const rest = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']).default('GET'),
  url: template,
  headers: dictionary.default({}),
  query: dictionary.default({}),
  body: json.default(null),
  body_type: z.enum(['json', 'form', 'multipart', 'text', 'binary', 'none']).default('json'),
  auth_id: template.nullable().optional(),
  fail_on_error: flag.default(true),
  pagination: paginationConfig.nullable().default(null),
  timeout_seconds: z.number().positive().max(3_600).optional(),
})
