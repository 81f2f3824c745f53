import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json } from '../../base/common.ts'
import { flag } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const xmlWrite = stepType({
  family: 'files',
  label: 'Write XML',
  purpose: 'Creates XML from an object',
  words: 'xml soap export',
  icon: 'file-code',
  refId: 'xml',
  config: z
    .strictObject({
      value: json.describe(
        'An object with one key, the root element. `@name` is an attribute, `#text` the text next to attributes.',
      ),
      indent: z
        .int()
        .min(0)
        .max(8)
        .default(2)
        .describe('Spaces per level, 0 to 8. 0 writes everything on one line.'),
      declaration: flag.default(true).describe('True begins with `<?xml version="1.0" encoding="UTF-8"?>`.'),
    })
    .meta(doc('Writes an object as XML.', { value: { order: { '@number': 7, line: 'tea' } } })),
  fields: {
    value: {
      label: 'Value',
      orText: true,
      hint: 'An object with one key, the root element. @name is an attribute, #text is the text content, and a list is a repeated element.',
    },
    indent: { label: 'Indent (spaces)', optional: true, placeholder: '2' },
    declaration: { label: 'Start with an XML declaration' },
  },
  result: z.string().describe('The XML as a string.'),
  sample: { config: { value: { order: { '@id': '{{ web1.id }}', total: '{{ web1.total }}' } } } },
  summary: (config, { t }) => shown(config.value, t('no value yet')),
})
