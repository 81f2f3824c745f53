import { z } from 'zod'
import { json, jsonObject, text } from '../../base/common.ts'
import { firstOf, howMany } from '../parts/polling.ts'
import { stepType, shown } from '../parts/step-type.ts'

/** Words that a string must contain. */
const words = text(300).nullable().default(null)

export const imapTrigger = stepType({
  family: 'triggers',
  label: 'Emails in a mailbox',
  purpose: 'Starts the flow for every new email',
  words: 'imap every new email inbox receive incoming arrives attachment gmail outlook watch trigger',
  icon: 'inbox',
  refId: 'email',
  trigger: { starts: 'mail', polls: true, hint: 'If it is left empty, the newest email is used.' },
  reaches: () => 'auth',
  config: z
    .strictObject({
      auth_id: text(200).describe(
        'ID of a connector auth for the IMAP connector, with the server as `imaps://host:993` or `imap://host:143` and a password or a sign-in with OAuth.',
      ),
      mailbox: text(500).default('INBOX').describe('Name of the mailbox, such as `INBOX` or `Archive/2026`.'),
      from: words.describe('Only emails whose sender, name or address, contains this. Null means all.'),
      subject: words.describe('Only emails whose subject contains this. Null means all.'),
      unseen_only: z
        .boolean()
        .default(false)
        .describe('True leaves out emails that have already been read elsewhere.'),
      mark_seen: z
        .boolean()
        .default(false)
        .describe('True marks an email as read on the server once its run is stored.'),
      attachments: z
        .boolean()
        .default(true)
        .describe('True keeps attachments as files for as long as the run exists, at most 100 per email.'),
      every_minutes: z
        .number()
        .min(0.1)
        .max(1_440)
        .default(5)
        .describe(
          'Minutes between two checks of the mailbox, 0.1 to 1440. Between them, the server reports new emails (IDLE), if it can.',
        ),
      first: z
        .enum(['none', 'all', 'newest'])
        .default('none')
        .describe('Which emails found by the first check start runs: `none`, `all`, or the `newest` ones.'),
      newest: z
        .int()
        .min(1)
        .max(1_000)
        .default(1)
        .describe('For `first: newest`: how many emails, 1 to 1000.'),
    })
    .meta({
      description:
        'Starts the flow for every new email of a mailbox (IMAP), while it is active. Emails larger than 25 MiB start it with their headers only. Only triggers can be above it.',
      examples: [{ auth_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', subject: 'invoice' }],
    }),
  fields: {
    auth_id: { label: 'Connector auth', connector: 'imap', plain: true },
    mailbox: { label: 'Mailbox', optional: true, placeholder: 'INBOX' },
    from: { label: 'Sender contains', optional: true, placeholder: '@example.com' },
    subject: { label: 'Subject contains', optional: true, example: 'Invoice' },
    unseen_only: { label: 'Only unread emails' },
    mark_seen: { label: 'Mark as read' },
    attachments: { label: 'Keep attachments as files' },
    every_minutes: {
      label: 'Check every (minutes)',
      hint: 'In between, most servers report new emails at once.',
      placeholder: '5',
    },
    first: firstOf('All emails', 'The newest emails'),
    newest: howMany,
  },
  result: z
    .object({
      subject: z.string(),
      from: z.string(),
      from_name: z.string(),
      to: z.array(json),
      cc: z.array(json),
      reply_to: z.array(json),
      date: z.string(),
      received_at: z.string(),
      text: z.string(),
      html: z.string(),
      attachments: z.array(json),
      headers: jsonObject,
      message_id: z.string(),
      mailbox: z.string(),
      uid: z.int(),
      problem: z.string(),
    })
    .describe(
      'The email: `{{ email.subject }}`, `{{ email.from }}`, `{{ email.from_name }}`, `{{ email.to }}`, `{{ email.cc }}`, `{{ email.reply_to }}`, `{{ email.date }}`, `{{ email.received_at }}`, `{{ email.text }}`, `{{ email.html }}`, `{{ email.headers }}`, `{{ email.message_id }}`, `{{ email.mailbox }}`, `{{ email.uid }}`, `{{ email.attachments[0].file_id }}` with `filename`, `content_type` and `size`, and `{{ email.problem }}` if something could not be read. A manual run without input gets the newest email.',
    ),
  sample: {
    config: { auth_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', mailbox: 'INBOX', subject: 'invoice' },
  },
  summary: (config) => shown(config.mailbox, 'INBOX'),
})
