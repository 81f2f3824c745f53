import { Field, TextArea, TextInput } from '../../../../components/controls/field.tsx'
import { english, t } from '../../../../lib/i18n.ts'
import { FormControl, type FormField } from '../../fields/form-of.tsx'
import { asTemplate, orAbsent, type StepFormProps } from '../../fields/form-props.ts'
import { PageFields } from '../../fields/page-fields.tsx'
import { FormCard } from '../../webhook/form-card.tsx'

export function FormTriggerForm(props: StepFormProps) {
  const { step, config, onChange, errorOf } = props
  return (
    <>
      <FormCard refId={step.ref_id} />
      <Field
        label={t('Heading')}
        optional
        hint={t('If empty, the name of the flow.')}
        error={errorOf('title')}
      >
        <TextInput
          value={asTemplate(config.title)}
          placeholder={t('Report a fault')}
          onChange={(text) => onChange({ title: orAbsent(text) })}
        />
      </Field>
      <Field label={t('Description')} optional error={errorOf('description')}>
        <TextArea
          rows={3}
          value={asTemplate(config.description)}
          onChange={(text) => onChange({ description: orAbsent(text) })}
        />
      </Field>
      <PageFields
        label={t('Fields')}
        value={config.fields}
        place={`${step.ref_id}.email`}
        error={errorOf('fields')}
        onChange={(fields) => onChange({ fields })}
      />
      <Field label={t('Button')} optional className="max-w-80" error={errorOf('submit_label')}>
        <TextInput
          value={asTemplate(config.submit_label)}
          placeholder={t('Send')}
          onChange={(text) => onChange({ submit_label: orAbsent(text) })}
        />
      </Field>
      <FormControl field={RESPONSE} {...props} />
      {responds('text')(config) ? (
        <Field label={t('Text after sending')} optional error={errorOf('response_text')}>
          <TextArea
            value={asTemplate(config.response_text)}
            placeholder={t('Your answers have been received.')}
            onChange={(text) => onChange({ response_text: orAbsent(text) })}
          />
        </Field>
      ) : null}
      {AFTER.filter(({ when }) => when?.(config) !== false).map((field) => (
        <FormControl key={field.name} field={field} {...props} />
      ))}
    </>
  )
}

const responds = (kind: string) => (config: Readonly<Record<string, unknown>>) =>
  (config['response'] ?? 'text') === kind

const RESPONSE: FormField = {
  kind: 'choice',
  name: 'response',
  label: english('After sending'),
  initial: 'text',
  options: {
    text: [english('Text'), english('At once, while the flow runs')],
    redirect: [english('Another page'), english('At once, while the flow runs')],
    page: [english('Page of the flow'), english('After the last step')],
  },
}

const AFTER: readonly FormField[] = [
  {
    kind: 'text',
    name: 'redirect_url',
    label: english('Redirect to'),
    placeholder: 'https://example.com/thanks',
    when: responds('redirect'),
  },
  {
    kind: 'template',
    name: 'response_body',
    label: english('Page (HTML)'),
    rows: 6,
    hint: english(
      'Template that can use the results of all steps. Inserted values are escaped; scripts don’t run.',
    ),
    placeholder: '<h1>{{ form.email }}</h1>',
    when: responds('page'),
  },
]
