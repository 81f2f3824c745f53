import { Field } from '../../../components/field.tsx'
import { Select } from '../../../components/select.tsx'
import { TemplateField } from '../template-field.tsx'
import { asNumberOrTemplate, asTemplate } from './form-props.ts'
import type { StepFormProps } from './form-props.ts'

export function DelayForm({ step, config, onChange, errorOf }: StepFormProps) {
  const mode = config.until === undefined ? 'seconds' : 'until'
  return (
    <>
      <Field label="Wait" className="max-w-60">
        <Select
          value={mode}
          onChange={(next) =>
            onChange(
              next === 'seconds' ? { seconds: 1, until: undefined } : { until: '', seconds: undefined },
            )
          }
          options={[
            { value: 'seconds', label: 'For some seconds' },
            { value: 'until', label: 'Until a time' },
          ]}
        />
      </Field>
      {mode === 'seconds' ? (
        <TemplateField
          refId={step.ref_id}
          label="Seconds"
          error={errorOf('seconds')}
          placeholder="30"
          value={asTemplate(config.seconds)}
          onChange={(text) => onChange({ seconds: asNumberOrTemplate(text) })}
        />
      ) : (
        <TemplateField
          refId={step.ref_id}
          label="Until"
          hint="An ISO 8601 time with its zone."
          error={errorOf('until')}
          placeholder="2027-01-31T08:00:00Z"
          value={asTemplate(config.until)}
          onChange={(until) => onChange({ until })}
        />
      )}
    </>
  )
}
