import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { jsonObject } from '../../base/common.ts'
import { textOrFile, textOrFileFields } from '../parts/text-or-file.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const xmlParse = stepType({
  family: 'files',
  label: 'Read XML',
  purpose: 'Parses XML into an object',
  words: 'parse xml soap',
  icon: 'code-xml',
  refId: 'document',
  config: z
    .strictObject({ ...textOrFile })
    .meta(doc('Parses XML from a string or a file.', { text: '<order number="7"><line>tea</line></order>' })),
  fields: textOrFileFields,
  result: jsonObject.describe('An object with the root element as its key.'),
  sample: { config: { text: '{{ web1.xml }}' } },
  summary: (config, { t }) => shown(config.file_id ?? config.text, t('no text yet')),
})
