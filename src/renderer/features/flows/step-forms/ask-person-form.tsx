import { t } from '../../../lib/i18n.ts'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'
import { PageFields } from '../fields/page-fields.tsx'
import { CaseList } from './case-list.tsx'
import { LogoField } from './logo-field.tsx'

/** The buttons are the cases in the list on the left, with their steps. */
export function AskPersonForm(props: StepFormProps) {
  const { step, config, onChange } = props
  return (
    <>
      <FormFields {...props} only={['question', 'details']} />
      <LogoField {...props} />
      <FormFields {...props} only={['logo_alt']} />
      <CaseList
        {...props}
        hint={t(
          'Each button has its own steps, which run when it is pressed. Without buttons, the page has a single button for sending the answer.',
        )}
        add={t('Add button')}
        labelOf={(index) => t('Label of button {{index}}', { index })}
        removeOf={(index) => t('Remove button {{index}} with its steps', { index })}
        placeholder={t('Approve')}
      />
      <PageFields
        {...frameOf(props, 'fields')}
        value={config.fields}
        place={`${step.ref_id}.fields.note`}
        onChange={(fields) => onChange({ fields })}
      />
      <FormFields {...props} only={['timeout_hours', 'auth_id', 'to', 'from', 'subject']} />
    </>
  )
}
