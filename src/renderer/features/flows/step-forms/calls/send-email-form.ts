import { SMTP_CONNECTOR_ID } from '../../../../../shared/contract/connectors.ts'
import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'

export const SendEmailForm = formOf([
  { kind: 'auth', name: 'auth_id', label: english('Connector auth'), newFor: SMTP_CONNECTOR_ID },
  {
    kind: 'template',
    name: 'from',
    label: english('From'),
    optional: true,
    hint: english('Leave empty to use the username of the connector auth.'),
    placeholder: english('Millrace <me@example.com>'),
  },
  {
    kind: 'template',
    name: 'to',
    label: english('To'),
    hint: english('Comma-separated, or a template that returns a list.'),
    placeholder: '{{ web1.email }}',
  },
  { kind: 'template', name: 'cc', label: english('Cc'), optional: true },
  { kind: 'template', name: 'bcc', label: english('Bcc'), optional: true },
  { kind: 'template', name: 'reply_to', label: english('Reply-To'), optional: true },
  {
    kind: 'template',
    name: 'subject',
    label: english('Subject'),
    placeholder: english('Order {{ web1.order_id }}'),
  },
  { kind: 'template', name: 'text', label: english('Text'), rows: 6 },
  {
    kind: 'template',
    name: 'html',
    label: english('HTML'),
    rows: 3,
    optional: true,
    hint: english('For email clients that show HTML instead of text.'),
  },
  {
    kind: 'json',
    name: 'attachments',
    label: english('Attachments'),
    orText: true,
    hint: english(
      'A list with the file_id, or the filename and content, of each attachment. For example [{"filename": "report.csv", "content": "{{ csv }}"}]',
    ),
  },
])
