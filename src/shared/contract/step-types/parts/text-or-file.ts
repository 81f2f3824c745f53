/** A string, or a file that was uploaded or came with a request. */
import { template } from './fields.ts'
import type { FieldFace } from './step-type.ts'
import { isEmpty } from './values.ts'

export const textOrFile = {
  text: template.optional().describe('The text to parse. Either this or `file_id`.'),
  file_id: template
    .nullable()
    .optional()
    .describe('ID of a file to parse, uploaded or received with a request. Either this or `text`.'),
}

export const textOrFileFields = {
  text: {
    label: 'Text',
    rows: 3,
    placeholder: '{{ download.body }}',
    when: ({ file_id: file }) => isEmpty(file),
  },
  file_id: {
    label: 'Or a file',
    optional: true,
    hint: 'The file_id of an uploaded file or of a file received with a request.',
    placeholder: '{{ web1.attachment.file_id }}',
    when: ({ text }) => isEmpty(text),
  },
} as const satisfies Readonly<Record<string, FieldFace<string>>>
