import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template } from '../parts/fields.ts'
import { collect } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

/**
 * `when` is evaluated at the end of each iteration. `item` is the result of the previous iteration, null in
 * the first.
 */
export const loopWhile = stepType({
  family: 'control',
  label: 'Loop while',
  purpose: 'Repeats steps while a condition is true',
  words: 'until repeat poll do',
  icon: 'refresh-cw',
  refId: 'repeat',
  lists: ['steps'],
  loops: true,
  config: z
    .strictObject({
      when: template.describe(
        'Condition checked at the end of each iteration: while it is true, the steps run again. `item` is the previous result, null at first.',
      ),
      max_iterations: z
        .int()
        .min(1)
        .max(100_000)
        .default(1_000)
        .describe('Iterations after which the loop fails, 1 to 100000.'),
      collect: json
        .optional()
        .describe(
          "What each iteration adds to the loop's result. Defaults to the result of the iteration's last step.",
        ),
    })
    .meta({
      description: 'Repeats its `steps` while a condition is true, at least once.',
      examples: [{ when: 'index < 2', collect: '{{ index }}' }],
    }),
  fields: {
    when: {
      label: 'Continue while',
      expression: true,
      rows: 2,
      reads: 'item',
      hint: 'The condition is evaluated after each iteration. Steps in the loop read the previous iteration’s result as item and the iteration number, starting at 0, as index.',
      placeholder: 'page.body.has_more',
    },
    max_iterations: {
      label: 'Max iterations',
      optional: true,
      hint: 'The step fails if more are needed.',
      placeholder: '1000',
    },
    collect: { ...collect, placeholder: '{{ page.body.orders }}' },
  },
  result: z.array(json).describe('A list with the result of each iteration.'),
  sample: { config: { when: 'index < 4', max_iterations: 10 } },
  summary: (config, { t }) => t('while {{condition}}', { condition: shown(config.when, '…') }),
})
