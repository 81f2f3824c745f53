import { FOLDER_EVENTS } from '../../../../../shared/contract/step-configs/polled.ts'
import { Switch } from '../../../../components/controls/field.tsx'
import { type English, english, t } from '../../../../lib/i18n.ts'
import { FormControl, type FormField } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { firstCheck } from './polling-fields.tsx'
import { TriggerState } from './trigger-state.tsx'

const FIRST_FIELDS: readonly FormField[] = [
  {
    kind: 'text',
    name: 'path',
    label: english('Folder'),
    hint: english('In one of the allowed folders from the settings. Relative paths start in the first one.'),
    placeholder: 'inbox',
  },
  {
    kind: 'text',
    name: 'pattern',
    label: english('File names'),
    hint: english('Use * for any characters. Unfinished downloads and hidden files are ignored.'),
    optional: true,
    placeholder: '*.csv',
  },
  { kind: 'switch', name: 'subfolders', label: english('Include subfolders'), initial: false },
]

const MORE_FIELDS: readonly FormField[] = [
  {
    kind: 'number',
    name: 'settle_seconds',
    label: english('Complete after (seconds)'),
    hint: english('A file counts as complete once it hasn’t changed for this long.'),
    placeholder: '2',
  },
  { kind: 'number', name: 'every_minutes', label: english('Check every (minutes)'), placeholder: '5' },
  firstCheck(english('All files')),
]

const EVENTS: { readonly [E in (typeof FOLDER_EVENTS)[number]]: English } = {
  new: english('New files'),
  changed: english('Changed files'),
  gone: english('Removed files'),
}

export function FolderTriggerForm(props: StepFormProps) {
  const { config, onChange } = props
  const chosen: readonly unknown[] = Array.isArray(config.events) ? config.events : ['new']
  return (
    <>
      {FIRST_FIELDS.map((field) => (
        <FormControl key={field.name} field={field} {...props} />
      ))}
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 font-medium">{t('Start for')}</legend>
        {FOLDER_EVENTS.map((event) => (
          <Switch
            key={event}
            label={t(EVENTS[event])}
            checked={chosen.includes(event)}
            onChange={(on) =>
              onChange({ events: FOLDER_EVENTS.filter((one) => (one === event ? on : chosen.includes(one))) })
            }
          />
        ))}
        {props.errorOf('events') === undefined ? null : (
          <p role="alert" className="text-sm text-danger">
            {props.errorOf('events')}
          </p>
        )}
      </fieldset>
      {MORE_FIELDS.map((field) => (
        <FormControl key={field.name} field={field} {...props} />
      ))}
      <TriggerState />
    </>
  )
}
