import { SMTP_CONNECTOR_ID } from '../../../../../shared/contract/connectors.ts'
import { english, t } from '../../../../lib/i18n.ts'
import { FormControl, type FormField } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { PageFields } from '../../fields/page-fields.tsx'
import { CaseList } from './case-list.tsx'

const QUESTION: readonly FormField[] = [
  {
    kind: 'template',
    name: 'question',
    label: english('Question'),
    placeholder: english('Pay invoice {{ web1.number }}?'),
  },
  { kind: 'template', name: 'details', label: english('Details'), optional: true, rows: 3 },
]

const WAY: readonly FormField[] = [
  {
    kind: 'template',
    name: 'timeout_hours',
    label: english('Wait for (hours)'),
    hint: english('After that, the link expires and the steps under “otherwise” run.'),
    number: true,
    placeholder: '168',
  },
  { kind: 'auth', name: 'auth_id', label: english('Connector auth'), newFor: SMTP_CONNECTOR_ID },
  {
    kind: 'template',
    name: 'to',
    label: english('To'),
    optional: true,
    hint: english('Sends the link by email. Without it, the link is in the run.'),
    placeholder: 'ann@example.com',
  },
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
    name: 'subject',
    label: english('Subject'),
    optional: true,
    hint: english('If empty, the question.'),
  },
]

/** The buttons are the cases in the list on the left, with their steps. */
export function AskPersonForm(props: StepFormProps) {
  const { step, config, onChange, errorOf } = props
  return (
    <>
      {QUESTION.map((field) => (
        <FormControl key={field.name} field={field} {...props} />
      ))}
      <CaseList
        {...props}
        label={t('Buttons')}
        hint={t(
          'Each button has its own steps, which run when it is pressed. Without buttons, the page has a single one to send the answer.',
        )}
        add={t('Add button')}
        labelOf={(index) => t('Label of button {{index}}', { index })}
        removeOf={(index) => t('Remove button {{index}} with its steps', { index })}
        placeholder={t('Approve')}
      />
      <PageFields
        label={t('Fields')}
        value={config.fields}
        place={`${step.ref_id}.fields.note`}
        error={errorOf('fields')}
        onChange={(fields) => onChange({ fields })}
      />
      {WAY.map((field) => (
        <FormControl key={field.name} field={field} {...props} />
      ))}
    </>
  )
}
