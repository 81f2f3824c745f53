import { DictionaryOrTemplate } from './dictionary-or-template.tsx'
import type { StepFormProps } from './form-props.ts'

export function SetForm({ step, config, onChange, errorOf }: StepFormProps) {
  return (
    <DictionaryOrTemplate
      refId={step.ref_id}
      label="Values"
      noun="value"
      hint="A value that is one whole {{ expression }} keeps its type: a list stays a list."
      error={errorOf('values')}
      value={config.values}
      onChange={(values) => onChange({ values })}
    />
  )
}
