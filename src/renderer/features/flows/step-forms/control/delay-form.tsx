import { Field } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { t } from '../../../../lib/i18n.ts'
import { TemplateField } from '../../fields/template-field.tsx'
import { asNumberOrTemplate, asTemplate } from '../../fields/form-props.ts'
import type { StepFormProps } from '../../fields/form-props.ts'

export function DelayForm({ step, config, onChange, errorOf }: StepFormProps) {
  const mode = config.until === undefined ? 'seconds' : 'until'
  return (
    <>
      <Field label={t('Wait')} className="max-w-60">
        <Select
          value={mode}
          onChange={(next) =>
            onChange(
              next === 'seconds' ? { seconds: 1, until: undefined } : { until: '', seconds: undefined },
            )
          }
          options={[
            { value: 'seconds', label: t('For a number of seconds') },
            { value: 'until', label: t('Until a point in time') },
          ]}
        />
      </Field>
      {mode === 'seconds' ? (
        <TemplateField
          refId={step.ref_id}
          label={t('Seconds')}
          error={errorOf('seconds')}
          placeholder="30"
          value={asTemplate(config.seconds)}
          onChange={(text) => onChange({ seconds: asNumberOrTemplate(text) })}
        />
      ) : (
        <TemplateField
          refId={step.ref_id}
          label={t('Until')}
          hint={t('An ISO 8601 time with a time zone.')}
          error={errorOf('until')}
          placeholder="2027-01-31T08:00:00Z"
          value={asTemplate(config.until)}
          onChange={(until) => onChange({ until })}
        />
      )}
    </>
  )
}
