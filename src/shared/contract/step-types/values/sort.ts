import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template, flag } from '../parts/fields.ts'
import { list } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const sort = stepType({
  family: 'values',
  label: 'Sort a list',
  purpose: 'Sorts a list',
  words: 'order by',
  icon: 'arrow-down-wide-narrow',
  refId: 'sorted',
  showsOutcome: true,
  config: z
    .strictObject({
      over: json.describe('The list to sort: a template such as `{{ orders }}`, or a JSON list.'),
      by: z
        .union([template, z.array(template).min(1).max(10)])
        .default('')
        .describe(
          'Field to sort by, `address.city`, or a template over `item`. A list sorts by several fields. Leave empty to sort by the item itself.',
        ),
      descending: flag.default(false).describe('True puts the largest first.'),
    })
    .meta(doc('Sorts a list.', { over: [{ name: 'Bo' }, { name: 'Ann' }], by: 'name' })),
  fields: {
    over: list('List'),
    by: {
      label: 'Sort by',
      kind: 'json',
      orText: true,
      entryPath: true,
      reads: 'item',
      hint: 'A field of the items, for example address.city, or a template using item. To sort by several fields, enter a JSON list. Leave empty to sort by the items themselves.',
    },
    descending: { label: 'Descending order', hint: 'Items without a value always come last.' },
  },
  result: z.array(json).describe('The sorted list.'),
  sample: { config: { over: '{{ web1.orders }}', by: 'total', descending: true } },
  summary: (config, { t }) =>
    config.descending === true
      ? t('by {{value}}, descending', { value: shown(config.by, t('the items')) })
      : t('by {{value}}', { value: shown(config.by, t('the items')) }),
})
