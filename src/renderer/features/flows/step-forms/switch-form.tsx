import { t } from '../../../lib/i18n.ts'
import { FormFields } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'
import { CaseList } from './case-list.tsx'

/** The cases are in the list on the left with their steps; here are their labels. */
export function SwitchForm(props: StepFormProps) {
  return (
    <>
      <FormFields {...props} />
      <CaseList
        {...props}
        add={t('Add case')}
        labelOf={(index) => t('Label of case {{index}}', { index })}
        removeOf={(index) => t('Remove case {{index}} with its steps', { index })}
        placeholder="paid"
        mono
      />
    </>
  )
}

/** The names of the branches; their steps are in the list on the left. */
export function ParallelForm(props: StepFormProps) {
  return (
    <CaseList
      {...props}
      add={t('Add branch')}
      labelOf={(index) => t('Name of branch {{index}}', { index })}
      removeOf={(index) => t('Remove branch {{index}} with its steps', { index })}
      placeholder="orders"
      mono
    />
  )
}
