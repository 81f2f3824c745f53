/** Fields that several types share, and sentences that several fields share. */
import { template } from './fields.ts'
import type { FieldFace } from './step-type.ts'
import { isEmpty } from './values.ts'

type Face = FieldFace<string>

export const IN_FOLDER =
  'The file must be in one of the folders allowed in Settings. Relative paths start in the first one.'
export const AS_JSON = 'Values that aren’t text are written as JSON.'
export const NO_TEMPLATES = 'Templates aren’t allowed here. Write ? for each value, or $1 for PostgreSQL.'

export const FILE_ENCODINGS = ['utf-8', 'utf-16le', 'latin1', 'base64', 'hex'] as const

/** A path inside one of the folders that the settings allow. Relative paths are resolved against the first folder. */
export const path = template
export const pathField = {
  label: 'Path',
  hint: IN_FOLDER,
  placeholder: 'reports/{{ schedule.scheduled_at[:10] }}.csv',
} as const satisfies Face

export const encodingField = {
  label: 'Encoding',
  options: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16, little endian',
    latin1: 'Latin 1',
    base64: ['Base64', 'For values that aren’t text'],
    hex: ['Hexadecimal', 'For values that aren’t text'],
  },
} as const satisfies Face

/** The field for handling a list that may be incomplete. */
export const whenInDoubt = {
  label: 'When in doubt',
  hint: 'What to do if the list may be incomplete.',
  options: { '': 'Same as in Settings', warn: 'Return it with a warning', fail: 'Fail' },
} as const satisfies Face

export const concurrencyField = {
  label: 'At once',
  optional: true,
  option: true,
  placeholder: '1',
} as const satisfies Face

export const collect = {
  label: 'Collect',
  kind: 'template',
  optional: true,
  reads: 'item',
  hint: 'The value to collect from each iteration. By default, it is the result of its last step.',
} as const satisfies Face

export const sender = {
  label: 'From',
  optional: true,
  hint: 'Leave empty to use the username of the connector auth.',
  example: 'Millrace <me@example.com>',
} as const satisfies Face

export const list = (label: string) =>
  ({
    label,
    kind: 'template',
    hint: 'A list, for example {{ web1.items }}.',
    placeholder: '{{ contacts }}',
  }) as const satisfies Face

/** The fields that choose a database: a server, or a file. */
export const databaseFields = {
  auth_id: { label: 'Connector auth', connector: 'sql', when: ({ file }) => isEmpty(file) },
  file: {
    label: 'Or a SQLite file',
    optional: true,
    hint: IN_FOLDER,
    placeholder: 'shop.db',
    when: ({ auth_id: auth }) => isEmpty(auth),
  },
} as const satisfies Readonly<Record<string, Face>>
