import { z } from 'zod'
import { json } from '../../base/common.ts'
import { stepType, shown } from '../parts/step-type.ts'

/** Runs the case whose label equals the value; the labels are in `cases`, next to the steps. */
export const switchStep = stepType({
  family: 'control',
  label: 'Switch',
  purpose: 'Runs the steps of the matching case',
  words: 'case route if branch',
  icon: 'split',
  refId: 'switch',
  lists: ['cases', 'default'],
  casesLabel: 'Cases',
  showsOutcome: true,
  config: z
    .strictObject({
      value: json.describe('The value to compare with the labels of `cases`.'),
    })
    .meta({
      description:
        'Runs the steps of the first case in `cases` whose label equals the value, else those in `default`.',
      examples: [{ value: '{{ web1.country }}' }],
    }),
  fields: {
    value: {
      label: 'Value',
      kind: 'template',
      hint: 'Runs the first case whose label equals this value, or “otherwise” if none does.',
      placeholder: '{{ web1.status }}',
    },
  },
  result: z
    .object({ label: z.string() })
    .nullable()
    .describe('An object with the `label` of the case. Null if none matched.'),
  sample: {
    config: { value: '{{ web1.status }}' },
    cases: [
      { label: 'paid', steps: [] },
      { label: 'cancelled', steps: [] },
    ],
  },
  summary: (config, { t }) => t('by {{value}}', { value: shown(config.value, '…') }),
})
