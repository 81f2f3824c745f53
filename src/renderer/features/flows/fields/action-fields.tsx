import { useRef } from 'react'
import { actionsOf, CONNECTORS } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { ChangeAuth } from '../../../components/auths/way-out.tsx'
import { Combo } from '../../../components/controls/combo.tsx'
import { Field } from '../../../components/controls/field.tsx'
import {
  type ChosenNames,
  type LookupPlace,
  LookupPlaceProvider,
} from '../../../components/schema-form/lookup-place.ts'
import { SchemaForm } from '../../../components/schema-form/schema-form.tsx'
import { t, translateConnectorText } from '../../../lib/i18n.ts'
import { readSchemaFields } from '../../../lib/schema-fields.ts'
import { asDictionary, asTemplate, type StepFormProps } from './form-props.ts'
import { TemplateDictionary, TemplateField } from './template-field.tsx'

const mendAuth = (authId: string) => <ChangeAuth authId={authId} isCertain />

/** The connector and action that a config names; undefined while they aren't chosen or known. */
export function useChosenAction(config: StepFormProps['config']) {
  const connectors = useResource(CONNECTORS).data ?? []
  const connectorId = asTemplate(config.connector_id)
  const actions = useResource(connectorId === '' ? null : actionsOf(connectorId)).data ?? []
  return {
    connectors,
    actions,
    connector: connectors.find(({ id }) => id === connectorId),
    action: actions.find((one) => one.name === config.action),
  }
}

/** Chooses a connector, and one of its actions. */
export function ActionChoice({
  config,
  onChange,
  errorOf,
}: Pick<StepFormProps, 'config' | 'onChange' | 'errorOf'>) {
  const { connectors, actions, connector, action } = useChosenAction(config)
  const connectorId = asTemplate(config.connector_id)
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
        <p className="truncate font-mono text-code text-muted">
          {action.method} {action.endpoint}
        </p>
      )}
    </>
  )
}

/** The input of an action: its own form, in which each field can be a template, and anything else to be sent. */
export function ActionInput({ step, config, errorOf, onChange }: StepFormProps) {
  const { connector, action } = useChosenAction(config)
  const fields = readSchemaFields(action?.ui_form_schema)
  const value = asDictionary(config.input)
  const kept = useRef<ChosenNames>({})
  const names = asDictionary(config.input_names) as ChosenNames
  const change = (input: Record<string, unknown>) => {
    const next = { ...names, ...kept.current }
    kept.current = {}
    const filled = Object.entries(next).filter(([, ofField]) => Object.keys(ofField).length > 0)
    onChange({ input, input_names: filled.length === 0 ? undefined : Object.fromEntries(filled) })
  }
  const named = new Set(fields.map(({ name }) => name))
  const pick = (isNamed: boolean) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => named.has(name) === isNamed))
  const place: LookupPlace | null =
    connector === undefined || action === undefined
      ? null
      : {
          connector,
          action: action.name,
          authId: authOf(config),
          input: value as LookupPlace['input'],
          names,
          mendAuth,
          keep: (field, ofField) => {
            kept.current = { ...kept.current, [field]: ofField }
          },
        }
  return (
    <>
      <LookupPlaceProvider value={place}>
        <SchemaForm
          connector={connector}
          fields={fields}
          values={pick(true)}
          onChange={(own) => change({ ...own, ...pick(false) })}
          renderTemplate={(control) => (
            <TemplateField key={control.label} refId={step.ref_id} field="config.input" {...control} />
          )}
        />
      </LookupPlaceProvider>
      <TemplateDictionary
        refId={step.ref_id}
        field="config.input"
        typed
        label={fields.length === 0 ? t('Input') : t('Other input')}
        noun={t('value')}
        error={errorOf('input')}
        value={pick(false)}
        onChange={(others) => change({ ...pick(true), ...others })}
      />
    </>
  )
}

/** Undefined if each run chooses its own. */
function authOf({
  auth_id: id,
  dynamic_auth_id: dynamic,
}: StepFormProps['config']): string | null | undefined {
  if (typeof dynamic === 'string' && dynamic !== '') return undefined
  if (typeof id !== 'string' || id === '') return null
  return id.includes('{') ? undefined : id
}
