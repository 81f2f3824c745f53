/** Forms of the steps that read and write CSV and XML. */
import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'
import type { FormField } from '../../fields/form-of.tsx'

const source: readonly FormField[] = [
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
    hint: english('The file_id of a file that was uploaded or came with a request.'),
    placeholder: '{{ web1.attachment.file_id }}',
    when: (config) => config.text === undefined || config.text === '',
  },
]

const delimiter: FormField = {
  kind: 'template',
  name: 'delimiter',
  label: english('Between the values'),
  initial: ',',
  hint: english('One character; tab for a tab.'),
}

export const CsvParseForm = formOf([
  ...source,
  { ...delimiter, hint: english('One character; tab for a tab, auto to find it in the first line.') },
  {
    kind: 'switch',
    name: 'header',
    label: english('The first row names the columns'),
    hint: english('Each row is a dictionary then, else a list.'),
    initial: true,
  },
  {
    kind: 'template',
    name: 'encoding',
    label: english('Encoding of the file'),
    initial: 'utf-8',
    hint: english('Such as utf-8, windows-1252 or utf-16le.'),
    when: (config) => typeof config.file_id === 'string' && config.file_id !== '',
  },
])

export const CsvWriteForm = formOf([
  {
    kind: 'template',
    name: 'rows',
    label: english('Rows'),
    hint: english('A list of dictionaries, or of lists.'),
    placeholder: '{{ orders }}',
  },
  {
    kind: 'json',
    name: 'columns',
    label: english('Columns'),
    orText: true,
    hint: english('A JSON list of the keys in their order, ["id", "total"]. Empty, every key that occurs.'),
  },
  delimiter,
  { kind: 'switch', name: 'header', label: english('The first row names the columns'), initial: true },
])

export const XmlParseForm = formOf(source)

export const XmlWriteForm = formOf([
  {
    kind: 'json',
    name: 'value',
    label: english('Value'),
    orText: true,
    hint: english(
      'A dictionary with one key, the root. @name is an attribute, #text the text beside it, a list a repeated element.',
    ),
  },
  { kind: 'number', name: 'indent', label: english('Spaces a level'), optional: true, placeholder: '2' },
  { kind: 'switch', name: 'declaration', label: english('Begins with an XML declaration'), initial: true },
])
