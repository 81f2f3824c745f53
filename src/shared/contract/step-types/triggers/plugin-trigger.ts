import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { pluginAuthFace, pluginFields } from '../parts/plugin.ts'
import { everyMinutes, polling, pollingFields } from '../parts/polling.ts'
import { shown, stepType } from '../parts/step-type.ts'

export const pluginTrigger = stepType({
  family: 'triggers',
  label: 'Plug-in trigger',
  purpose: 'Starts the flow for new items that a plug-in finds',
  words: 'plugin plug-in extension poll watch new item trigger custom',
  icon: 'puzzle',
  refId: 'found',
  trigger: { starts: 'list', polls: true, hint: 'If it is left empty, the newest item is used.' },
  config: z
    .strictObject({
      plugin: pluginFields.plugin,
      trigger: text(40).describe('Name of the trigger in the manifest of the plug-in.'),
      hash: pluginFields.hash,
      input: pluginFields.input,
      auth_id: pluginFields.auth_id,
      ...polling,
    })
    .meta(
      doc(
        'Starts the flow for new items that a plug-in finds, while it is active. The plug-in runs in a sandbox. Only triggers can be above it.',
        { plugin: 'repository_watch', trigger: 'new_releases', input: { repository: 'ada/engine' } },
      ),
    ),
  fields: {
    plugin: { label: 'Plug-in', placeholder: 'repository_watch' },
    trigger: { label: 'Trigger', placeholder: 'new_releases' },
    hash: { label: 'Hash', optional: true, when: () => false },
    input: { label: 'Input', noun: 'value', reads: 'since' },
    auth_id: pluginAuthFace,
    every_minutes: everyMinutes,
    key: {
      label: 'Key',
      hint: 'The field that identifies an item, such as id. If empty, an item that changes counts as new.',
      optional: true,
      placeholder: 'id',
    },
    cursor_field: {
      label: 'Cursor field',
      hint: 'A field whose value only increases, such as updated_at. Items below the highest value are old.',
      optional: true,
      placeholder: 'updated_at',
    },
    ...pollingFields,
  },
  result: json.describe(
    'The item: `{{ found.title }}`. With `runs: together`, an object with the list `entries`, oldest first. A manual run without input gets the newest item.',
  ),
  sample: {
    config: {
      plugin: 'repository_watch',
      trigger: 'new_releases',
      input: { repository: 'ada/engine' },
      key: 'id',
    },
  },
  summary: (config, { t }) =>
    t('{{what}}, every {{minutes}} minutes', {
      what: `${shown(config.plugin, t('choose a plug-in'))}: ${shown(config.trigger, '…')}`,
      minutes: shown(config.every_minutes, '15'),
    }),
})
