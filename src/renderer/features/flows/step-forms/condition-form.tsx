import { Field } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { t } from '../../../lib/i18n.ts'
import { FormFields } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'

export function ConditionForm(props: StepFormProps) {
  const compares = props.config.comparison !== undefined
  return (
    <>
      <Field label={t('Mode')} className="max-w-60">
        <Select
          value={compares ? 'comparison' : 'expression'}
          onChange={(mode) =>
            props.onChange(
              mode === 'comparison'
                ? { when: undefined, a: '', comparison: 'equal', b: '' }
                : { when: undefined, a: undefined, comparison: undefined, b: undefined },
            )
          }
          options={[
            { value: 'expression', label: t('Expression') },
            { value: 'comparison', label: t('Compare') },
          ]}
        />
      </Field>
      <FormFields {...props} only={compares ? ['a', 'comparison', 'b'] : ['when']} />
    </>
  )
}
