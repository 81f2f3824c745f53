/** Steps that decide what runs, how often and when, and what the caller is told. */
import { z } from 'zod'
import { json } from '../base/common.ts'
import { numeric, template } from './fields.ts'

export const COMPARISONS = [
  'greater',
  'smaller',
  'equal',
  'greater_equal',
  'string_is',
  'string_begins',
  'string_ends',
  'string_includes',
] as const

export const condition = z.strictObject({
  when: template.optional(),
  a: json.optional(),
  comparison: z.enum(COMPARISONS).optional(),
  b: json.optional(),
})

/** The case whose label the value equals; the labels stand beside the steps, in `cases`. */
export const switchConfig = z.strictObject({ value: json })

/**
 * `start` is about a loop right behind a paginated step and over its list: `whole_list` waits until that is complete,
 * `first_page` has its turns while the pages come. Everywhere else the list is there before the loop begins.
 */
export const loop = z.strictObject({
  over: json,
  collect: json.optional(),
  start: z.enum(['whole_list', 'first_page']).optional(),
})

/** Tested at the end of each turn: `item` is the result of the turn before, null in the first. */
export const loopWhile = z.strictObject({
  when: template,
  max_iterations: z.number().int().min(1).max(100_000).default(1_000),
  collect: json.optional(),
})

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
