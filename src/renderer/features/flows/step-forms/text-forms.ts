/** Forms of the steps that read and write CSV and XML. */
import { formOf } from './form-of.tsx'
import type { FormField } from './form-of.tsx'

const source: readonly FormField[] = [
  {
    kind: 'template',
    name: 'text',
    label: 'Text',
    rows: 3,
    placeholder: '{{ download.body }}',
    when: (config) => config.file_id === undefined || config.file_id === null || config.file_id === '',
  },
  {
    kind: 'template',
    name: 'file_id',
    label: 'Or a file',
    optional: true,
    hint: 'The file_id of a file that was uploaded or came with a request.',
    placeholder: '{{ web1.attachment.file_id }}',
    when: (config) => config.text === undefined || config.text === '',
  },
]

const delimiter: FormField = {
  kind: 'template',
  name: 'delimiter',
  label: 'Between the values',
  initial: ',',
  hint: 'One character; tab for a tab.',
}

export const CsvParseForm = formOf([
  ...source,
  { ...delimiter, hint: 'One character; tab for a tab, auto to find it in the first line.' },
  {
    kind: 'switch',
    name: 'header',
    label: 'The first row names the columns',
    hint: 'Each row is a dictionary then, else a list.',
    initial: true,
  },
  {
    kind: 'template',
    name: 'encoding',
    label: 'Encoding of the file',
    initial: 'utf-8',
    hint: 'Such as utf-8, windows-1252 or utf-16le.',
    when: (config) => typeof config.file_id === 'string' && config.file_id !== '',
  },
])

export const CsvWriteForm = formOf([
  {
    kind: 'template',
    name: 'rows',
    label: 'Rows',
    hint: 'A list of dictionaries, or of lists.',
    placeholder: '{{ orders }}',
  },
  {
    kind: 'json',
    name: 'columns',
    label: 'Columns',
    orText: true,
    hint: 'A JSON list of the keys in their order, ["id", "total"]. Empty, every key that occurs.',
  },
  delimiter,
  { kind: 'switch', name: 'header', label: 'The first row names the columns', initial: true },
])

export const XmlParseForm = formOf(source)

export const XmlWriteForm = formOf([
  {
    kind: 'json',
    name: 'value',
    label: 'Value',
    orText: true,
    hint: 'A dictionary with one key, the root. @name is an attribute, #text the text beside it, a list a repeated element.',
  },
  { kind: 'number', name: 'indent', label: 'Spaces a level', optional: true, placeholder: '2' },
  { kind: 'switch', name: 'declaration', label: 'Begins with an XML declaration', initial: true },
])
