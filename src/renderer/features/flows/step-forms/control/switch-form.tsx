import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../../components/controls/button.tsx'
import { Field, TextInput } from '../../../../components/controls/field.tsx'
import { plural } from '../../../../lib/format.ts'
import { english, t } from '../../../../lib/i18n.ts'
import { FormControl } from '../../fields/form-of.tsx'
import { withOutcome } from '../../fields/step-outcome.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'

/** The cases are in the list on the left with their steps; here are their labels. */
export const SwitchForm = withOutcome(function SwitchFields(props: StepFormProps) {
  const { step, onStepChange, errorOf } = props
  const cases = step.cases ?? []
  return (
    <>
      <FormControl
        {...props}
        field={{
          kind: 'template',
          name: 'value',
          label: english('Value'),
          hint: english('Runs the first case whose label equals this value, or “otherwise” if none does.'),
          placeholder: '{{ web1.status }}',
        }}
      />
      <Field
        label={t('Cases')}
        error={errorOf('cases')}
        aside={
          <Button
            look="quiet"
            icon={Plus}
            className="h-6"
            onClick={() => onStepChange({ cases: [...cases, { label: '', steps: [] }] })}
          >
            {t('Add case')}
          </Button>
        }
      >
        <div role="group" aria-label={t('Cases')} className="flex max-w-xl flex-col gap-1">
          {cases.map(({ label, steps }, index) => (
            // Cases are identified only by their position while their labels are typed.
            <div key={index} className="flex items-center gap-2">
              <TextInput
                mono
                id={undefined}
                value={label}
                placeholder="paid"
                aria-label={t('Label of case {{index}}', { index: index + 1 })}
                onChange={(text) =>
                  onStepChange({
                    cases: cases.map((one, at) => (at === index ? { ...one, label: text } : one)),
                  })
                }
              />
              <span className="w-20 shrink-0 text-sm text-muted">{plural(steps.length, 'step')}</span>
              <IconButton
                label={t('Remove case {{index}} with its steps', { index: index + 1 })}
                icon={X}
                onClick={() => onStepChange({ cases: cases.filter((_one, at) => at !== index) })}
              />
            </div>
          ))}
          {cases.length === 0 ? <p className="text-sm text-faint">{t('None')}</p> : null}
        </div>
      </Field>
    </>
  )
})
