/** Steps in which a person takes part, through a page in the browser. */
import { z } from 'zod'
import { text } from '../base/common.ts'
import { flag, numeric, template } from './fields.ts'

export const FORM_FIELD_KINDS = ['text', 'textarea', 'number', 'email', 'date', 'select', 'switch'] as const

/** A field of a page, written like those of an action's form. */
const formField = z.strictObject({
  name: z
    .string()
    .max(100)
    .regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'must begin with a letter, then letters, digits and _')
    .describe('Name by which templates read the value: `{{ form.name }}`.'),
  type: z
    .enum(FORM_FIELD_KINDS)
    .default('text')
    .describe(
      'The kind of field: `text`, `textarea` (several lines), `number`, `email`, `date`, `select` (one of `options`) or `switch` (true or false).',
    ),
  label: text(300).default('').describe('Label of the field. Empty: its name.'),
  help: text(1_000).default('').describe('Help shown below the label.'),
  required: flag
    .default(false)
    .describe('True if a value must be entered; a `switch` must then be turned on.'),
  options: z
    .array(text(200).min(1, 'must not be empty'))
    .max(200)
    .default([])
    .describe('Choices of a `select`, at most 200.'),
})
export type FormField = z.output<typeof formField>

const MOST_FIELDS = 50

export const formFields = z
  .array(formField)
  .max(MOST_FIELDS)
  .superRefine((fields, context) => {
    for (const [at, { name, type, options }] of fields.entries()) {
      if (fields.findIndex((field) => field.name === name) < at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: `"${name}" is there twice` })
      if (type === 'select' && options.length === 0)
        context.addIssue({ code: 'custom', path: [at, 'options'], message: 'needs at least one choice' })
    }
  })

export const formTrigger = z
  .strictObject({
    title: text(200).default('').describe('Heading of the page. Empty: the name of the flow.'),
    description: text(4_000).default('').describe('Text above the fields. Line breaks are kept.'),
    fields: formFields.default([]).describe('The fields, from top to bottom, at most 50.'),
    submit_label: text(60).default('').describe('Label of the button. Empty: `Send`.'),
    response: z
      .enum(['text', 'redirect', 'page'])
      .default('text')
      .describe(
        'What people see after sending: a `text` or a `redirect` as soon as the run is stored, or a `page` that is rendered after the last step.',
      ),
    response_text: text(4_000)
      .default('')
      .describe('For `text`: the text of that page. Empty: a short thank-you.'),
    redirect_url: text(2_000)
      .default('')
      .describe('For `redirect`: where the browser goes, beginning with `https://` or `http://`.'),
    response_body: template
      .default('')
      .describe(
        'For `page`: HTML that is rendered after the last step. Inserted values are escaped; scripts do not run. A `respond` step replaces it.',
      ),
  })
  .meta({
    description:
      "Shows a form at the flow's webhook URL and starts the flow each time it is filled in. First step only.",
    result:
      'An object with the values by field name: `{{ form.email }}`. Numbers are numbers, or null if left empty; a `switch` is true or false; everything else is a string.',
    examples: [
      {
        title: 'Report a fault',
        fields: [
          { name: 'email', type: 'email', label: 'Your email', required: true },
          { name: 'what', type: 'textarea', label: 'What happened?', required: true },
        ],
      },
    ],
  })

/** The buttons are the labels of its `cases`, next to the steps. */
export const askPerson = z
  .strictObject({
    question: template.describe('Heading of the page: `Pay invoice {{ web1.number }}?`'),
    details: template.default('').describe('Text below the heading. Line breaks are kept.'),
    fields: formFields
      .default([])
      .describe('Fields that the person can fill in, such as a note, at most 50.'),
    timeout_hours: numeric
      .default(168)
      .describe('Hours until the link expires, up to 8784 (a year). Then the steps in `default` run.'),
    auth_id: template
      .nullable()
      .optional()
      .describe(
        'ID of a connector auth of the connector SMTP that sends the link by email. Null or absent: no email; the link is in the run.',
      ),
    from: template
      .nullable()
      .optional()
      .describe('Sender address. Null or absent: the username of the credentials.'),
    to: template
      .nullable()
      .optional()
      .describe('Recipients of the email: one address, or several separated by commas.'),
    subject: template.default('').describe('Subject line of the email. Empty: the question.'),
  })
  .meta({
    description:
      'Asks a person a question on a page, and waits for the answer. The labels of `cases` are the buttons; the steps of the chosen case run, or those in `default` if nobody answers in time.',
    result:
      'An object: `{{ approval.choice }}` (the label of the button; null if there is only one), `{{ approval.fields.note }}`, `{{ approval.answered_at }}` and `{{ approval.timed_out }}`.',
    examples: [{ question: 'Send the offer to {{ web1.company }}?', timeout_hours: 48 }],
  })
