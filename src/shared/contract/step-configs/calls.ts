/** Steps that call something outside the flow. */
import { z } from 'zod'
import { json, jsonObject, text } from '../base/common.ts'
import { paginationConfig } from '../base/pagination-config.ts'
import { dictionary, flag, template } from './fields.ts'

export const connectorAction = z.strictObject({
  connector_id: text(200),
  action: text(100),
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

export const runFlow = z.strictObject({
  flow_id: template,
  input: dictionary.default({}),
  /** Otherwise the flow goes on as soon as the other one is queued. */
  wait: flag.default(true),
})

/** One address, several with commas between them, or a list. */
const addresses = z.union([template, z.array(template).max(100)])

export const sendEmail = z.strictObject({
  /** Of SMTP: its address is `smtp://host:587` or `smtps://host:465`. */
  auth_id: template.nullable().optional(),
  /** Default: the user name of the auth. */
  from: template.nullable().optional(),
  to: addresses,
  cc: addresses.nullable().optional(),
  bcc: addresses.nullable().optional(),
  reply_to: template.nullable().optional(),
  subject: template.default(''),
  text: template.default(''),
  html: template.default(''),
  /** Of each its `file_id`, or its `filename` with its `content`; a template that gives such a list. */
  attachments: z.union([z.array(json).max(50), template]).default([]),
})
