import { useNavigate } from '@tanstack/react-router'
import { Info } from '../../../lib/icons.tsx'
import { CONNECTORS } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { Combo } from '../../../components/controls/combo.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { t, translateConnectorText } from '../../../lib/i18n.ts'
import { ActionField, CallAuthField, CallInputField } from '../../../components/pagination/call-fields.tsx'
import { CountFields } from './count-fields.tsx'
import { useCallActions, usePagination } from '../../../components/pagination/state/pagination-store.ts'

/** An action of a connector, with its auth and the input of its form. The choice is in the URL. */
export function ConnectorCall() {
  const form = usePagination((state) => state.form)
  const { data: connectors } = useResource(CONNECTORS)
  const actions = useCallActions()
  const navigate = useNavigate()
  const action = actions.find(({ name }) => name === form.action)
  const choose = (connector: string, wanted?: string) =>
    void navigate({
      to: '/pagination',
      search: { connector, ...(wanted === undefined ? {} : { action: wanted }) },
      replace: true,
    })
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t('Connector')}>
          <Combo
            value={form.connectorId}
            onChange={(id) => choose(id)}
            options={(connectors ?? []).map((one) => ({
              value: one.id,
              label: one.name,
              hint: translateConnectorText(one.short_description, one),
            }))}
          />
        </Field>
        <ActionField onChosen={(name) => choose(form.connectorId, name)} />
      </div>
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)] items-end gap-3 max-sm:grid-cols-2">
        <CallAuthField className="max-sm:col-span-2" />
        <CountFields />
      </div>
      <CallInputField />
      {action === undefined || action.supports_automatic_pagination ? null : (
        <p className="flex items-start gap-2 text-sm text-muted">
          <Info size={14} aria-hidden className="mt-0.5 shrink-0" />
          {t(
            '“Retrieve all data” is off for this action, so flows send one request. The test reads all pages with the configuration below. Saving it for the action turns that on.',
          )}
        </p>
      )}
    </>
  )
}
