import { FormFields, frameOf } from '../fields/form-fields.tsx'
import type { StepFormProps } from '../fields/form-props.ts'
import { PageFields } from '../fields/page-fields.tsx'
import { FormCard } from '../webhook/form-card.tsx'
import { LogoField } from './logo-field.tsx'

export function FormTriggerForm(props: StepFormProps) {
  const { step, config, onChange } = props
  return (
    <>
      <FormCard refId={step.ref_id} />
      <FormFields {...props} only={['title', 'description']} />
      <LogoField {...props} />
      <FormFields {...props} only={['logo_alt']} />
      <PageFields
        {...frameOf(props, 'fields')}
        value={config.fields}
        place={`${step.ref_id}.email`}
        onChange={(fields) => onChange({ fields })}
      />
      <FormFields
        {...props}
        only={['submit_label', 'response', 'response_text', 'redirect_url', 'response_body']}
      />
    </>
  )
}
