import { useState } from 'react'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { DictionaryField } from '../../components/controls/dictionary-field.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { JsonField } from '../../components/code/json-field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { t } from '../../lib/i18n.ts'
import { useConnectors } from './connectors-store.ts'
import { ConnectorPaging } from './connector-paging.tsx'
import { toEndpoint, toPath, withPathFields } from './path-parameters.ts'
import { FormSchemaEditor } from './form-schema-editor.tsx'
import type { NewAction } from './connectors-store.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

interface ActionDialogProps {
  readonly connector: Connector
  /** Absent for a new one. */
  readonly action: Action | undefined
  readonly onClose: () => void
}

export function ActionDialog({ connector, action, onClose }: ActionDialogProps) {
  const createAction = useConnectors((state) => state.createAction)
  const updateAction = useConnectors((state) => state.updateAction)
  const [draft, setDraft] = useState<NewAction>(() => toDraft(connector, action))
  const update = useConnectors((state) => state.update)
  /** Of the connector: all its actions paginate this way. */
  const [paging, setPaging] = useState(connector.pagination_config)
  const isPagingNew = paging !== connector.pagination_config
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const failure = state.failure === null ? null : asAppError(state.failure)
  const errors = fieldsOf(failure)
  const unsaved = isPagingNew || JSON.stringify(draft) !== JSON.stringify(toDraft(connector, action))
  const set = (patch: Partial<NewAction>) => setDraft((before) => ({ ...before, ...patch }))

  async function save() {
    setState({ busy: true, failure: null })
    const whole = withPathFields(draft)
    setDraft(whole)
    try {
      if (isPagingNew) await update(connector.id, { pagination_config: paging })
      await (action === undefined ? createAction(whole) : updateAction(action, whole))
      announce(t('Saved the action “{{title}}”', { title: draft.title || draft.name }))
      onClose()
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }

  return (
    <Dialog
      open
      wide
      title={
        action === undefined ? t('New action') : t('Edit “{{title}}”', { title: action.title || action.name })
      }
      unsaved={unsaved}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" busy={state.busy} onClick={() => void save()}>
            {t('Save action')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure === null ? null : <ErrorNotice error={failure} title={t('The action was not saved')} />}
        <div className="grid grid-cols-2 gap-3">
          <Field label={t('Name')} hint={t('In snake_case; flows refer to it.')} error={errors.name?.[0]}>
            <TextInput mono value={draft.name} onChange={(name) => set({ name })} placeholder="list_orders" />
          </Field>
          <Field label={t('Title')} error={errors.title?.[0]}>
            <TextInput
              value={draft.title ?? ''}
              onChange={(title) => set({ title })}
              placeholder={t('List orders')}
            />
          </Field>
        </div>
        <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3">
          <Field label={t('Method')} error={errors.method?.[0]}>
            <Select
              value={draft.method}
              onChange={(method) => set({ method })}
              options={METHODS.map((value) => ({ value, label: value }))}
            />
          </Field>
          <Field
            label={t('Path')}
            hint={t(
              'Appended to {{baseDomain}}. A name in braces is a field of the form below; a template works as well, as in all texts below.',
              { baseDomain: connector.base_domain },
            )}
            error={errors.endpoint?.[0]}
          >
            <TextInput
              mono
              value={toPath(draft.endpoint)}
              onChange={(path) => set({ endpoint: toEndpoint(path, draft.endpoint) })}
              onBlur={() => setDraft(withPathFields)}
              placeholder="orders/{order_id}"
            />
          </Field>
        </div>
        <DictionaryField
          typed
          label={t('Query')}
          noun={t('parameter')}
          error={errors.query?.[0]}
          value={draft.query ?? {}}
          onChange={(query) => set({ query: query as NonNullable<NewAction['query']> })}
        />
        <DictionaryField
          label={t('Headers')}
          noun={t('header')}
          error={errors.headers?.[0]}
          value={draft.headers ?? {}}
          onChange={(headers) => set({ headers: headers as Record<string, string> })}
        />
        <JsonField
          orText
          label={t('Body')}
          error={errors.body?.[0]}
          value={draft.body ?? null}
          onChange={(body) => set({ body: body as NonNullable<NewAction['body']> })}
        />
        <Switch
          label={t('Retrieve all data')}
          hint={t("Steps get the records of all pages, as the connector's pagination configuration says.")}
          checked={draft.supports_automatic_pagination ?? false}
          onChange={(supports_automatic_pagination) => set({ supports_automatic_pagination })}
        />
        {draft.supports_automatic_pagination ? (
          <ConnectorPaging
            connector={{ ...connector, pagination_config: paging }}
            action={action?.name}
            error={errors.pagination_config?.[0]}
            onChange={setPaging}
          />
        ) : null}
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)] gap-3">
          <Field label={t('Purpose')} optional error={errors.short_description?.[0]}>
            <TextInput
              value={draft.short_description ?? ''}
              onChange={(short_description) => set({ short_description })}
            />
          </Field>
          <Field label={t('Group')} optional error={errors.tag?.[0]}>
            <TextInput value={draft.tag ?? ''} onChange={(tag) => set({ tag })} />
          </Field>
        </div>
        <FormSchemaEditor
          label={t('Form of its step')}
          hint={t('What a step or a try asks for; templates above read it as input, or by the bare name.')}
          error={errors.ui_form_schema?.[0]}
          value={draft.ui_form_schema ?? []}
          onChange={(ui_form_schema) => set({ ui_form_schema })}
        />
      </div>
    </Dialog>
  )
}

function toDraft(connector: Connector, action: Action | undefined): NewAction {
  if (action === undefined)
    return { connector_id: connector.id, name: '', title: '', method: 'GET', endpoint: '' }
  const { id: _id, created_at: _created, updated_at: _updated, ...rest } = action
  return rest
}
