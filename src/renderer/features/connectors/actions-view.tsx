import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Layers, ListPlus, PencilLine, Plus, ScrollText, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { formatJson } from '../../lib/json.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { ConfirmDialog } from '../../components/screen/dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { SkeletonRows } from '../../components/screen/skeleton.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { english, t, translateConnectorText } from '../../lib/i18n.ts'
import { ActionDialog } from './action-dialog.tsx'
import { useConnectors } from './connectors-store.ts'
import { toPath } from './path-parameters.ts'
import { TryView } from './try-view.tsx'

const route = getRouteApi('/connectors/$connectorId')

/** The calls that the connector offers, and what the selected one sends. */
export function ActionsView({ connector }: { readonly connector: Connector }) {
  const { action: chosen } = route.useSearch()
  const actions = useConnectors((state) => state.actions[connector.id])
  const [editing, setEditing] = useState<Action | 'new' | null>(null)
  const columns = useMemo(() => columnsOf(connector), [connector])
  if (actions === undefined) return <SkeletonRows />

  const shown = actions.find((action) => action.id === chosen) ?? actions[0]
  const newButton = connector.built_in ? null : (
    <Button look="primary" icon={Plus} onClick={() => setEditing('new')}>
      {t('New action')}
    </Button>
  )
  return (
    <>
      {shown === undefined ? (
        <EmptyState icon={ListPlus} title={t('No actions yet')} action={newButton}>
          {t(
            'An action is one call of this API: method, path and what goes into it. Steps choose it by its title.',
          )}
        </EmptyState>
      ) : (
        <SplitPane
          name="actions"
          label={t('Width of the actions')}
          direction="row"
          initial={560}
          min={320}
          max={1000}
        >
          <DataTable
            label={t('Actions')}
            noun={t('action')}
            columns={columns}
            rows={actions}
            selectedId={shown.id}
            footer={newButton === null ? null : <div className="p-4">{newButton}</div>}
          />
          <ActionDetail connector={connector} action={shown} onEdit={() => setEditing(shown)} />
        </SplitPane>
      )}
      {editing === null ? null : (
        <ActionDialog
          connector={connector}
          action={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  )
}

const columnsOf = (connector: Connector): readonly Column<Action>[] => [
  {
    id: 'title',
    header: english('Action'),
    width: 'minmax(9rem, 1fr)',
    sortBy: (action) => translateConnectorText(action.title, connector).toLowerCase(),
    cell: (action) => (
      <RowLink
        to="/connectors/$connectorId"
        params={{ connectorId: action.connector_id }}
        search={{ action: action.id }}
        replace
      >
        {translateConnectorText(action.title, connector) || action.name}
      </RowLink>
    ),
  },
  {
    id: 'call',
    header: english('Call'),
    width: 'minmax(9rem, 1.4fr)',
    sortBy: (action) => action.endpoint,
    cell: (action) => (
      <code className="text-sm text-muted">
        {action.method} {toPath(action.endpoint)}
      </code>
    ),
  },
  {
    id: 'tag',
    header: english('Group'),
    width: '6rem',
    sortBy: (action) => translateConnectorText(action.tag, connector),
    cell: (action) => <span className="text-muted">{translateConnectorText(action.tag, connector)}</span>,
  },
  {
    id: 'paged',
    header: english('Pages'),
    width: '3.5rem',
    sortBy: (action) => Number(action.supports_automatic_pagination),
    cell: (action) =>
      action.supports_automatic_pagination ? (
        <Layers size={14} role="img" aria-label={t('Retrieve all data')} className="text-muted" />
      ) : null,
  },
]

interface ActionDetailProps {
  readonly connector: Connector
  readonly action: Action
  readonly onEdit: () => void
}

function ActionDetail({ connector, action, onEdit }: ActionDetailProps) {
  const { tab = 'try' } = route.useSearch()
  const navigate = useNavigate({ from: '/connectors/$connectorId' })
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto bg-surface px-4 pt-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 text-lg font-semibold">
          {translateConnectorText(action.title, connector) || action.name}
        </h2>
        {action.supports_automatic_pagination ? (
          <ButtonLink
            icon={ScrollText}
            to="/pagination"
            search={{ connector: connector.id, action: action.name }}
          >
            {t('Test paging')}
          </ButtonLink>
        ) : null}
        {connector.built_in ? null : (
          <>
            <DeleteAction connector={connector} action={action} />
            <Button icon={PencilLine} onClick={onEdit}>
              {t('Edit')}
            </Button>
          </>
        )}
      </div>
      {action.short_description === '' ? null : (
        <p className="text-muted">{translateConnectorText(action.short_description, connector)}</p>
      )}
      <p className="font-mono text-sm break-all">
        {action.method} {toPath(action.endpoint)}
      </p>
      <Tabs
        label={t('Parts of the action')}
        className="-mx-4 border-t border-line"
        value={tab}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, tab: next }), replace: true })}
        tabs={[
          {
            value: 'try',
            label: t('Try it'),
            content: <TryView key={action.id} connector={connector} action={action} />,
          },
          { value: 'sends', label: t('What it sends'), content: <Sends action={action} /> },
        ]}
      />
    </div>
  )
}

function Sends({ action }: { readonly action: Action }) {
  return (
    <div className="p-4">
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-2">
        <dt className="text-muted">{t('Name')}</dt>
        <dd>
          <code className="text-sm">{action.name}</code>
        </dd>
        <dt className="text-muted">{t('Call')}</dt>
        <dd>
          <code className="text-sm break-all">
            {action.method} {toPath(action.endpoint)}
          </code>
        </dd>
        <Part name={t('Query')} value={action.query} />
        <Part name={t('Headers')} value={action.headers} />
        <Part name={t('Body')} value={action.body} />
        <Part name={t('Form')} value={action.ui_form_schema} />
      </dl>
    </div>
  )
}

function Part({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (value === null || Object.keys(value as object).length === 0) return null
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="rounded border border-line bg-sunken">
        <Pre label={name}>{formatJson(value)}</Pre>
      </dd>
    </>
  )
}

function DeleteAction({ connector, action }: Omit<ActionDetailProps, 'onEdit'>) {
  const navigate = useNavigate({ from: '/connectors/$connectorId' })
  const removeAction = useConnectors((state) => state.removeAction)
  const [asking, setAsking] = useState(false)
  const name = translateConnectorText(action.title, connector) || action.name
  return (
    <>
      <Button icon={Trash2} onClick={() => setAsking(true)}>
        {t('Delete')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('Delete the action “{{name}}”?', { name })}
        action={t('Delete action')}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await removeAction(action)
          announce(t('Deleted the action “{{name}}”', { name }))
          await navigate({ search: ({ action: _action, ...rest }) => rest, replace: true })
        }}
      >
        {t('While a flow uses it, it is not deleted and you are told which.')}
      </ConfirmDialog>
    </>
  )
}
