import { CodeXml, FileCode, FileSpreadsheet, Table } from 'lucide-react'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Faces of the steps that read and write texts and files. */
export const FILE_FACES = {
  csv_parse: {
    label: 'Read CSV',
    icon: Table,
    group: 'files',
    purpose: 'Makes a list of a CSV text or file',
    words: 'parse csv spreadsheet import',
    refId: 'rows',
    config: {},
    sample: { config: { text: '{{ web1.csv }}', delimiter: 'auto' } },
    summary: (config) => shown(config.file_id ?? config.text, 'no text yet'),
  },
  csv_write: {
    label: 'Write CSV',
    icon: FileSpreadsheet,
    group: 'files',
    purpose: 'Makes a CSV text of a list',
    words: 'csv spreadsheet export',
    refId: 'csv',
    config: {},
    sample: { config: { rows: '{{ web1.orders }}', columns: ['id', 'total'] } },
    summary: (config) => shown(config.rows, 'no rows yet'),
  },
  xml_parse: {
    label: 'Read XML',
    icon: CodeXml,
    group: 'files',
    purpose: 'Makes a dictionary of an XML text or file',
    words: 'parse xml soap',
    refId: 'document',
    config: {},
    sample: { config: { text: '{{ web1.xml }}' } },
    summary: (config) => shown(config.file_id ?? config.text, 'no text yet'),
  },
  xml_write: {
    label: 'Write XML',
    icon: FileCode,
    group: 'files',
    purpose: 'Makes an XML text of a dictionary',
    words: 'xml soap export',
    refId: 'xml',
    config: {},
    sample: { config: { value: { order: { '@id': '{{ web1.id }}', total: '{{ web1.total }}' } } } },
    summary: (config) => shown(config.value, 'no value yet'),
  },
} as const satisfies Readonly<Record<string, StepFace>>
