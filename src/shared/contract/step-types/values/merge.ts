import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template } from '../parts/fields.ts'
import { list } from '../parts/faces.ts'
import { stepType, shown, type Config } from '../parts/step-type.ts'

export const MERGES = ['append', 'position', 'inner', 'left', 'right', 'outer', 'without'] as const

const isJoin = ({ how = 'append' }: Config) => how !== 'append' && how !== 'position'

export const merge = stepType({
  family: 'values',
  label: 'Merge lists',
  purpose: 'Joins two lists or appends one to the other',
  words: 'join combine append lookup',
  icon: 'merge',
  refId: 'merged',
  showsOutcome: true,
  config: z
    .strictObject({
      over: json.describe('The first list.'),
      with: json.describe('The second list.'),
      how: z
        .enum(MERGES)
        .default('append')
        .describe(
          '`append` puts the second list after the first, `position` pairs items by index, `inner`, `left`, `right` and `outer` join by `on`, `without` removes matches.',
        ),
      on: template
        .nullable()
        .optional()
        .describe(
          'For the joins and `without`: the field whose values must be equal for two items to match. If null, absent or empty, the items themselves must be equal.',
        ),
      on_with: template
        .nullable()
        .optional()
        .describe('Name of that field in the second list. Defaults to `on`.'),
    })
    .meta({
      description: 'Combines two lists.',
      examples: [{ over: [{ id: 1, name: 'Ann' }], with: [{ id: 1, total: 5 }], how: 'left', on: 'id' }],
    }),
  fields: {
    over: list('First list'),
    with: { label: 'Second list', kind: 'template', placeholder: '{{ orders }}' },
    how: {
      label: 'Method',
      options: {
        append: ['Append', 'All items of both lists'],
        position: ['Combine by position', 'First with first, second with second, and so on'],
        inner: ['Inner join', 'Items of both lists whose field matches'],
        left: ['Left join', 'All items of the first list, with matching data from the second'],
        right: ['Right join', 'All items of the second list, with matching data from the first'],
        outer: ['Full outer join', 'Items joined on a field'],
        without: ['Except', 'Items of the first list that aren’t in the second'],
      },
    },
    on: {
      label: 'Match on field',
      reads: 'item',
      hint: 'A field of the items, for example customer.id, or a template using item.',
      placeholder: 'id',
      entryPath: true,
      when: isJoin,
    },
    on_with: {
      label: 'Field in second list',
      reads: 'item',
      optional: true,
      placeholder: 'customer_id',
      entryPath: true,
      when: isJoin,
    },
  },
  result: z.array(json).describe('The combined list.'),
  sample: {
    config: {
      over: '{{ web1.orders }}',
      with: '{{ web1.customers }}',
      how: 'left',
      on: 'customer_id',
      on_with: 'id',
    },
  },
  summary: (config, { t }) =>
    t('{{first}} and {{second}}', { first: shown(config.over, '…'), second: shown(config.with, '…') }),
})
