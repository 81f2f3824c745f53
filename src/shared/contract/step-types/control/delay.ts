import { doc } from '../../base/doc.ts'
import { say } from '../../base/message.ts'
import { z } from 'zod'
import { template, numeric } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const delay = stepType({
  family: 'control',
  label: 'Delay',
  purpose: 'Waits for a number of seconds or until a point in time',
  words: 'wait sleep pause until later',
  icon: 'timer',
  refId: 'wait',
  config: z
    .strictObject({
      seconds: numeric.optional().describe('Seconds to wait, up to 366 days. Either this or `until`.'),
      until: template
        .optional()
        .describe('Time to wait for, in ISO 8601: `2027-01-31T09:00:00Z`. Either this or `seconds`.'),
    })
    .meta(doc('Waits for some time, or until a point in time.', { seconds: 0.1 })),
  fields: {
    seconds: { label: 'Seconds', placeholder: '30' },
    until: {
      label: 'Until',
      initial: '',
      hint: 'An ISO 8601 time with a time zone.',
      placeholder: '2027-01-31T08:00:00Z',
    },
  },
  result: z.object({ waited_seconds: z.number() }).describe('An object with `waited_seconds`.'),
  rules({ seconds, until }) {
    if ((seconds === undefined) === (until === undefined))
      return [['config', say('needs either "seconds" or "until"')]]
    return typeof seconds === 'number' && seconds < 0 ? [['config.seconds', say('must not be negative')]] : []
  },
  first: { seconds: 1 },
  sample: { config: { seconds: 30 } },
  summary: (config, { t }) =>
    config.until === undefined
      ? `${shown(config.seconds, '…')} s`
      : t('until {{moment}}', { moment: shown(config.until, '…') }),
})
