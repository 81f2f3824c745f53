import { useApi } from '../../api/provider.tsx'
import { listActionsRoute } from '../../../shared/contract/connectors.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { ActionField, CallAuthField, CallInputField } from '../../components/pagination/call-fields.tsx'
import { PagingField } from '../../components/pagination/paging-field.tsx'
import type { PagingSheetProps } from '../../components/pagination/paging-sheet.tsx'
import { t } from '../../lib/i18n.ts'

interface ConnectorPagingProps extends Pick<PagingSheetProps, 'trip'> {
  readonly connector: Connector
  /** The action to try it with; absent: the first one with pages. */
  readonly action?: string | undefined
  readonly error: string | undefined
  readonly onChange: (config: Connector['pagination_config']) => void
}

/** How a connector paginates, tried with one of its actions. */
export function ConnectorPaging({ connector, action, error, onChange, ...trip }: ConnectorPagingProps) {
  const api = useApi()

  async function readCall() {
    const query = { filter: `connector_id,eq,${connector.id}`, per_page: '200', sort: 'title' }
    const actions = await api.call(listActionsRoute, { query }).catch(() => [])
    const first = actions.find((one) => one.supports_automatic_pagination) ?? actions[0]
    const name = action ?? first?.name
    if (name === undefined || !actions.some((one) => one.name === name))
      return { problem: t('To try it here, save an action first.') }
    return { form: { source: 'connector' as const, connectorId: connector.id, action: name } }
  }

  return (
    <PagingField
      config={connector.pagination_config}
      pages={null}
      error={error}
      readCall={readCall}
      {...trip}
      onChange={(config) => onChange(config as Connector['pagination_config'])}
    >
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <ActionField />
        <CallAuthField />
      </div>
      <CallInputField />
    </PagingField>
  )
}
