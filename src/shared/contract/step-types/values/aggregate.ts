import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { template } from '../parts/fields.ts'
import { list } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'
import { isEmpty, objectOf, namedIn } from '../parts/values.ts'

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

export const aggregate = stepType({
  family: 'values',
  label: 'Aggregate a list',
  purpose: 'Counts, sums and groups a list',
  words: 'group sum average count total summarize',
  icon: 'sigma',
  refId: 'totals',
  showsOutcome: true,
  config: z
    .strictObject({
      over: json.describe('The list to aggregate: a template such as `{{ orders }}`, or a JSON list.'),
      operations: z
        .array(
          z.strictObject({
            name: text(200).describe('Key of this value in the result.'),
            operation: z
              .enum(AGGREGATES)
              .describe('What to calculate from the items, such as `sum` or `count_unique`.'),
            of: template
              .default('')
              .describe(
                'Field to calculate with, `address.city`, or a template over `item`. Leave empty for the item itself.',
              ),
            separator: text(100).optional().describe('For `join`: the text between the values.'),
          }),
        )
        .min(1)
        .max(50)
        .describe('What to calculate, 1 to 50 operations.'),
      by: template
        .nullable()
        .optional()
        .describe(
          'Field to group by. The result is then a list with one object per value. If null or absent, the result is one object for all items.',
        ),
    })
    .meta(
      doc('Counts, sums and groups the items of a list.', {
        over: [
          { country: 'DE', total: 5 },
          { country: 'FR', total: 7 },
        ],
        operations: [
          { name: 'orders', operation: 'count' },
          { name: 'revenue', operation: 'sum', of: 'total' },
        ],
        by: 'country',
      }),
    ),
  fields: {
    over: { ...list('List'), placeholder: '{{ orders }}' },
    operations: {
      label: 'Results',
      reads: 'item',
      hint: 'A field, for example total, or a template using item. Leave empty to use the items themselves.',
    },
    by: {
      label: 'Group by',
      optional: true,
      reads: 'item',
      hint: 'Returns one object per value of this field.',
      placeholder: 'country',
      entryPath: true,
    },
  },
  result: json.describe(
    'An object with one key per operation. With `by`: a list of such objects, one per group.',
  ),
  resultOf: ({ by, operations }) => (isEmpty(by) ? objectOf(namedIn(operations)) : undefined),
  first: { operations: [{ name: 'count', operation: 'count', of: '' }] },
  sample: {
    config: {
      over: '{{ web1.orders }}',
      operations: [
        { name: 'orders', operation: 'count' },
        { name: 'revenue', operation: 'sum', of: 'total' },
      ],
      by: 'country',
    },
  },
  summary: (config) =>
    (Array.isArray(config.operations) ? config.operations : [])
      .map((one: { name?: unknown }) => shown(one.name, '…'))
      .join(', '),
})
