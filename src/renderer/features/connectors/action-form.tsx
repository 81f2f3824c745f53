import { ACTION_METHODS } from '../../../shared/contract/base/http-methods.ts'
import type { ActionPatch, Connector } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { fieldsOf } from '../../api/failure.ts'
import { DictionaryField } from '../../components/controls/dictionary-field.tsx'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { JsonField } from '../../components/code/json-field.tsx'
import { Select } from '../../components/controls/select.tsx'
import type { PagingSheetProps } from '../../components/pagination/paging-sheet.tsx'
import { t } from '../../lib/i18n.ts'
import type { ShownAction } from './connector-draft.ts'
import { ConnectorPaging } from './connector-paging.tsx'
import { FormSchemaEditor } from '../../components/schema-form/form-schema-editor.tsx'
import { toEndpoint, toPath, withPathFields } from './path-parameters.ts'

interface ActionFormProps extends Pick<PagingSheetProps, 'trip'> {
  readonly connector: Connector
  readonly action: ShownAction
  /** Whether it was just added; its name then takes the focus. */
  readonly isAdded: boolean
  /** All actions of the connector, with the unsaved changes. */
  readonly actions: readonly ShownAction[]
  /** Why the action was not saved. */
  readonly failure: AppError | null
  /** Why the connector was not saved. */
  readonly connectorFailure: AppError | null
  readonly onChange: (patch: ActionPatch) => void
  readonly onPaging: (config: Connector['pagination_config']) => void
}

/** The form of one action: its name and the request it sends. */
export function ActionForm(props: ActionFormProps) {
  const { connector, action, actions, isAdded, failure, connectorFailure, onChange, onPaging, trip } = props
  const errors = fieldsOf(failure)
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <Field
          label={t('Name')}
          hint={t('Use snake_case. Flows call the action by this name.')}
          error={errors.name?.[0]}
        >
          <TextInput
            mono
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that added the action moves the focus here
            autoFocus={isAdded}
            value={action.name}
            onChange={(name) => onChange({ name })}
            placeholder="list_orders"
          />
        </Field>
        <Field label={t('Title')} error={errors.title?.[0]}>
          <TextInput
            value={action.title}
            onChange={(title) => onChange({ title })}
            placeholder={t('List orders')}
          />
        </Field>
      </div>
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3">
        <Field label={t('Method')} error={errors.method?.[0]}>
          <Select
            value={action.method}
            onChange={(method) => onChange({ method })}
            options={ACTION_METHODS.map((value) => ({ value, label: value }))}
          />
        </Field>
        <Field
          label={t('Path')}
          hint={t(
            'Added to {{baseDomain}}. {name} inserts a field from the form below. Templates work here and in all strings below.',
            { baseDomain: connector.base_domain },
          )}
          error={errors.endpoint?.[0]}
        >
          <TextInput
            mono
            value={toPath(action.endpoint)}
            onChange={(path) => onChange({ endpoint: toEndpoint(path, action.endpoint) })}
            onBlur={() => {
              const { ui_form_schema } = withPathFields(action)
              if (ui_form_schema !== action.ui_form_schema) onChange({ ui_form_schema })
            }}
            placeholder="orders/{order_id}"
          />
        </Field>
      </div>
      <DictionaryField
        typed
        label={t('Query')}
        noun={t('parameter')}
        error={errors.query?.[0]}
        value={action.query}
        onChange={(query) => onChange({ query: query as ShownAction['query'] })}
      />
      <DictionaryField
        label={t('Headers')}
        noun={t('header')}
        error={errors.headers?.[0]}
        value={action.headers}
        onChange={(headers) => onChange({ headers: headers as Record<string, string> })}
      />
      <JsonField
        orText
        label={t('Body')}
        error={errors.body?.[0]}
        value={action.body}
        onChange={(body) => onChange({ body: body as ShownAction['body'] })}
      />
      <Switch
        label={t('Retrieve all data')}
        hint={t('Steps get the records of all pages, using the connector’s pagination configuration.')}
        checked={action.supports_automatic_pagination}
        onChange={(supports_automatic_pagination) => onChange({ supports_automatic_pagination })}
      />
      {action.supports_automatic_pagination ? (
        <ConnectorPaging
          connector={connector}
          actions={actions}
          action={action}
          error={fieldsOf(connectorFailure).pagination_config?.[0]}
          onChange={onPaging}
          {...(trip === undefined ? {} : { trip })}
        />
      ) : null}
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)] gap-3">
        <Field label={t('Description')} optional error={errors.short_description?.[0]}>
          <TextInput
            value={action.short_description}
            onChange={(short_description) => onChange({ short_description })}
          />
        </Field>
        <Field label={t('Group')} optional error={errors.tag?.[0]}>
          <TextInput value={action.tag} onChange={(tag) => onChange({ tag })} />
        </Field>
      </div>
      <FormSchemaEditor
        label={t('Step form')}
        hint={t(
          'Fields that a step or test fills in. Templates above read them by name, or all of them as input.',
        )}
        error={errors.ui_form_schema?.[0]}
        value={action.ui_form_schema}
        onChange={(ui_form_schema) => onChange({ ui_form_schema })}
      />
    </div>
  )
}
