/** Forms of the steps that read and write CSV and XML. */
import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'
import type { FormField } from '../../fields/form-of.tsx'

/** A string, or a file that was uploaded or received. */
export const textOrFile: readonly FormField[] = [
  {
    kind: 'template',
    name: 'text',
    label: english('Text'),
    rows: 3,
    placeholder: '{{ download.body }}',
    when: (config) => config.file_id === undefined || config.file_id === null || config.file_id === '',
  },
  {
    kind: 'template',
    name: 'file_id',
    label: english('Or a file'),
    optional: true,
    hint: english('The file_id of an uploaded file or of a file received with a request.'),
    placeholder: '{{ web1.attachment.file_id }}',
    when: (config) => config.text === undefined || config.text === '',
  },
]

const delimiter: FormField = {
  kind: 'template',
  name: 'delimiter',
  label: english('Separator'),
  initial: ',',
  hint: english('One character, or tab for a tab.'),
}

export const CsvParseForm = formOf([
  ...textOrFile,
  { ...delimiter, hint: english('One character, tab for a tab, or auto to detect it from the first line.') },
  {
    kind: 'switch',
    name: 'header',
    label: english('First row contains column names'),
    hint: english('Each row is then an object, otherwise a list.'),
    initial: true,
  },
  {
    kind: 'template',
    name: 'encoding',
    label: english('File encoding'),
    initial: 'utf-8',
    hint: english('For example utf-8, windows-1252 or utf-16le.'),
    when: (config) => typeof config.file_id === 'string' && config.file_id !== '',
  },
])

export const CsvWriteForm = formOf([
  {
    kind: 'template',
    name: 'rows',
    label: english('Rows'),
    hint: english('A list of objects or lists.'),
    placeholder: '{{ orders }}',
  },
  {
    kind: 'json',
    name: 'columns',
    label: english('Columns'),
    orText: true,
    hint: english('A JSON list of the keys in order, for example ["id", "total"]. Leave empty for all keys.'),
  },
  delimiter,
  { kind: 'switch', name: 'header', label: english('First row contains column names'), initial: true },
])

export const XmlParseForm = formOf(textOrFile)

export const XmlWriteForm = formOf([
  {
    kind: 'json',
    name: 'value',
    label: english('Value'),
    orText: true,
    hint: english(
      'An object with one key, the root element. @name is an attribute, #text the text content, a list a repeated element.',
    ),
  },
  { kind: 'number', name: 'indent', label: english('Indent (spaces)'), optional: true, placeholder: '2' },
  { kind: 'switch', name: 'declaration', label: english('Start with an XML declaration'), initial: true },
])
