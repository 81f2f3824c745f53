import { english, t } from '../../../../lib/i18n.ts'
import { FormControl } from '../../fields/form-of.tsx'
import { withOutcome } from '../../fields/step-outcome.tsx'
import type { StepFormProps } from '../../fields/form-props.ts'
import { CaseList } from './case-list.tsx'

/** The cases are in the list on the left with their steps; here are their labels. */
export const SwitchForm = withOutcome(function SwitchFields(props: StepFormProps) {
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
      <CaseList
        {...props}
        label={t('Cases')}
        add={t('Add case')}
        labelOf={(index) => t('Label of case {{index}}', { index })}
        removeOf={(index) => t('Remove case {{index}} with its steps', { index })}
        placeholder="paid"
        mono
      />
    </>
  )
})
