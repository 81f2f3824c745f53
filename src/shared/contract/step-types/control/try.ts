import { z } from 'zod'
import { json } from '../../base/common.ts'
import { stepType } from '../parts/step-type.ts'

/** Its steps are in `try`, `catch` and `finally`, next to the config. */
export const tryStep = stepType({
  family: 'control',
  label: 'Try',
  purpose: 'Handles failures of steps and cleans up after them',
  words: 'catch finally error exception failure handle clean up rollback block',
  icon: 'life-buoy',
  refId: 'attempt',
  lists: ['try', 'catch', 'finally'],
  config: z.strictObject({}).meta({
    description:
      'Runs the steps in `try`. If one fails, those in `catch` run, and the run continues. The steps in `finally` always run after them.',
    examples: [{}],
  }),
  fields: {},
  result: z
    .object({
      error: z
        .object({ code: z.string(), message: z.string(), ref_id: z.string().nullable(), data: json })
        .nullable(),
      result: json,
    })
    .describe(
      'An object: `{{ attempt.error }}` is null, or the failure with `code`, `message`, `ref_id` (the step that failed) and `data`; `{{ attempt.result }}` is the result of the last step in `try` or `catch`.',
    ),
  sample: { config: {} },
  summary: (_config, { t }) => t('with catch and finally'),
})
