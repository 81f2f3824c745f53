import { Plus, X } from 'lucide-react'
import { SMTP_CONNECTOR_ID } from '../../../../../shared/contract/connectors.ts'
import { Button, IconButton } from '../../../../components/controls/button.tsx'
import { Field, TextInput } from '../../../../components/controls/field.tsx'
import { plural } from '../../../../lib/format.ts'
import { english, t } from '../../../../lib/i18n.ts'
import { FormControl, type FormField } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { PageFields } from '../../fields/page-fields.tsx'

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
    hint: english('Then the link expires, and the steps under “otherwise” run.'),
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
      <Buttons {...props} />
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

function Buttons({ step, onStepChange, errorOf }: StepFormProps) {
  const cases = step.cases ?? []
  return (
    <Field
      label={t('Buttons')}
      hint={t('Each has steps of its own, which run if it is chosen. Without any, there is one to send.')}
      error={errorOf('cases')}
      aside={
        <Button
          look="quiet"
          icon={Plus}
          className="h-6"
          onClick={() => onStepChange({ cases: [...cases, { label: '', steps: [] }] })}
        >
          {t('Add button')}
        </Button>
      }
    >
      <div role="group" aria-label={t('Buttons')} className="flex max-w-xl flex-col gap-1">
        {cases.map(({ label, steps }, index) => (
          // Buttons are identified only by their position while their labels are typed.
          <div key={index} className="flex items-center gap-2">
            <TextInput
              id={undefined}
              value={label}
              placeholder={t('Approve')}
              aria-label={t('Label of button {{index}}', { index: index + 1 })}
              onChange={(text) =>
                onStepChange({
                  cases: cases.map((one, at) => (at === index ? { ...one, label: text } : one)),
                })
              }
            />
            <span className="w-20 shrink-0 text-sm text-muted">{plural(steps.length, 'step')}</span>
            <IconButton
              label={t('Remove button {{index}} with its steps', { index: index + 1 })}
              icon={X}
              onClick={() => onStepChange({ cases: cases.filter((_one, at) => at !== index) })}
            />
          </div>
        ))}
        {cases.length === 0 ? <p className="text-sm text-faint">{t('None')}</p> : null}
      </div>
    </Field>
  )
}
