import { z } from 'zod'
import { template } from '../parts/fields.ts'
import { stepType, shown } from '../parts/step-type.ts'

export const respond = stepType({
  family: 'control',
  label: 'Respond',
  purpose: 'Responds to the waiting caller now. The flow continues',
  words: 'response answer reply return',
  icon: 'reply',
  refId: 'respond',
  config: z
    .strictObject({
      status_code: z
        .union([z.int(), template])
        .default(200)
        .describe('HTTP status of the response, 200 to 999.'),
      body: template
        .default('')
        .describe("Response body. One that begins with `{` or `[` is JSON whose values can't break it."),
      headers: z.record(z.string(), template).default({}).describe('Response headers by name.'),
    })
    .meta({
      description: 'Responds to the waiting caller now. The flow continues.',
      examples: [{ status_code: 202, body: '{"accepted": true}' }],
    }),
  fields: {
    status_code: { label: 'Status code', placeholder: '200' },
    body: {
      label: 'Body',
      preview: 'body',
      rows: 5,
      hint: 'Sent as JSON if it starts with { or [. Inserted values are escaped.',
      placeholder: '{\n  "id": {{ web1.id }}\n}',
    },
    headers: { label: 'Headers', noun: 'header' },
  },
  result: z
    .object({ answered: z.boolean() })
    .describe('An object: `{{ reply.answered }}` is true if a caller was waiting.'),
  sample: { config: { status_code: 202, body: '{"accepted": true}' } },
  summary: (config, { t }) => t('responds with {{status}}', { status: shown(config.status_code, '200') }),
})
