import { say } from '../../base/message.ts'
import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

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

export const condition = stepType({
  family: 'control',
  label: 'Condition',
  purpose: 'Runs different steps depending on a condition',
  words: 'if else when branch decide',
  icon: 'git-branch',
  refId: 'check',
  lists: ['then', 'else'],
  showsOutcome: true,
  config: z
    .strictObject({
      when: template
        .optional()
        .describe(
          'Condition as an expression: `web1.total > 100`. Either this, or `a`, `comparison` and `b`.',
        ),
      a: json.optional().describe('Left side of the comparison.'),
      comparison: z
        .enum(COMPARISONS)
        .optional()
        .describe(
          'How `a` and `b` are compared: by amount (`greater`, `smaller`, `equal`, `greater_equal`; strings that spell numbers count as numbers) or as text (`string_is`, `string_begins`, `string_ends`, `string_includes`).',
        ),
      b: json.optional().describe('Right side of the comparison.'),
    })
    .meta({
      description: 'Runs the steps in `then` or those in `else`.',
      examples: [{ a: '{{ web1.total }}', comparison: 'greater', b: 100 }],
    }),
  fields: {
    when: {
      label: 'When',
      expression: true,
      rows: 2,
      hint: 'Empty, false, 0, none and an empty list count as false, everything else as true.',
      placeholder: 'web1.total > 100',
    },
    a: { label: 'Value', kind: 'template', initial: '', placeholder: '{{ web1.total }}' },
    comparison: {
      label: 'Comparison',
      options: {
        equal: 'equals',
        greater: 'is greater than',
        greater_equal: 'is greater than or equal to',
        smaller: 'is less than',
        string_is: 'text equals',
        string_begins: 'text starts with',
        string_ends: 'text ends with',
        string_includes: 'text contains',
      },
    },
    b: { label: 'to', kind: 'template', initial: '', placeholder: '100' },
  },
  result: z
    .object({ result: z.boolean() })
    .describe('An object with the decision: `{{ large.result }}` is true or false.'),
  rules({ when, a, comparison, b }) {
    if (when !== undefined) return when.trim() === '' ? [['config.when', say('must not be empty')]] : []
    if (a !== undefined && comparison !== undefined && b !== undefined) return []
    return [['config', say('needs "when", or "a", "comparison" and "b"')]]
  },
  sample: { config: { a: '{{ web1.total }}', comparison: 'greater', b: 100 } },
  summary: (config, { t }) =>
    config.comparison === undefined
      ? shown(config.when, t('no condition yet'))
      : `${shown(config.a, '…')} ${shown(config.comparison, '').replaceAll('_', ' ')} ${shown(config.b, '…')}`,
})
