import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template, flag } from '../parts/fields.ts'
import { textOrFile, textOrFileFields } from '../parts/text-or-file.ts'
import { stepType, shown } from '../parts/step-type.ts'
import { isEmpty } from '../parts/values.ts'

export const csvParse = stepType({
  family: 'files',
  label: 'Read CSV',
  purpose: 'Parses CSV into a list',
  words: 'parse csv spreadsheet excel import table',
  icon: 'table',
  refId: 'rows',
  config: z
    .strictObject({
      ...textOrFile,
      delimiter: template
        .default(',')
        .describe('Character between the values. `auto` finds it in the first line.'),
      header: flag
        .default(true)
        .describe(
          'If true, the first row contains the keys, and each row becomes an object. If false, each row becomes a list.',
        ),
      encoding: template
        .default('utf-8')
        .describe('Character encoding of the file, such as `utf-8` or `latin1`.'),
    })
    .meta(doc('Parses CSV from a string or a file.', { text: 'name,total\nAnn,5' })),
  fields: {
    ...textOrFileFields,
    delimiter: {
      label: 'Separator',
      initial: ',',
      hint: 'One character, tab for a tab, or auto to detect it from the first line.',
    },
    header: {
      label: 'First row contains column names',
      hint: 'If on, each row becomes an object, otherwise a list.',
    },
    encoding: {
      label: 'File encoding',
      initial: 'utf-8',
      hint: 'For example utf-8, windows-1252 or utf-16le.',
      when: ({ file_id }) => !isEmpty(file_id),
    },
  },
  result: z.array(json).describe('The list of rows.'),
  sample: { config: { text: '{{ web1.csv }}', delimiter: 'auto' } },
  summary: (config, { t }) => shown(config.file_id ?? config.text, t('no text yet')),
})
