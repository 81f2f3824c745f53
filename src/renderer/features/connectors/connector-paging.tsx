import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { ActionField, CallAuthField, CallInputField } from '../../components/pagination/call-fields.tsx'
import { PagingField } from '../../components/pagination/paging-field.tsx'
import type { PagingSheetProps } from '../../components/pagination/paging-sheet.tsx'
import { t } from '../../lib/i18n.ts'

interface ConnectorPagingProps extends Pick<PagingSheetProps, 'trip'> {
  /** With the unsaved changes, as the actions: what is on the screen is what is tested. */
  readonly connector: Connector
  readonly actions: readonly Action[]
  /** The action to test it with; absent: the first one with pages. */
  readonly action?: Action
  readonly error: string | undefined
  readonly onChange: (config: Connector['pagination_config']) => void
}

/** How a connector paginates, tested with one of its actions. */
export function ConnectorPaging(props: ConnectorPagingProps) {
  const { connector, actions, action, error, onChange, ...trip } = props

  function readCall() {
    const named = actions.filter(({ name }) => name !== '')
    const first = action ?? named.find((one) => one.supports_automatic_pagination) ?? named[0]
    if (first === undefined || first.name === '')
      return { problem: t('To test it here, add an action with a name.') }
    return {
      form: {
        source: 'connector' as const,
        connectorId: connector.id,
        action: first.name,
        unsaved: { connector, actions: named },
      },
    }
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
