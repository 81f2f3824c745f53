import { Switch } from '../../../components/controls/field.tsx'
import { t, translateConnectorText } from '../../../lib/i18n.ts'
import { ActionChoice, ActionInput, useChosenAction } from '../fields/action-fields.tsx'
import { AuthField } from '../fields/auth-field.tsx'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import { asTemplate, type StepFormProps } from '../fields/form-props.ts'
import { ForEachSection } from './for-each-section.tsx'

export function ConnectorActionForm(props: StepFormProps) {
  const { step, config, onChange, onStepChange } = props
  const { action, actions, connector } = useChosenAction(config)
  const titleOf = (one = action) =>
    one === undefined ? '' : translateConnectorText(one.title, connector) || one.name
  /** A title that came from the action changes with it. */
  function chosen(patch: Readonly<Record<string, unknown>>) {
    if (step.title !== '' && step.title !== titleOf()) return onChange(patch)
    const next = Object.entries({ ...config, ...patch }).filter(([, value]) => value !== undefined)
    const named = actions.find(({ name }) => name === patch['action'])
    return onStepChange({
      title: named === undefined ? '' : titleOf(named),
      config: Object.fromEntries(next),
    })
  }
  const isPaged = action?.supports_automatic_pagination === true
  return (
    <>
      <ActionChoice {...props} onChange={chosen} />
      <Auth {...props} connectorId={asTemplate(config.connector_id)} />
      <ActionInput {...props} />
      {isPaged || config.retrieve_all_data === true ? (
        <>
          <Switch
            {...frameOf(props, 'retrieve_all_data')}
            checked={(config.retrieve_all_data ?? isPaged) === true}
            onChange={(retrieve_all_data) => onChange({ retrieve_all_data })}
          />
          <FormFields {...props} only={['max_pages', 'when_in_doubt']} />
        </>
      ) : null}
      <ForEachSection {...props} />
    </>
  )
}

/** One auth for every run, or one chosen by each run, which is how a flow serves many customers. */
function Auth({ connectorId, ...props }: StepFormProps & { readonly connectorId: string }) {
  const { step, config, onChange, errorOf } = props
  const isDynamic = config.dynamic_auth_id !== undefined && config.dynamic_auth_id !== null
  return (
    <>
      {isDynamic ? (
        <FormFields {...props} only={['dynamic_auth_id']} />
      ) : (
        <AuthField
          refId={step.ref_id}
          connectorId={connectorId}
          value={config.auth_id}
          error={errorOf('auth_id')}
          onChange={(auth_id) => onChange({ auth_id })}
        />
      )}
      <Switch
        label={t('Set connector auth per run')}
        checked={isDynamic}
        onChange={(dynamic) =>
          onChange(
            dynamic
              ? { dynamic_auth_id: '', auth_id: undefined }
              : { dynamic_auth_id: undefined, auth_id: null },
          )
        }
      />
    </>
  )
}
