/** Steps that decide what runs, how often and when, and what the caller is told. */
import { z } from 'zod'
import { json } from '../common.ts'
import { numeric, template } from './fields.ts'

export const condition = z.strictObject({
  when: template.optional(),
  a: json.optional(),
  comparison: z
    .enum([
      'greater',
      'smaller',
      'equal',
      'greater_equal',
      'string_is',
      'string_begins',
      'string_ends',
      'string_includes',
    ])
    .optional(),
  b: json.optional(),
})

export const loop = z.strictObject({ over: json, collect: json.optional() })

export const delay = z.strictObject({ seconds: numeric.optional(), until: template.optional() })

export const respond = z.strictObject({
  status_code: z.union([z.number().int(), template]).default(200),
  body: template.default(''),
  headers: z.record(z.string(), template).default({}),
})

export const stop = z.strictObject({
  status: z.enum(['success', 'error']).default('success'),
  message: template.default(''),
})
