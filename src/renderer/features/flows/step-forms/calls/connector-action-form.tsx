import { Field, Switch, TextInput } from '../../../../components/controls/field.tsx'
import { t } from '../../../../lib/i18n.ts'
import { readSchemaFields } from '../../../../lib/schema-fields.ts'
import { ActionChoice, ActionInput, useChosenAction } from '../../fields/action-fields.tsx'
import { AuthField } from '../../fields/auth-field.tsx'
import { asDictionary, asTemplate, type StepFormProps } from '../../fields/form-props.ts'
import { TemplateField } from '../../fields/template-field.tsx'
import { InDoubtField } from './in-doubt-field.tsx'

export function ConnectorActionForm({ step, config, onChange, errorOf }: StepFormProps) {
  const { connector, action } = useChosenAction(config)
  const connectorId = asTemplate(config.connector_id)
  return (
    <>
      <ActionChoice config={config} onChange={onChange} errorOf={errorOf} />
      <Auth step={step} connectorId={connectorId} config={config} onChange={onChange} errorOf={errorOf} />
      <ActionInput
        connector={connector}
        fields={readSchemaFields(action?.ui_form_schema)}
        refId={step.ref_id}
        value={asDictionary(config.input)}
        error={errorOf('input')}
        onChange={(input) => onChange({ input })}
      />
      {action?.supports_automatic_pagination === true || config.retrieve_all_data === true ? (
        <>
          <Switch
            label={t('Retrieve all data')}
            hint={t('Reads page after page and returns one flat list of records.')}
            checked={(config.retrieve_all_data ?? action?.supports_automatic_pagination) === true}
            onChange={(retrieve_all_data) => onChange({ retrieve_all_data })}
          />
          <Field
            label={t('Max pages')}
            optional
            hint={t('Stops after this many pages, with a warning.')}
            className="max-w-60"
            error={errorOf('max_pages')}
          >
            <TextInput
              inputMode="numeric"
              value={asTemplate(config.max_pages)}
              onChange={(text) =>
                onChange({ max_pages: /^\d+$/.test(text) ? Number(text) : text || undefined })
              }
            />
          </Field>
          <InDoubtField config={config} onChange={onChange} errorOf={errorOf} />
        </>
      ) : null}
    </>
  )
}

type AuthProps = Pick<StepFormProps, 'step' | 'config' | 'onChange' | 'errorOf'> & {
  readonly connectorId: string
}

/** One auth for every run, or one chosen by each run: how a flow serves many customers. */
function Auth({ step, connectorId, config, onChange, errorOf }: AuthProps) {
  const isDynamic = config.dynamic_auth_id !== undefined && config.dynamic_auth_id !== null
  return (
    <>
      {isDynamic ? (
        <TemplateField
          refId={step.ref_id}
          label={t('Connector auth ID')}
          hint={t(
            'A template that returns the ID of a connector auth, for example from the webhook’s query string.',
          )}
          error={errorOf('dynamic_auth_id')}
          placeholder="{{ web1.auth_id }}"
          value={asTemplate(config.dynamic_auth_id)}
          onChange={(dynamic_auth_id) => onChange({ dynamic_auth_id })}
        />
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
