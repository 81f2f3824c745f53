import { Field } from '../../../components/field.tsx'
import { Select } from '../../../components/select.tsx'
import { TemplateField } from '../template-field.tsx'
import { asTemplate, orAbsent } from './form-props.ts'
import type { StepFormProps } from './form-props.ts'

const COMPARISONS = {
  equal: 'equals',
  greater: 'is greater than',
  greater_equal: 'is greater than or equals',
  smaller: 'is smaller than',
  string_is: 'as text is',
  string_begins: 'as text begins with',
  string_ends: 'as text ends with',
  string_includes: 'as text includes',
} as const
type Comparison = keyof typeof COMPARISONS

export function ConditionForm({ step, config, onChange, errorOf }: StepFormProps) {
  const compares = config.comparison !== undefined
  return (
    <>
      <Field label="Decide by" className="max-w-60">
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
            { value: 'expression', label: 'An expression' },
            { value: 'comparison', label: 'Comparing two values' },
          ]}
        />
      </Field>
      {compares ? (
        <>
          <TemplateField
            refId={step.ref_id}
            label="Value"
            error={errorOf('a')}
            placeholder="{{ web1.total }}"
            value={asTemplate(config.a)}
            onChange={(a) => onChange({ a })}
          />
          <Field label="Comparison" error={errorOf('comparison')} className="max-w-60">
            <Select
              value={config.comparison as Comparison}
              onChange={(comparison) => onChange({ comparison })}
              options={(Object.keys(COMPARISONS) as Comparison[]).map((value) => ({
                value,
                label: COMPARISONS[value],
              }))}
            />
          </Field>
          <TemplateField
            refId={step.ref_id}
            label="With"
            error={errorOf('b')}
            placeholder="100"
            value={asTemplate(config.b)}
            onChange={(b) => onChange({ b })}
          />
        </>
      ) : (
        <TemplateField
          refId={step.ref_id}
          label="When"
          expression
          rows={2}
          hint="Empty, false, 0, none and an empty list are false; everything else is true."
          error={errorOf('when')}
          placeholder="web1.total > 100"
          value={asTemplate(config.when)}
          onChange={(when) => onChange({ when: orAbsent(when) })}
        />
      )}
    </>
  )
}
