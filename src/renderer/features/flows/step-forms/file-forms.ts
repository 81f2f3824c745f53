/** Forms of the steps that read and write files of the machine. */
import { formOf } from './form-of.tsx'
import type { FormField } from './form-of.tsx'

const path: FormField = {
  kind: 'template',
  name: 'path',
  label: 'Path',
  hint: 'In one of the folders that the settings allow; a relative path begins in the first of them.',
  placeholder: 'reports/{{ schedule.scheduled_at[:10] }}.csv',
}

const encoding: FormField = {
  kind: 'choice',
  name: 'encoding',
  label: 'Encoding',
  initial: 'utf-8',
  options: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16, little endian',
    latin1: 'Latin 1',
    base64: ['Base64', 'For what is no text'],
    hex: ['Hexadecimal', 'For what is no text'],
  },
}

export const FileReadForm = formOf([path, encoding])

export const FileWriteForm = formOf([
  path,
  {
    kind: 'template',
    name: 'content',
    label: 'Content',
    rows: 4,
    hint: 'What is no text is written as JSON.',
    placeholder: '{{ csv }}',
  },
  encoding,
  {
    kind: 'switch',
    name: 'append',
    label: 'Add to the file',
    hint: 'Otherwise the file is replaced.',
    initial: false,
  },
])
