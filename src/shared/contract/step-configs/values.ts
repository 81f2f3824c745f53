/** Steps that compute values from other values. */
import { z } from 'zod'
import { json, text } from '../base/common.ts'
import { dictionary, flag, numeric, template } from './fields.ts'

export const set = z
  .strictObject({
    values: dictionary
      .default({})
      .describe(
        'Values by name, read later as `{{ ref_id.name }}`. Strings are templates; a template that returns an object works too.',
      ),
  })
  .meta({
    description: 'Sets values under names of your choice.',
    result: 'An object with the values: `{{ price.total }}`.',
    examples: [{ values: { total: '{{ 3 * 4 }}', currency: 'EUR' } }],
  })

/** `when` is evaluated for each item, with `item` and `index`. */
export const filter = z
  .strictObject({
    over: json.describe('The list to filter: a template such as `{{ orders }}`, or a JSON list.'),
    when: template.describe('Condition that decides which items stay. It reads `item` and `index`.'),
  })
  .meta({
    description: 'Keeps the items of a list for which a condition is true.',
    result: 'The list of the remaining items.',
    examples: [{ over: [{ total: 50 }, { total: 150 }], when: 'item.total > 100' }],
  })

/**
 * The value that an item is sorted, grouped or joined by: the path of a field in it, `address.city`, or a template with
 * `item` and `index`; empty means the item itself.
 */
const entryField = template

export const sort = z
  .strictObject({
    over: json.describe('The list to sort: a template such as `{{ orders }}`, or a JSON list.'),
    by: z
      .union([entryField, z.array(entryField).min(1).max(10)])
      .default('')
      .describe(
        'Field to sort by, `address.city`, or a template over `item`. A list sorts by several fields. Empty: by the item itself.',
      ),
    descending: flag.default(false).describe('True puts the largest first.'),
  })
  .meta({
    description: 'Sorts a list.',
    result: 'The sorted list.',
    examples: [{ over: [{ name: 'Bo' }, { name: 'Ann' }], by: 'name' }],
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

export const aggregate = z
  .strictObject({
    over: json.describe('The list to aggregate: a template such as `{{ orders }}`, or a JSON list.'),
    operations: z
      .array(
        z.strictObject({
          name: text(200).describe('Key of this value in the result.'),
          operation: z
            .enum(AGGREGATES)
            .describe('What to calculate from the items, such as `sum` or `count_unique`.'),
          of: entryField
            .default('')
            .describe(
              'Field to calculate with, `address.city`, or a template over `item`. Empty: the item itself.',
            ),
          separator: text(100).optional().describe('For `join`: the text between the values.'),
        }),
      )
      .min(1)
      .max(50)
      .describe('What to calculate, 1 to 50 operations.'),
    by: entryField
      .nullable()
      .optional()
      .describe(
        'Field to group by. The result is then a list with one object per value. Null or absent: one object for all items.',
      ),
  })
  .meta({
    description: 'Counts, sums and groups the items of a list.',
    result: 'An object with one key per operation. With `by`: a list of such objects, one per group.',
    examples: [
      {
        over: [
          { country: 'DE', total: 5 },
          { country: 'FR', total: 7 },
        ],
        operations: [
          { name: 'orders', operation: 'count' },
          { name: 'revenue', operation: 'sum', of: 'total' },
        ],
        by: 'country',
      },
    ],
  })

export const MERGES = ['append', 'position', 'inner', 'left', 'right', 'outer', 'without'] as const

export const merge = z
  .strictObject({
    over: json.describe('The first list.'),
    with: json.describe('The second list.'),
    how: z
      .enum(MERGES)
      .default('append')
      .describe(
        '`append` puts the second list after the first, `position` pairs items by index, `inner`, `left`, `right` and `outer` join by `on`, `without` removes matches.',
      ),
    on: entryField
      .nullable()
      .optional()
      .describe(
        'For the joins and `without`: the field whose values must be equal for two items to match. Null, absent or empty: the items themselves.',
      ),
    on_with: entryField
      .nullable()
      .optional()
      .describe('Name of that field in the second list. Null or absent: the same as `on`.'),
  })
  .meta({
    description: 'Combines two lists.',
    result: 'The combined list.',
    examples: [{ over: [{ id: 1, name: 'Ann' }], with: [{ id: 1, total: 5 }], how: 'left', on: 'id' }],
  })

/** `source` is JavaScript, not a template: it reads the results of previous steps as `input` and returns its own. */
export const code = z
  .strictObject({
    source: text(65_536).describe(
      "JavaScript that returns the step's result. It isn't a template; it reads the results of earlier steps as `input`.",
    ),
  })
  .meta({
    description: 'Runs JavaScript in a sandbox, without network or files.',
    result: 'What the code returns.',
    examples: [{ source: 'return { total: input.web1 ? input.web1.price * 2 : 0 }' }],
  })

export const KEY_VALUE_OPERATIONS = ['get', 'set', 'delete', 'increment', 'list'] as const

export const keyValue = z
  .strictObject({
    operation: z
      .enum(KEY_VALUE_OPERATIONS)
      .default('get')
      .describe('What to do: `get`, `set`, `delete`, `increment` (returns the new number) or `list`.'),
    key: template
      .default('')
      .describe('The key, up to 500 characters. For `list`: what the keys begin with.'),
    value: json
      .optional()
      .describe(
        'For `set` the value to store, for `increment` the amount (default 1), for `get` the default if the key is missing.',
      ),
    ttl_seconds: numeric
      .nullable()
      .optional()
      .describe('For `set` and `increment`: seconds until the key is deleted. Null or absent: it is kept.'),
  })
  .meta({
    description: 'Stores and reads values across runs. All flows share one encrypted store.',
    result: 'The value; for `list` the keys with their values.',
    examples: [{ operation: 'increment', key: 'orders:count', value: 1 }],
  })
