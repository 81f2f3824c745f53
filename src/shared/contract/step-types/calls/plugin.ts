import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { pluginAuthFace, pluginFields } from '../parts/plugin.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const pluginStep = stepType({
  family: 'calls',
  label: 'Plug-in step',
  purpose: 'Runs a step that a plug-in adds',
  words: 'plugin plug-in extension addon custom community package',
  icon: 'puzzle',
  refId: 'plugin',
  config: z
    .strictObject({
      plugin: pluginFields.plugin,
      step: text(40).describe('Name of the step in the manifest of the plug-in.'),
      hash: pluginFields.hash,
      input: pluginFields.input,
      auth_id: pluginFields.auth_id,
    })
    .meta({
      description: 'Runs a step of a plug-in in a sandbox, which reaches only what the plug-in declares.',
      examples: [{ plugin: 'invoice_numbers', step: 'check', input: { number: '{{ web1.number }}' } }],
    }),
  fields: {
    plugin: { label: 'Plug-in', placeholder: 'invoice_numbers' },
    step: { label: 'Step', placeholder: 'check' },
    hash: { label: 'Hash', optional: true, when: () => false },
    input: { label: 'Input', noun: 'value' },
    auth_id: pluginAuthFace,
  },
  result: json.describe('What the step of the plug-in returns.'),
  sample: {
    config: { plugin: 'invoice_numbers', step: 'check', input: { number: '{{ web1.number }}' } },
  },
  summary: (config, { t }) => `${shown(config.plugin, t('choose a plug-in'))}: ${shown(config.step, '…')}`,
})
