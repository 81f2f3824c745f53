import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template, flag } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const csvWrite = stepType({
  family: 'files',
  label: 'Write CSV',
  purpose: 'Creates CSV from a list',
  words: 'csv spreadsheet excel export table',
  icon: 'file-spreadsheet',
  refId: 'csv',
  config: z
    .strictObject({
      rows: json.describe('The rows to write: a list of objects or of lists.'),
      delimiter: template.default(',').describe('Character between the values.'),
      columns: z
        .union([z.array(template).max(1_000), template])
        .nullable()
        .optional()
        .describe('Keys to write and their order. Defaults to all keys that occur.'),
      header: flag.default(true).describe('True writes the keys as the first row.'),
    })
    .meta(doc('Writes rows as CSV.', { rows: [{ name: 'Ann', total: 5 }], delimiter: ';' })),
  fields: {
    rows: {
      label: 'Rows',
      kind: 'template',
      hint: 'A list of objects or lists.',
      placeholder: '{{ orders }}',
    },
    columns: {
      label: 'Columns',
      orText: true,
      hint: 'A JSON list of the keys in order, for example ["id", "total"]. Leave empty for all keys.',
    },
    delimiter: { label: 'Separator', initial: ',', hint: 'One character, or tab for a tab.' },
    header: { label: 'First row contains column names' },
  },
  result: z.string().describe('The CSV as a string.'),
  sample: { config: { rows: '{{ web1.orders }}', columns: ['id', 'total'] } },
  summary: (config, { t }) => shown(config.rows, t('no rows yet')),
})
