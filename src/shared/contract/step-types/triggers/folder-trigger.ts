import { z } from 'zod'
import { text } from '../../base/common.ts'
import { firstCheck } from '../parts/polling.ts'
import { IN_FOLDER } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const FOLDER_EVENTS = ['new', 'changed', 'gone'] as const

export const folderTrigger = stepType({
  family: 'triggers',
  label: 'Files in a folder',
  purpose: 'Starts the flow for new, changed or removed files in a folder',
  words: 'new file every watch directory inbox download scan appears arrives added trigger',
  icon: 'folder-input',
  refId: 'found_file',
  trigger: { starts: 'folder', polls: true, hint: 'If it is left empty, the newest file is used.' },
  config: z
    .strictObject({
      path: text(2_000).describe(
        'Folder to look at, inside one of the folders that the settings allow. A relative path begins in the first of them.',
      ),
      events: z
        .array(z.enum(FOLDER_EVENTS))
        .min(1, 'needs at least one event')
        .max(FOLDER_EVENTS.length)
        .default(['new'])
        .describe('What starts runs: files that are `new`, `changed` (size or time), or `gone`.'),
      pattern: text(300)
        .default('*')
        .describe('Names of the files, with `*` for any characters: `*.csv`. In subfolders, `**/*.csv`.'),
      subfolders: z.boolean().default(false).describe('True includes subfolders.'),
      settle_seconds: z
        .number()
        .min(0)
        .max(3_600)
        .default(2)
        .describe(
          "A file counts as complete once its size and time haven't changed for this many seconds, up to an hour.",
        ),
      every_minutes: z
        .number()
        .min(0.1)
        .max(1_440)
        .default(5)
        .describe(
          'Minutes between two checks of the whole folder, 0.1 to 1440. Between them, the system reports changes, except on many network drives.',
        ),
      first: z
        .enum(['none', 'all'])
        .default('none')
        .describe('Whether files that exist at the first check start runs: `none` or `all`.'),
    })
    .meta({
      description:
        'Starts the flow for files of a folder on this computer, while it is active. Changes made while Millrace was off are found when it starts. Only triggers can be above it.',
      examples: [{ path: 'inbox', pattern: '*.csv' }],
    }),
  fields: {
    path: { label: 'Folder', hint: IN_FOLDER, placeholder: 'inbox' },
    pattern: {
      label: 'File names',
      hint: 'Use * for any characters. Unfinished downloads and hidden files are ignored.',
      optional: true,
      placeholder: '*.csv',
    },
    subfolders: { label: 'Include subfolders' },
    events: {
      label: 'Start for',
      options: { new: 'New files', changed: 'Changed files', gone: 'Removed files' },
    },
    settle_seconds: {
      label: 'Complete after (seconds)',
      hint: 'A file counts as complete once it hasn’t changed for this long.',
      placeholder: '2',
    },
    every_minutes: { label: 'Check every (minutes)', placeholder: '5' },
    first: firstCheck('All files'),
  },
  result: z
    .object({ event: z.string(), path: z.string(), name: z.string(), size: z.int(), modified_at: z.string() })
    .describe(
      'An object: `{{ file.event }}` (`new`, `changed`, `gone`), `{{ file.path }}`, `{{ file.name }}`, `{{ file.size }}` and `{{ file.modified_at }}`. A manual run without input gets the newest file.',
    ),
  sample: { config: { path: 'inbox', pattern: '*.csv' } },
  summary: (config, { t }) => `${shown(config.path, t('no path yet'))} ${shown(config.pattern, '*')}`,
})
