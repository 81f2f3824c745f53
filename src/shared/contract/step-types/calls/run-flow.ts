import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template, flag, dictionary } from '../parts/fields.ts'
import { stepType } from '../parts/step-type.ts'

export const runFlow = stepType({
  family: 'calls',
  label: 'Run another flow',
  purpose: 'Starts another flow and can wait for its result',
  words: 'subflow call flow execute workflow',
  icon: 'workflow',
  refId: 'subflow',
  config: z
    .strictObject({
      flow_id: template.describe('ID of the flow to run, or a template that returns one.'),
      input: dictionary
        .default({})
        .describe(
          'What the flow is started with; its first step returns it. A template that returns an object works too.',
        ),
      wait: flag
        .default(true)
        .describe(
          'True waits for the flow and returns its response or last result. False continues as soon as it is queued.',
        ),
    })
    .meta(
      doc('Runs another flow, at most ten levels deep.', {
        flow_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        input: { order_id: '{{ web1.order_id }}' },
      }),
    ),
  fields: {
    flow_id: { label: 'Flow' },
    input: {
      label: 'Input',
      noun: 'value',
      hint: 'Input, available in the flow’s first step like a webhook body.',
    },
    wait: {
      label: 'Wait for completion',
      hint: 'The result is the flow’s response or its last step’s result. If off, it is the run ID.',
    },
  },
  result: json.describe(
    "The other flow's response or last result. Without `wait`: an object with `flow_run_id`.",
  ),
  sample: {
    config: { flow_id: '{{ web1.flow_id }}', input: { order: '{{ web1.order }}' }, wait: true },
  },
  summary: (config, { t }) => (config.wait === false ? t('does not wait') : t('waits for its result')),
})
