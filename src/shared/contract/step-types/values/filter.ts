import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template } from '../parts/fields.ts'
import { list } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

/** `when` is evaluated for each item, with `item` and `index`. */
export const filter = stepType({
  family: 'values',
  label: 'Filter a list',
  purpose: 'Keeps the items that match a condition',
  words: 'where select remove keep',
  icon: 'funnel',
  refId: 'filtered',
  showsOutcome: true,
  config: z
    .strictObject({
      over: json.describe('The list to filter: a template such as `{{ orders }}`, or a JSON list.'),
      when: template.describe('Condition that decides which items stay. It reads `item` and `index`.'),
    })
    .meta({
      description: 'Keeps the items of a list for which a condition is true.',
      examples: [{ over: [{ total: 50 }, { total: 150 }], when: 'item.total > 100' }],
    }),
  fields: {
    over: list('List'),
    when: {
      label: 'Keep item if',
      expression: true,
      reads: 'item',
      hint: 'The condition reads the current item as item and its position, starting at 0, as index.',
      placeholder: 'item.total > 100',
    },
  },
  result: z.array(json).describe('The list of the remaining items.'),
  sample: { config: { over: '{{ web1.orders }}', when: 'item.total > 100' } },
  summary: (config, { t }) => t('where {{condition}}', { condition: shown(config.when, '…') }),
})
