import { Field } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { english, t } from '../../../../lib/i18n.ts'
import { withOutcome } from '../../fields/step-outcome.tsx'
import { TemplateField } from '../../fields/template-field.tsx'
import { asTemplate, orAbsent } from '../../fields/form-props.ts'
import type { StepFormProps } from '../../fields/form-props.ts'

const COMPARISONS = {
  equal: english('equals'),
  greater: english('is greater than'),
  greater_equal: english('is greater than or equal to'),
  smaller: english('is less than'),
  string_is: english('text equals'),
  string_begins: english('text starts with'),
  string_ends: english('text ends with'),
  string_includes: english('text contains'),
} as const
type Comparison = keyof typeof COMPARISONS

export const ConditionForm = withOutcome(function ConditionFields({
  step,
  config,
  onChange,
  errorOf,
}: StepFormProps) {
  const compares = config.comparison !== undefined
  return (
    <>
      <Field label={t('Mode')} className="max-w-60">
        <Select
          value={compares ? 'comparison' : 'expression'}
          onChange={(mode) =>
            onChange(
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
      {compares ? (
        <>
          <TemplateField
            refId={step.ref_id}
            label={t('Value')}
            error={errorOf('a')}
            placeholder="{{ web1.total }}"
            value={asTemplate(config.a)}
            onChange={(a) => onChange({ a })}
          />
          <Field label={t('Comparison')} error={errorOf('comparison')} className="max-w-60">
            <Select
              value={config.comparison as Comparison}
              onChange={(comparison) => onChange({ comparison })}
              options={(Object.keys(COMPARISONS) as Comparison[]).map((value) => ({
                value,
                label: t(COMPARISONS[value]),
              }))}
            />
          </Field>
          <TemplateField
            refId={step.ref_id}
            label={t('to')}
            error={errorOf('b')}
            placeholder="100"
            value={asTemplate(config.b)}
            onChange={(b) => onChange({ b })}
          />
        </>
      ) : (
        <TemplateField
          refId={step.ref_id}
          label={t('When')}
          expression
          rows={2}
          hint={t('Empty, false, 0, none and an empty list count as false, everything else as true.')}
          error={errorOf('when')}
          placeholder="web1.total > 100"
          value={asTemplate(config.when)}
          onChange={(when) => onChange({ when: orAbsent(when) })}
        />
      )}
    </>
  )
})
