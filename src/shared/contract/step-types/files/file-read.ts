import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { pathField, encodingField, FILE_ENCODINGS, path } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const fileRead = stepType({
  family: 'files',
  label: 'Read a file',
  purpose: 'Reads a local file',
  words: 'file disk load open',
  icon: 'file-input',
  refId: 'file',
  config: z
    .strictObject({
      path: path.describe(
        'File to read, inside a folder that the settings allow. A relative path starts in the first of them.',
      ),
      encoding: z
        .enum(FILE_ENCODINGS)
        .default('utf-8')
        .describe("How to read the bytes. `base64` and `hex` are for files that aren't text."),
    })
    .meta(doc('Reads a file in one of the folders that the settings allow.', { path: 'orders/today.csv' })),
  fields: { path: pathField, encoding: encodingField },
  result: z.string().describe('The content as a string.'),
  sample: { config: { path: 'prices.csv' } },
  summary: (config, { t }) => shown(config.path, t('no path yet')),
})
