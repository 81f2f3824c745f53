import { english, t } from '../../../../lib/i18n.ts'
import { DictionaryOrTemplate } from '../../fields/dictionary-or-template.tsx'
import { formOf } from '../../fields/form-of.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'

export function SetForm({ step, config, onChange, errorOf }: StepFormProps) {
  return (
    <DictionaryOrTemplate
      refId={step.ref_id}
      label={t('Values')}
      noun={t('value')}
      hint={t('A value that is a single {{ expression }} keeps its type: a list stays a list.')}
      error={errorOf('values')}
      value={config.values}
      onChange={(values) => onChange({ values })}
    />
  )
}

export const CodeForm = formOf([
  {
    kind: 'code',
    name: 'source',
    label: english('JavaScript'),
    hint: english(
      'input holds the results of earlier steps (input.web1.total). Return a value. Limits: 5 s, 64 MB, no network or files. Console output appears in the step’s log.',
    ),
  },
])
