import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const SCRIPT_RUNTIMES = ['javascript', 'n8n'] as const

/** `source` is JavaScript, not a template. It reads the results of previous steps as `input` and returns its own. */
export const code = stepType({
  family: 'values',
  label: 'JavaScript',
  purpose: 'Runs code on the results so far, in a sandbox',
  words: 'code script function javascript',
  icon: 'braces',
  refId: 'code',
  config: z
    .strictObject({
      source: text(65_536).describe(
        "JavaScript that returns the step's result. It isn't a template; it reads the results of earlier steps as `input`.",
      ),
      runtime: z
        .enum(SCRIPT_RUNTIMES)
        .optional()
        .describe(
          "What the code can use: `javascript` (the default) is the language alone. `n8n` is for code from there and adds `DateTime`, `Duration` and `Interval` of Luxon, `Intl`, `$now`, `$today` and `$timezone('Europe/Berlin')`, which sets the time zone of dates.",
        ),
    })
    .meta({
      description: 'Runs JavaScript in a sandbox, without network or files.',
      examples: [{ source: 'return { total: input.web1 ? input.web1.price * 2 : 0 }' }],
    }),
  fields: {
    source: {
      label: 'JavaScript',
      kind: 'code',
      hint: 'input holds the results of earlier steps (input.web1.total). Return a value. Limits: 5 s, 64 MB, no network or files. Console output appears in the step’s log.',
    },
    runtime: {
      label: 'Runtime',
      initial: 'javascript',
      options: {
        javascript: 'JavaScript',
        n8n: ['n8n', 'Code from n8n, with n8n’s methods, Luxon’s dates and Intl'],
      },
    },
  },
  result: json.describe('What the code returns.'),
  first: { source: 'return Object.keys(input)' },
  sample: {
    config: { source: 'return input.web1.orders.map((order) => order.total * 1.19)' },
  },
  summary: (config, { t }) => shown(config.source, t('no code yet')).split('\n')[0] ?? '',
})
