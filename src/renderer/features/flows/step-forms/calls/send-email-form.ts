import { SMTP_CONNECTOR_ID } from '../../../../../shared/contract/connectors.ts'
import { english } from '../../../../lib/i18n.ts'
import { formOf } from '../../fields/form-of.tsx'

export const SendEmailForm = formOf([
  { kind: 'auth', name: 'auth_id', label: english('Auth'), newFor: SMTP_CONNECTOR_ID },
  {
    kind: 'template',
    name: 'from',
    label: english('From'),
    optional: true,
    hint: english('Empty, the user name of the auth.'),
    placeholder: english('Millrace <me@example.com>'),
  },
  {
    kind: 'template',
    name: 'to',
    label: english('To'),
    hint: english('Several with commas between them, or a template that gives a list.'),
    placeholder: '{{ web1.email }}',
  },
  { kind: 'template', name: 'cc', label: english('Copy to'), optional: true },
  { kind: 'template', name: 'bcc', label: english('Hidden copy to'), optional: true },
  { kind: 'template', name: 'reply_to', label: english('Answers go to'), optional: true },
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
    hint: english('For programs that show it in place of the text.'),
  },
  {
    kind: 'json',
    name: 'attachments',
    label: english('Attachments'),
    orText: true,
    hint: english(
      'A list: of each its file_id, or its filename with its content. [{"filename": "report.csv", "content": "{{ csv }}"}]',
    ),
  },
])
