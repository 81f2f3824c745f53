import { doc } from '../../base/doc.ts'
import { say } from '../../base/message.ts'
import { z } from 'zod'
import { type Json, json, text } from '../../base/common.ts'
import { template } from '../parts/fields.ts'
import { formFields, pageLogo, pageLogoFaces } from '../parts/page-field.ts'
import { stepType, shown, type Config, type Page } from '../parts/step-type.ts'
import { objectOf, namedIn } from '../parts/values.ts'

const responds =
  (kind: string) =>
  ({ response = 'text' }: Config) =>
    response === kind

/** The schema of a field's value. */
function valueSchemaOf({ type, multiple }: Config): z.ZodType {
  if (type === 'number') return z.number()
  if (type === 'switch') return z.boolean()
  if (type !== 'file') return z.string()
  return multiple === true ? z.array(sentFile) : sentFile
}

const sentFile = z.object({
  filename: z.string(),
  content_type: z.string(),
  size: z.int(),
  file_id: z.string(),
})

export const formTrigger = stepType({
  family: 'triggers',
  label: 'Form',
  purpose: 'Starts the flow when somebody fills in a form on a web page',
  words: 'page survey contact request ask fields input person submit answer html trigger',
  icon: 'clipboard-list',
  refId: 'form',
  trigger: { starts: 'form', http: true, hint: 'Enter what a person would enter.', example: exampleOfForm },
  config: z
    .strictObject({
      title: text(200).default('').describe('Heading of the page. Leave empty for the name of the flow.'),
      description: text(4_000).default('').describe('Text above the fields. Line breaks are kept.'),
      ...pageLogo,
      fields: formFields.default([]).describe('The fields, from top to bottom, at most 50.'),
      submit_label: text(60).default('').describe('Label of the button. Leave empty for `Send`.'),
      response: z
        .enum(['text', 'redirect', 'page'])
        .default('text')
        .describe(
          'What people see after sending: a `text` or a `redirect` as soon as the run is stored, or a `page` that is rendered after the last step.',
        ),
      response_text: text(4_000)
        .default('')
        .describe('For `text`: the text of that page. Leave empty for a short thank-you.'),
      redirect_url: text(2_000)
        .default('')
        .describe('For `redirect`: where the browser goes, beginning with `https://` or `http://`.'),
      response_body: template
        .default('')
        .describe(
          'For `page`: HTML that is rendered after the last step. Inserted values are escaped; scripts do not run. A `respond` step replaces it.',
        ),
    })
    .meta(
      doc(
        "Shows a form at the flow's webhook URL and starts the flow each time it is filled in. Only triggers can be above it.",
        {
          title: 'Report a fault',
          fields: [
            { name: 'email', type: 'email', label: 'Your email', required: true },
            { name: 'what', type: 'textarea', label: 'What happened?', required: true },
          ],
        },
      ),
    ),
  fields: {
    title: {
      label: 'Heading',
      optional: true,
      hint: 'Leave empty to use the flow’s name.',
      example: 'Report a fault',
    },
    description: { label: 'Description', optional: true, rows: 3 },
    ...pageLogoFaces,
    fields: { label: 'Fields', plain: true },
    submit_label: { label: 'Button', optional: true, example: 'Send' },
    response: {
      label: 'After sending',
      options: {
        text: ['Text', 'At once, while the flow runs'],
        redirect: ['Another page', 'At once, while the flow runs'],
        page: ['Page of the flow', 'After the last step'],
      },
    },
    response_text: {
      label: 'Text after sending',
      optional: true,
      rows: 2,
      example: 'Your answers have been received.',
      when: responds('text'),
    },
    redirect_url: {
      label: 'Redirect to',
      placeholder: 'https://example.com/thanks',
      when: responds('redirect'),
    },
    response_body: {
      label: 'Page (HTML)',
      rows: 6,
      hint: 'A template that can use the results of all steps. Inserted values are escaped, and scripts don’t run.',
      placeholder: '<h1>{{ form.email }}</h1>',
      when: responds('page'),
    },
  },
  result: z
    .record(z.string(), json)
    .describe(
      'An object with the values by field name: `{{ form.email }}`. A number field is a number, or null if empty. A `switch` is true or false. A `file` is an object with `file_id` (`{{ form.photo.file_id }}`), `filename`, `content_type` and `size`, or null; if the field accepts several files, it is a list. Everything else is a string.',
    ),
  resultOf: ({ fields }) => objectOf(namedIn(fields), valueSchemaOf),
  rules({ response, redirect_url: url, response_body: body }) {
    if (response === 'redirect' && !isWebUrl(url))
      return [['config.redirect_url', say('must be a URL that begins with https:// or http://')]]
    return response === 'page' && body.trim() === ''
      ? [['config.response_body', say('is required if "response" is page')]]
      : []
  },
  sample: {
    config: {
      fields: [
        { name: 'email', type: 'email', required: true },
        { name: 'message', type: 'textarea', required: true },
      ],
    },
  },
  summary: (config, { plural }) =>
    shown(config.title, plural(Array.isArray(config.fields) ? config.fields.length : 0, 'field')),
})

const isWebUrl = (text: string) => z.url({ protocol: /^https?$/ }).safeParse(text).success

/** A value for each field, as the page would send it. */
function exampleOfForm({ fields }: Config, t: Page['t']): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    namedIn(fields).map(([name, field]) => [name, exampleValue(field) ?? t('example')]),
  )
}

const EXAMPLE_FILE = { filename: 'photo.jpg', content_type: 'image/jpeg', size: 48_000, file_id: '' }

/** An example value; null if any text is allowed. */
function exampleValue({ type, options, multiple }: Config): Json {
  switch (type) {
    case 'number':
      return 1
    case 'email':
      return 'ada@example.test'
    case 'date':
      return new Date().toISOString().slice(0, 10)
    case 'select':
      return Array.isArray(options) ? String(options[0] ?? '') : ''
    case 'switch':
      return true
    case 'file':
      return multiple === true ? [EXAMPLE_FILE] : EXAMPLE_FILE
    default:
      return null
  }
}
