import { t } from '../../../lib/i18n.ts'
import { TemplateDictionary } from '../template-dictionary.tsx'
import { TemplateField } from '../fields/template-field.tsx'
import { asDictionary, asNumberOrTemplate, asTemplate } from '../fields/form-props.ts'
import type { StepFormProps } from '../fields/form-props.ts'

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
        hint={t('Begins with { or [: sent as JSON, and a value can never break it.')}
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
