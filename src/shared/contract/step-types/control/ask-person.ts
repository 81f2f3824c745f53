import { say } from '../../base/message.ts'
import { z } from 'zod'
import { jsonObject } from '../../base/common.ts'
import { template, numeric } from '../parts/fields.ts'
import { formFields, pageLogo, pageLogoFaces } from '../parts/page-field.ts'
import { sender } from '../parts/faces.ts'
import { stepType, shown, type FieldProblem } from '../parts/step-type.ts'

/** The buttons are the labels of its `cases`, next to the steps. */
export const askPerson = stepType({
  family: 'control',
  label: 'Ask a person',
  purpose: 'Waits until somebody answers a question on a page',
  words: 'approve approval confirm wait human decision question reply link email button review sign off',
  icon: 'message-circle-question-mark',
  refId: 'approval',
  lists: ['cases', 'default'],
  callback: 'question',
  casesLabel: 'Buttons',
  reaches: ({ to }) => (to ? 'auth' : null),
  config: z
    .strictObject({
      question: template.describe('Heading of the page: `Pay invoice {{ web1.number }}?`'),
      details: template.default('').describe('Text below the heading. Line breaks are kept.'),
      ...pageLogo,
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
          'ID of a connector auth for the SMTP connector that sends the link by email. If null or absent, no email is sent; the link is in the run.',
        ),
      from: template
        .nullable()
        .optional()
        .describe('Sender address. Defaults to the username of the credentials.'),
      to: template
        .nullable()
        .optional()
        .describe('Recipients of the email: one address, or several separated by commas.'),
      subject: template.default('').describe('Subject line of the email. Leave empty for the question.'),
    })
    .meta({
      description:
        'Asks a person a question on a page, and waits for the answer. The labels of `cases` are the buttons; the steps of the chosen case run, or those in `default` if nobody answers in time.',
      examples: [{ question: 'Send the offer to {{ web1.company }}?', timeout_hours: 48 }],
    }),
  fields: {
    question: { label: 'Question', example: 'Pay invoice {{ web1.number }}?' },
    details: { label: 'Details', optional: true, rows: 3 },
    ...pageLogoFaces,
    fields: { label: 'Fields', plain: true },
    timeout_hours: {
      label: 'Wait for (hours)',
      hint: 'After that, the link expires and the steps under “otherwise” run.',
      placeholder: '168',
    },
    auth_id: { label: 'Connector auth', connector: 'smtp' },
    to: {
      label: 'To',
      optional: true,
      hint: 'Sends the link by email. If you leave it empty, the link is only in the run.',
      placeholder: 'ann@example.com',
    },
    from: sender,
    subject: { label: 'Subject', optional: true, hint: 'Leave empty to use the question.' },
  },
  result: z
    .object({
      choice: z.string().nullable(),
      fields: jsonObject,
      answered_at: z.string().nullable(),
      timed_out: z.boolean(),
    })
    .describe(
      'An object: `{{ approval.choice }}` (the label of the button; null if there is only one), `{{ approval.fields.note }}`, `{{ approval.answered_at }}` (null if nobody answered in time) and `{{ approval.timed_out }}`.',
    ),
  rules({ question, timeout_hours: hours, auth_id: authId, to }) {
    const problems: FieldProblem[] = []
    if (question.trim() === '') problems.push(['config.question', say('must not be empty')])
    if (typeof hours === 'number' && (hours <= 0 || hours > 8_784))
      problems.push([
        'config.timeout_hours',
        say('is {{value}}, but must be more than 0 and at most 8784', { value: hours }),
      ])
    if (authId && !to) problems.push(['config.to', say('is required to send the email')])
    return problems
  },
  caseRules: buttonProblems,
  sample: {
    config: { question: '{{ web1.subject }}', timeout_hours: 48 },
    cases: [
      { label: 'yes', steps: [] },
      { label: 'no', steps: [] },
    ],
  },
  summary: (config, { t }) => shown(config.question, t('no question yet')),
})

const MOST_BUTTONS = 20

function buttonProblems(cases: readonly { readonly label: string }[]): FieldProblem[] {
  const problems = cases.flatMap(({ label }, at): FieldProblem[] => {
    const field = `cases[${at}].label`
    if (label.trim() === '') return [[field, say('is empty; enter a label for the button')]]
    return cases.findIndex((one) => one.label === label) < at
      ? [[field, say('appears twice; each button needs a different label')]]
      : []
  })
  return cases.length > MOST_BUTTONS
    ? [...problems, ['cases', say('has more than {{most}} buttons', { most: MOST_BUTTONS })]]
    : problems
}
