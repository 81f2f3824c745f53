/** Forms of the steps that read and write local files. */
import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'
import type { FormField } from '../../fields/form-of.tsx'

const path: FormField = {
  kind: 'template',
  name: 'path',
  label: english('Path'),
  hint: english('In one of the allowed folders from the settings. Relative paths start in the first one.'),
  placeholder: 'reports/{{ schedule.scheduled_at[:10] }}.csv',
}

const encoding: FormField = {
  kind: 'choice',
  name: 'encoding',
  label: english('Encoding'),
  initial: 'utf-8',
  options: {
    'utf-8': 'UTF-8',
    'utf-16le': english('UTF-16, little endian'),
    latin1: 'Latin 1',
    base64: ['Base64', english('For values that aren’t text')],
    hex: [english('Hexadecimal'), english('For values that aren’t text')],
  },
}

export const FileReadForm = formOf([path, encoding])

export const FileWriteForm = formOf([
  path,
  {
    kind: 'template',
    name: 'content',
    label: english('Content'),
    rows: 4,
    hint: english('Values that aren’t text are written as JSON.'),
    placeholder: '{{ csv }}',
  },
  encoding,
  {
    kind: 'switch',
    name: 'append',
    label: english('Append to file'),
    hint: english('If off, the file is overwritten.'),
    initial: false,
  },
])
