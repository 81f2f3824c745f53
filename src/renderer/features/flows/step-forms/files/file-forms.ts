/** Forms of the steps that read and write local files. */
import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'
import type { FormField } from '../../fields/form-of.tsx'

const path: FormField = {
  kind: 'template',
  name: 'path',
  label: english('Path'),
  hint: english(
    'In one of the folders that the settings allow; a relative path begins in the first of them.',
  ),
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
    base64: ['Base64', english('For what is no text')],
    hex: [english('Hexadecimal'), english('For what is no text')],
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
    hint: english('What is no text is written as JSON.'),
    placeholder: '{{ csv }}',
  },
  encoding,
  {
    kind: 'switch',
    name: 'append',
    label: english('Add to the file'),
    hint: english('Otherwise the file is replaced.'),
    initial: false,
  },
])
