import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { jsonObject } from '../../base/common.ts'
import { dictionary } from '../parts/fields.ts'
import { stepType } from '../parts/step-type.ts'
import { objectOf, asObject } from '../parts/values.ts'

export const set = stepType({
  family: 'values',
  label: 'Set values',
  purpose: 'Sets named values',
  words: 'assign variable map rename fields',
  icon: 'equal',
  refId: 'values',
  config: z
    .strictObject({
      values: dictionary
        .default({})
        .describe(
          'Values by name, read later as `{{ ref_id.name }}`. Strings are templates; a template that returns an object works too.',
        ),
    })
    .meta(
      doc('Sets values under names of your choice.', { values: { total: '{{ 3 * 4 }}', currency: 'EUR' } }),
    ),
  fields: {
    values: {
      label: 'Values',
      noun: 'value',
      hint: 'A value that is a single {{ expression }} keeps its type, so a list stays a list.',
    },
  },
  result: jsonObject.describe('An object with the values: `{{ price.total }}`.'),
  resultOf: ({ values }) => objectOf(Object.entries(asObject(values))),
  first: { values: {} },
  sample: { config: { values: { total: '{{ web1.price * web1.quantity }}' } } },
  summary: (config, { t }) =>
    typeof config.values === 'string'
      ? config.values
      : Object.keys(config.values ?? {}).join(', ') || t('no values yet'),
})
