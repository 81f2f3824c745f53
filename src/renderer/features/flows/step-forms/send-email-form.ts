import { formOf } from './form-of.tsx'

export const SendEmailForm = formOf([
  { kind: 'auth', name: 'auth_id', label: 'Auth' },
  {
    kind: 'template',
    name: 'from',
    label: 'From',
    optional: true,
    hint: 'Empty, the user name of the auth.',
    placeholder: 'Millrace <me@example.com>',
  },
  {
    kind: 'template',
    name: 'to',
    label: 'To',
    hint: 'Several with commas between them, or a template that gives a list.',
    placeholder: '{{ web1.email }}',
  },
  { kind: 'template', name: 'cc', label: 'Copy to', optional: true },
  { kind: 'template', name: 'bcc', label: 'Hidden copy to', optional: true },
  { kind: 'template', name: 'reply_to', label: 'Answers go to', optional: true },
  { kind: 'template', name: 'subject', label: 'Subject', placeholder: 'Order {{ web1.order_id }}' },
  { kind: 'template', name: 'text', label: 'Text', rows: 6 },
  {
    kind: 'template',
    name: 'html',
    label: 'HTML',
    rows: 3,
    optional: true,
    hint: 'For programs that show it in place of the text.',
  },
  {
    kind: 'json',
    name: 'attachments',
    label: 'Attachments',
    orText: true,
    hint: 'A list: of each its file_id, or its filename with its content. [{"filename": "report.csv", "content": "{{ csv }}"}]',
  },
])
