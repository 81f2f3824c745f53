import { CodeXml, FileCode, FileInput, FileOutput, FileSpreadsheet, Table } from 'lucide-react'
import { english, t } from '../../../lib/i18n.ts'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Steps that read and write text and files. */
export const FILE_FACES = {
  csv_parse: {
    label: english('Read CSV'),
    icon: Table,
    group: 'files',
    purpose: english('Parses CSV into a list'),
    words: 'parse csv spreadsheet import',
    refId: 'rows',
    config: {},
    sample: { config: { text: '{{ web1.csv }}', delimiter: 'auto' } },
    summary: (config) => shown(config.file_id ?? config.text, t('no text yet')),
  },
  csv_write: {
    label: english('Write CSV'),
    icon: FileSpreadsheet,
    group: 'files',
    purpose: english('Creates CSV from a list'),
    words: 'csv spreadsheet export',
    refId: 'csv',
    config: {},
    sample: { config: { rows: '{{ web1.orders }}', columns: ['id', 'total'] } },
    summary: (config) => shown(config.rows, t('no rows yet')),
  },
  xml_parse: {
    label: english('Read XML'),
    icon: CodeXml,
    group: 'files',
    purpose: english('Parses XML into an object'),
    words: 'parse xml soap',
    refId: 'document',
    config: {},
    sample: { config: { text: '{{ web1.xml }}' } },
    summary: (config) => shown(config.file_id ?? config.text, t('no text yet')),
  },
  xml_write: {
    label: english('Write XML'),
    icon: FileCode,
    group: 'files',
    purpose: english('Creates XML from an object'),
    words: 'xml soap export',
    refId: 'xml',
    config: {},
    sample: { config: { value: { order: { '@id': '{{ web1.id }}', total: '{{ web1.total }}' } } } },
    summary: (config) => shown(config.value, t('no value yet')),
  },
  file_read: {
    label: english('Read a file'),
    icon: FileInput,
    group: 'files',
    purpose: english('Reads a local file'),
    words: 'disk load open',
    refId: 'file',
    config: {},
    sample: { config: { path: 'prices.csv' } },
    summary: (config) => shown(config.path, t('no path yet')),
  },
  file_write: {
    label: english('Write a file'),
    icon: FileOutput,
    group: 'files',
    purpose: english('Creates, overwrites or appends to a local file'),
    words: 'disk save append',
    refId: 'written',
    config: {},
    sample: { config: { path: 'orders.log', content: '{{ web1.order_id }}\n', append: true } },
    summary: (config) => shown(config.path, t('no path yet')),
  },
} as const satisfies Readonly<Record<string, StepFace>>
