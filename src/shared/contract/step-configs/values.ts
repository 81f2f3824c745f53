/** Steps that make values of values. */
import { z } from 'zod'
import { json, text } from '../base/common.ts'
import { dictionary, flag, numeric, template } from './fields.ts'

export const set = z.strictObject({ values: dictionary.default({}) })

/** `when` is asked of each entry, as `item` with its place as `index`. */
export const filter = z.strictObject({ over: json, when: template })

/**
 * What an entry is looked at by: the path of a field in it, `address.city`, or a template over `item` and `index`; empty
 * is the entry itself.
 */
const entryField = template

export const sort = z.strictObject({
  over: json,
  /** Several decide one after the other. */
  by: z.union([entryField, z.array(entryField).min(1).max(10)]).default(''),
  descending: flag.default(false),
})

export const AGGREGATES = [
  'count',
  'sum',
  'average',
  'minimum',
  'maximum',
  'first',
  'last',
  'list',
  'unique',
  'count_unique',
  'join',
] as const

export const aggregate = z.strictObject({
  over: json,
  operations: z
    .array(
      z.strictObject({
        /** The key of the result. */
        name: text(200),
        operation: z.enum(AGGREGATES),
        of: entryField.default(''),
        /** For `join`. */
        separator: text(100).optional(),
      }),
    )
    .min(1)
    .max(50),
  /** Makes one dictionary for each value that it has among the entries, in place of one for all. */
  by: entryField.nullable().optional(),
})

export const MERGES = ['append', 'position', 'inner', 'left', 'right', 'outer', 'without'] as const

export const merge = z.strictObject({
  over: json,
  with: json,
  how: z.enum(MERGES).default('append'),
  /** For the joins: the field in which entries of both lists must be equal. */
  on: entryField.nullable().optional(),
  /** Where it has another name in the second list. */
  on_with: entryField.nullable().optional(),
})

/** `source` is JavaScript and no template: it reads the results of the steps before as `input` and returns its own. */
export const code = z.strictObject({ source: text(65_536) })

export const KEY_VALUE_OPERATIONS = ['get', 'set', 'delete', 'increment', 'list'] as const

export const keyValue = z.strictObject({
  operation: z.enum(KEY_VALUE_OPERATIONS).default('get'),
  /** For `list` what the keys begin with. */
  key: template.default(''),
  /** For `set` what is kept, for `increment` by how much (default 1), for `get` what stands for a missing one. */
  value: json.optional(),
  /** For `set` and `increment`; absent, it is kept until it is deleted. */
  ttl_seconds: numeric.nullable().optional(),
})
