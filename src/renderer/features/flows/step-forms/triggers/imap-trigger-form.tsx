import { IMAP_CONNECTOR_ID } from '../../../../../shared/contract/connectors.ts'
import { english } from '../../../../lib/i18n.ts'
import { FormControl, type FormField } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { firstCheckOf } from './polling-fields.tsx'
import { TriggerState } from './trigger-state.tsx'

const FIELDS: readonly FormField[] = [
  { kind: 'auth', name: 'auth_id', label: english('Connector auth'), newFor: IMAP_CONNECTOR_ID },
  {
    kind: 'text',
    name: 'mailbox',
    label: english('Mailbox'),
    optional: true,
    placeholder: 'INBOX',
  },
  {
    kind: 'text',
    name: 'from',
    label: english('Sender contains'),
    optional: true,
    placeholder: '@example.com',
  },
  {
    kind: 'text',
    name: 'subject',
    label: english('Subject contains'),
    optional: true,
    placeholder: english('Invoice'),
  },
  { kind: 'switch', name: 'unseen_only', label: english('Only unread emails'), initial: false },
  { kind: 'switch', name: 'mark_seen', label: english('Mark as read'), initial: false },
  { kind: 'switch', name: 'attachments', label: english('Keep attachments as files'), initial: true },
  {
    kind: 'number',
    name: 'every_minutes',
    label: english('Check every (minutes)'),
    hint: english('In between, most servers report new emails at once.'),
    placeholder: '5',
  },
  ...firstCheckOf(english('All emails'), english('The newest emails')),
]

export function ImapTriggerForm(props: StepFormProps) {
  return (
    <>
      {FIELDS.filter(({ when }) => when?.(props.config) !== false).map((field) => (
        <FormControl key={field.name} field={field} {...props} />
      ))}
      <TriggerState />
    </>
  )
}
