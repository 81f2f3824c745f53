import { ActionChoice, ActionInput, useChosenAction } from '../fields/action-fields.tsx'
import { AuthField } from '../fields/auth-field.tsx'
import { FormFields } from '../fields/form-fields.tsx'
import { asTemplate, type StepFormProps } from '../fields/form-props.ts'

const POLLING = ['every_minutes', 'key', 'cursor_field', 'look_back', 'first', 'newest', 'runs']

export function ListTriggerForm(props: StepFormProps) {
  const { step, config, onChange, errorOf } = props
  const { action } = useChosenAction(config)
  const auth = {
    refId: step.ref_id,
    value: config.auth_id,
    error: errorOf('auth_id'),
    onChange: (auth_id: string | null) => onChange({ auth_id }),
  }
  if (config.source === 'feed')
    return (
      <>
        <FormFields {...props} only={['source', 'url']} />
        <AuthField {...auth} address={asTemplate(config.url)} />
        <FormFields {...props} only={POLLING} />
      </>
    )
  const isPaged = action?.supports_automatic_pagination === true
  return (
    <>
      <FormFields {...props} only={['source']} />
      <ActionChoice {...props} />
      <AuthField {...auth} connectorId={asTemplate(config.connector_id)} />
      <ActionInput {...props} />
      {action === undefined ? null : (
        <FormFields {...props} only={isPaged ? ['max_pages', 'when_in_doubt'] : ['records']} />
      )}
      <FormFields {...props} only={POLLING} />
    </>
  )
}
