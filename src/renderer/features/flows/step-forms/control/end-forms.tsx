import { Field } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { t } from '../../../../lib/i18n.ts'
import { asDictionary, asNumberOrTemplate, asTemplate, type StepFormProps } from '../../fields/form-props.ts'
import { TemplateDictionary, TemplateField } from '../../fields/template-field.tsx'

export function RespondForm({ step, config, onChange, errorOf }: StepFormProps) {
  return (
    <>
      <TemplateField
        refId={step.ref_id}
        label={t('Status code')}
        error={errorOf('status_code')}
        placeholder="200"
        value={asTemplate(config.status_code)}
        onChange={(text) => onChange({ status_code: asNumberOrTemplate(text) })}
      />
      <TemplateField
        refId={step.ref_id}
        label={t('Body')}
        kind="body"
        rows={5}
        hint={t('Sent as JSON if it starts with { or [. Inserted values are escaped.')}
        error={errorOf('body')}
        placeholder={'{\n  "id": {{ web1.id }}\n}'}
        value={asTemplate(config.body)}
        onChange={(body) => onChange({ body })}
      />
      <TemplateDictionary
        refId={step.ref_id}
        label={t('Headers')}
        noun={t('header')}
        error={errorOf('headers')}
        value={asDictionary(config.headers)}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  )
}

export function StopForm({ step, config, onChange, errorOf }: StepFormProps) {
  return (
    <>
      <Field label={t('End run with')} error={errorOf('status')} className="max-w-60">
        <Select
          value={config.status === 'error' ? 'error' : 'success'}
          onChange={(status) => onChange({ status })}
          options={[
            { value: 'success', label: t('Success') },
            { value: 'error', label: t('Error'), hint: t('A waiting webhook call gets 500') },
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
