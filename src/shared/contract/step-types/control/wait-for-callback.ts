import { z } from 'zod'
import { json, jsonObject } from '../../base/common.ts'
import { say } from '../../base/message.ts'
import { numeric } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

/** The steps that run if nobody calls are in `default`, next to the config. */
export const waitForCallback = stepType({
  family: 'control',
  label: 'Callback',
  purpose: 'Waits until another program calls a URL of this run',
  words: 'callback resume webhook url async job notify external wait',
  icon: 'phone-incoming',
  refId: 'callback',
  lists: ['default'],
  callback: 'call',
  config: z
    .strictObject({
      timeout_hours: numeric
        .default(24)
        .describe('Hours to wait, up to 8784 (a year). Then the steps in `default` run.'),
    })
    .meta({
      description:
        'Waits until another program calls the URL that earlier steps read as `{{ callbacks.callback1.url }}`, with the `ref_id` of this step. A call that comes before the run has reached the step counts as well.',
      examples: [{ timeout_hours: 24 }],
    }),
  fields: {
    timeout_hours: {
      label: 'Wait for (hours)',
      hint: 'Earlier steps send the URL as {{ callbacks.callback1.url }}, with this step’s reference name instead of callback1. When the time is up, the steps under “otherwise” run.',
      placeholder: '24',
    },
  },
  result: z
    .object({
      method: z.string().nullable(),
      headers: jsonObject,
      query: jsonObject,
      body: json,
      received_at: z.string().nullable(),
      timed_out: z.boolean(),
    })
    .describe(
      'The request: `{{ callback.method }}`, `{{ callback.headers }}` (names in lower case), `{{ callback.query }}`, `{{ callback.body }}` (parsed if it is JSON or a form, otherwise text), `{{ callback.received_at }}` and `{{ callback.timed_out }}`, which is true if nobody called in time.',
    ),
  rules({ timeout_hours: hours }) {
    return typeof hours === 'number' && (hours <= 0 || hours > 8_784)
      ? [
          [
            'config.timeout_hours',
            say('is {{value}}, but must be more than 0 and at most 8784', { value: hours }),
          ],
        ]
      : []
  },
  sample: { config: { timeout_hours: 24 } },
  summary: (config, { t }) => t('at most {{hours}} h', { hours: shown(config.timeout_hours, '24') }),
})
