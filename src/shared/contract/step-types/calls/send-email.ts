import { doc } from '../../base/doc.ts'
import { z } from 'zod'
import { json } from '../../base/common.ts'
import { template } from '../parts/fields.ts'
import { sender } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'

/** One address, several addresses separated by commas, or a list. */
const addresses = z.union([template, z.array(template).max(100)])

export const sendEmail = stepType({
  family: 'calls',
  label: 'Send email',
  purpose: 'Sends an email via SMTP',
  words: 'email smtp notify message',
  icon: 'mail',
  refId: 'mail',
  reaches: () => 'auth',
  config: z
    .strictObject({
      auth_id: template
        .nullable()
        .optional()
        .describe(
          'ID of the connector auth for the SMTP connector, with the server as `smtp://host:587` or `smtps://host:465`.',
        ),
      from: template
        .nullable()
        .optional()
        .describe('Sender address. Defaults to the username of the credentials.'),
      to: addresses.describe('Recipients: one address, several separated by commas, or a list.'),
      cc: addresses.nullable().optional().describe('Recipients of a copy, written like `to`.'),
      bcc: addresses.nullable().optional().describe('Recipients of a hidden copy, written like `to`.'),
      reply_to: template
        .nullable()
        .optional()
        .describe('Address that replies go to. Defaults to the sender.'),
      subject: template.default('').describe('Subject line of the email.'),
      text: template.default('').describe('Plain-text body. If empty, the email has only the `html` body.'),
      html: template
        .default('')
        .describe('HTML body, sent as an alternative to `text`. Leave empty for none.'),
      attachments: z
        .union([z.array(json).max(50), template])
        .default([])
        .describe(
          'Files to attach: `{"file_id": "…"}`, or `{"filename": "a.csv", "content": "…"}`. At most 50.',
        ),
    })
    .meta(
      doc('Sends an email through the SMTP connector.', {
        auth_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        to: 'ann@example.com',
        subject: 'Order {{ web1.order_id }}',
        text: 'A new order has arrived.',
      }),
    ),
  fields: {
    auth_id: { label: 'Connector auth', connector: 'smtp' },
    from: sender,
    to: {
      label: 'To',
      kind: 'template',
      hint: 'Enter a comma-separated list or a template that returns a list.',
      placeholder: '{{ web1.email }}',
    },
    cc: { label: 'Cc', kind: 'template', optional: true },
    bcc: { label: 'Bcc', kind: 'template', optional: true },
    reply_to: { label: 'Reply-To', optional: true },
    subject: { label: 'Subject', example: 'Order {{ web1.order_id }}' },
    text: { label: 'Text', rows: 6 },
    html: {
      label: 'HTML',
      rows: 3,
      optional: true,
      hint: 'Shown by email clients that display HTML.',
    },
    attachments: {
      label: 'Attachments',
      kind: 'json',
      orText: true,
      hint: 'A list with the file_id, or the filename and content, of each attachment, for example [{"filename": "report.csv", "content": "{{ csv }}"}]',
    },
  },
  result: z.object({ message_id: z.string() }).describe('An object with the `message_id`.'),
  sample: {
    config: {
      auth_id: '{{ web1.auth_id }}',
      to: '{{ web1.email }}',
      subject: 'Order {{ web1.order_id }}',
      text: 'Thank you for your order.',
    },
  },
  summary: (config, { t }) => t('to {{address}}', { address: shown(config.to, '…') }),
})
