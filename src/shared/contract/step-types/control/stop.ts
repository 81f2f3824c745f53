import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { template } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const stop = stepType({
  family: 'control',
  label: 'Stop',
  purpose: 'Ends the run with success or an error',
  words: 'end exit fail abort',
  icon: 'circle-stop',
  refId: 'stop',
  config: z
    .strictObject({
      status: z
        .enum(['success', 'error'])
        .default('success')
        .describe('How the run ends: `success` or `error`.'),
      message: template
        .default('')
        .describe('Message shown with the run; the error message if `status` is `error`.'),
    })
    .meta(
      doc('Ends the run here, with success or an error.', { status: 'success', message: 'Nothing to do' }),
    ),
  fields: {
    status: {
      label: 'End run with',
      options: { success: 'Success', error: ['Error', 'A waiting webhook call gets 500'] },
    },
    message: { label: 'Message', preview: 'text', optional: true },
  },
  result: z.never().describe('None: no step runs after it.'),
  first: { status: 'success' },
  sample: { config: { status: 'error', message: 'There is nothing to do' } },
  summary: (config, { t }) =>
    config.status === 'error'
      ? t('error: {{message}}', { message: shown(config.message, '') })
      : shown(config.message, t('success')),
})
