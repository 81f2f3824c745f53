import { Field } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { t } from '../../../lib/i18n.ts'
import { TemplateField } from '../fields/template-field.tsx'
import { asTemplate } from '../fields/form-props.ts'
import type { StepFormProps } from '../fields/form-props.ts'

export function StopForm({ step, config, onChange, errorOf }: StepFormProps) {
  return (
    <>
      <Field label={t('The run ends as')} error={errorOf('status')} className="max-w-60">
        <Select
          value={config.status === 'error' ? 'error' : 'success'}
          onChange={(status) => onChange({ status })}
          options={[
            { value: 'success', label: t('Success') },
            { value: 'error', label: t('Error'), hint: t('A waiting webhook is answered 500') },
          ]}
        />
      </Field>
      <TemplateField
        refId={step.ref_id}
        label={t('Message')}
        kind="text"
        optional
        error={errorOf('message')}
        value={asTemplate(config.message)}
        onChange={(message) => onChange({ message })}
      />
    </>
  )
}
