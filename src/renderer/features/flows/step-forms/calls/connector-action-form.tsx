import { useEffect } from 'react'
import type { Action, Connector } from '../../../../../shared/contract/connectors.ts'
import { Combo } from '../../../../components/controls/combo.tsx'
import { Field, Switch, TextInput } from '../../../../components/controls/field.tsx'
import { SchemaForm } from '../../../../components/schema-form/schema-form.tsx'
import { t, translateConnectorText } from '../../../../lib/i18n.ts'
import { readSchemaFields, type SchemaField } from '../../../../lib/schema-fields.ts'
import { AuthField } from '../../fields/auth-field.tsx'
import { asDictionary, asTemplate, type StepFormProps } from '../../fields/form-props.ts'
import { TemplateDictionary, TemplateField } from '../../fields/template-field.tsx'
import { useCatalogue } from '../../state/catalogue-store.ts'

export function ConnectorActionForm({ step, config, onChange, errorOf }: StepFormProps) {
  const connectors = useCatalogue((state) => state.connectors)
  const connectorChosen = useCatalogue((state) => state.connectorChosen)
  const connectorId = asTemplate(config.connector_id)
  const actions = useCatalogue((state) => state.actions[connectorId]) ?? NO_ACTIONS
  const connector = connectors.find(({ id }) => id === connectorId)
  const action = actions.find((one) => one.name === config.action)
  useEffect(() => {
    if (connectorId !== '') void connectorChosen(connectorId)
  }, [connectorId, connectorChosen])

  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t('Connector')} error={errorOf('connector_id')}>
          <Combo
            value={connectorId}
            placeholder={t('Choose a connector')}
            onChange={(connector_id) =>
              onChange({
                connector_id,
                action: undefined,
                auth_id: undefined,
                dynamic_auth_id: undefined,
              })
            }
            options={connectors.map((one) => ({
              value: one.id,
              label: one.name,
              hint: translateConnectorText(one.short_description, one),
            }))}
          />
        </Field>
        <Field label={t('Action')} error={errorOf('action')}>
          <Combo
            value={asTemplate(config.action)}
            placeholder={connectorId === '' ? t('Choose the connector first') : t('Choose an action')}
            disabled={connectorId === ''}
            onChange={(name) => onChange({ action: name })}
            options={actions.map(({ name, title, short_description: purpose }) => ({
              value: name,
              label: translateConnectorText(title, connector) || name,
              hint: translateConnectorText(purpose, connector),
            }))}
          />
        </Field>
      </div>
      {action === undefined ? null : (
        <p className="truncate font-mono text-sm text-muted">
          {action.method} {action.endpoint}
        </p>
      )}
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
        </>
      ) : null}
    </>
  )
}

const NO_ACTIONS: readonly Action[] = []

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

interface ActionInputProps {
  readonly connector: Connector | undefined
  readonly fields: readonly SchemaField[]
  readonly refId: string
  readonly value: Readonly<Record<string, unknown>>
  readonly error: string | undefined
  readonly onChange: (value: Record<string, unknown>) => void
}

/** The input of an action: its own form, in which each field can be a template, and anything else to be sent. */
function ActionInput({ connector, fields, refId, value, error, onChange }: ActionInputProps) {
  const named = new Set(fields.map(({ name }) => name))
  const pick = (isNamed: boolean) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => named.has(name) === isNamed))
  return (
    <>
      <SchemaForm
        connector={connector}
        fields={fields}
        values={pick(true)}
        onChange={(own) => onChange({ ...own, ...pick(false) })}
        renderTemplate={(control) => <TemplateField key={control.label} refId={refId} {...control} />}
      />
      <TemplateDictionary
        refId={refId}
        typed
        label={fields.length === 0 ? t('Input') : t('Other input')}
        noun={t('value')}
        error={error}
        value={pick(false)}
        onChange={(others) => onChange({ ...pick(true), ...others })}
      />
    </>
  )
}
