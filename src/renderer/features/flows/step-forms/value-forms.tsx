import { t } from '../../../lib/i18n.ts'
import { DictionaryOrTemplate } from '../fields/dictionary-or-template.tsx'
import type { StepFormProps } from '../fields/form-props.ts'

export function SetForm({ step, config, onChange, errorOf }: StepFormProps) {
  return (
    <DictionaryOrTemplate
      refId={step.ref_id}
      label={t('Values')}
      noun={t('value')}
      hint={t('A value that is one whole {{ expression }} keeps its type: a list stays a list.')}
      error={errorOf('values')}
      value={config.values}
      onChange={(values) => onChange({ values })}
    />
  )
}
