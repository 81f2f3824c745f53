import { z } from 'zod'
import { json } from '../../base/common.ts'
import { flag } from '../parts/fields.ts'
import { AS_JSON, pathField, encodingField, FILE_ENCODINGS, path } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const fileWrite = stepType({
  family: 'files',
  label: 'Write a file',
  purpose: 'Creates, overwrites or appends to a local file',
  words: 'file disk save append store',
  icon: 'file-output',
  refId: 'written',
  config: z
    .strictObject({
      path: path.describe(
        'File to write, inside a folder that the settings allow. A relative path starts in the first of them.',
      ),
      content: json.describe("What to write. Anything that isn't a string is written as JSON."),
      encoding: z
        .enum(FILE_ENCODINGS)
        .default('utf-8')
        .describe("How the content is turned into bytes. `base64` and `hex` are for files that aren't text."),
      append: flag.default(false).describe('True adds to an existing file. False replaces it.'),
    })
    .meta({
      description: 'Writes a file in one of the folders that the settings allow.',
      examples: [{ path: 'orders/today.json', content: '{{ web1 }}' }],
    }),
  fields: {
    path: pathField,
    content: { label: 'Content', kind: 'template', rows: 4, hint: AS_JSON, placeholder: '{{ csv }}' },
    encoding: encodingField,
    append: { label: 'Append to file', hint: 'If off, the file is overwritten.' },
  },
  result: z
    .object({ path: z.string(), size: z.int() })
    .describe('An object with the `path` and the `size` in bytes.'),
  sample: { config: { path: 'orders.log', content: '{{ web1.order_id }}\n', append: true } },
  summary: (config, { t }) => shown(config.path, t('no path yet')),
})
