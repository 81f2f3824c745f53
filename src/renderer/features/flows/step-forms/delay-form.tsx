import { Field } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { t } from '../../../lib/i18n.ts'
import { FormFields } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'

export function DelayForm(props: StepFormProps) {
  const mode = props.config.until === undefined ? 'seconds' : 'until'
  return (
    <>
      <Field label={t('Wait')} className="max-w-60">
        <Select
          value={mode}
          onChange={(next) =>
            props.onChange(
              next === 'seconds' ? { seconds: 1, until: undefined } : { until: '', seconds: undefined },
            )
          }
          options={[
            { value: 'seconds', label: t('For a number of seconds') },
            { value: 'until', label: t('Until a point in time') },
          ]}
        />
      </Field>
      <FormFields {...props} only={[mode]} />
    </>
  )
}
