import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { ActionField, CallAuthField, CallInputField } from '../../components/pagination/call-fields.tsx'
import { PagingField } from '../../components/pagination/paging-field.tsx'
import type { PagingSheetProps } from '../../components/pagination/paging-sheet.tsx'
import { SEARCH } from '../../components/pagination/search-kind.tsx'
import { t } from '../../lib/i18n.ts'

interface ConnectorSearchProps {
  /** Includes the unsaved changes, as do the actions, so that the test matches the screen. */
  readonly connector: Connector
  readonly actions: readonly Action[]
  readonly error: string | undefined
  readonly onChange: (config: Connector['search_config']) => void
}

/** The search for a connector's records, tested with the path of one of its actions or with its own path. */
export function ConnectorSearch({ connector, actions, error, onChange }: ConnectorSearchProps) {
  return (
    <PagingField
      kind={SEARCH}
      config={connector.search_config}
      pages={null}
      error={error}
      readCall={() => callFor(connector, actions, isPlainList, { q: '' })}
      onChange={(config) => onChange(config as Connector['search_config'])}
    >
      <CallChoice />
    </PagingField>
  )
}

const isPlainList = ({ method, endpoint }: Action) => method === 'GET' && !endpoint.includes('{')

interface ConnectorPagingProps
  extends Pick<PagingSheetProps, 'trip'>, Omit<ConnectorSearchProps, 'onChange'> {
  /** The action to test it with; defaults to the first one with pages. */
  readonly action?: Action
  readonly onChange: (config: Connector['pagination_config']) => void
}

/** The pagination of a connector, tested with one of its actions. */
export function ConnectorPaging(props: ConnectorPagingProps) {
  const { connector, actions, action, error, onChange, ...trip } = props
  const isPaged = (one: Action) => one.supports_automatic_pagination
  return (
    <PagingField
      config={connector.pagination_config}
      pages={null}
      error={error}
      readCall={() =>
        callFor(connector, actions, action === undefined ? isPaged : (one) => one.name === action.name)
      }
      {...trip}
      onChange={(config) => onChange(config as Connector['pagination_config'])}
    >
      <CallChoice />
      <CallInputField />
    </PagingField>
  )
}

function CallChoice() {
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <ActionField />
      <CallAuthField />
    </div>
  )
}

function callFor(
  connector: Connector,
  actions: readonly Action[],
  isBest: (action: Action) => boolean,
  more: { readonly q?: string } = {},
) {
  const named = actions.filter(({ name }) => name !== '')
  const first = named.find(isBest) ?? named[0]
  if (first === undefined) return { problem: t('To test it here, add an action with a name.') }
  return {
    form: {
      source: 'connector' as const,
      connectorId: connector.id,
      action: first.name,
      unsaved: { connector, actions: named },
      ...more,
    },
  }
}
