import { english } from '../../../lib/i18n.ts'
import { formOf } from '../fields/form-of.tsx'

export const LoopWhileForm = formOf([
  {
    kind: 'template',
    name: 'when',
    label: english('Go on while'),
    expression: true,
    rows: 2,
    hint: english(
      'Asked at the end of each turn. Its steps read the result of the turn before as item, and the turn, from 0, as index.',
    ),
    placeholder: 'page.body.has_more',
  },
  {
    kind: 'number',
    name: 'max_iterations',
    label: english('Turns at most'),
    optional: true,
    hint: english('More are an error, so that nothing turns for ever.'),
    placeholder: '1000',
  },
  {
    kind: 'template',
    name: 'collect',
    label: english('Collect'),
    optional: true,
    hint: english('What each turn adds to the loop’s list. Without it, the result of the turn’s last step.'),
    placeholder: '{{ page.body.orders }}',
  },
])
