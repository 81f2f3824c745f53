import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ArrowLeft, CopyPlus, Layers, ListPlus, Plus, ScrollText, Trash2, Undo2 } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { formatJson } from '../../lib/json.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { useRoomUnder } from '../../components/screen/room.ts'
import { english, t, translateConnectorText } from '../../lib/i18n.ts'
import { ActionForm } from './action-form.tsx'
import {
  addAction,
  changeAction,
  type Changes,
  duplicateOf,
  newAction,
  removeAction,
  restoreAction,
  type ShownAction,
} from './connector-draft.ts'
import { toPath } from './path-parameters.ts'
import type { Refusal } from './save-changes.ts'
import { TryView } from './try-view.tsx'
import type { ConnectorViewProps } from './view-props.ts'

const route = getRouteApi('/connectors/$connectorId')

/** Below this width the list and the form are shown one at a time. */
const NARROW = 900
/** From this width on the form and Try it are side by side. */
const WIDE = 1600

interface ActionsViewProps extends Omit<ConnectorViewProps, 'actions'> {
  readonly actions: readonly ShownAction[]
  /** Without the unsaved changes. */
  readonly savedActions: readonly Action[]
  readonly changes: Changes
  readonly refusals: readonly Refusal[]
  /** Consecutive changes with the same `mark` are one undo step. */
  readonly onDraft: (change: (changes: Changes) => Changes, mark?: string) => void
}

/** The connector's actions, and the form of the selected one. */
export function ActionsView(props: ActionsViewProps) {
  const { connector, actions, readOnly, onDraft } = props
  const { action: chosen } = route.useSearch()
  const navigate = useNavigate({ from: '/connectors/$connectorId' })
  const columns = useMemo(() => columnsOf(connector), [connector])
  const isNarrow = useRoomUnder(NARROW)

  const select = (action: string | undefined) =>
    void navigate({
      search: ({ action: _before, ...rest }) => (action === undefined ? rest : { ...rest, action }),
      replace: true,
    })
  const [added, setAdded] = useState<string | null>(null)
  function add(action: Action) {
    setAdded(action.id)
    onDraft((changes) => addAction(changes, action))
    select(action.id)
  }
  const named = actions.find((action) => action.id === chosen)
  const shown = named ?? (isNarrow ? undefined : actions[0])
  const newButton = readOnly ? null : (
    <Button look="primary" icon={Plus} onClick={() => add(newAction(connector.id))}>
      {t('New action')}
    </Button>
  )
  const footer = readOnly ? null : (
    <div className="flex flex-col items-start gap-3 p-4">
      {newButton}
      <Removed {...props} />
    </div>
  )
  const list = (
    <DataTable
      label={t('Actions')}
      noun={t('action')}
      columns={columns}
      rows={actions}
      selectedId={shown?.id}
      footer={footer}
    />
  )
  if (actions.length === 0)
    return (
      <>
        <EmptyState icon={ListPlus} title={t('No actions yet')} action={newButton}>
          {t('An action is one call to this API: method, path and input. Steps select it by its title.')}
        </EmptyState>
        {readOnly ? null : (
          <div className="p-4">
            <Removed {...props} />
          </div>
        )}
      </>
    )
  if (isNarrow && shown === undefined) return list
  const detail =
    shown === undefined ? null : (
      <ActionDetail
        {...props}
        action={shown}
        isAdded={shown.id === added}
        onBack={isNarrow ? () => select(undefined) : undefined}
        onDuplicate={() =>
          add(
            duplicateOf(
              shown,
              actions.map(({ name }) => name),
            ),
          )
        }
        onDelete={() => {
          const at = actions.indexOf(shown)
          onDraft((changes) => removeAction(changes, shown.id))
          select(isNarrow ? undefined : (actions[at + 1] ?? actions[at - 1])?.id)
        }}
      />
    )
  if (isNarrow) return detail
  return (
    <SplitPane name="actions" label={t('Actions width')} direction="row" initial={540} min={280} max={1000}>
      {list}
      {detail}
    </SplitPane>
  )
}

const columnsOf = (connector: Connector): readonly Column<ShownAction>[] => [
  {
    id: 'title',
    header: english('Action'),
    width: 'minmax(9rem, 1fr)',
    sortBy: (action) => titleOf(action, connector).toLowerCase(),
    cell: (action) => (
      <>
        <RowLink
          to="/connectors/$connectorId"
          params={{ connectorId: action.connector_id }}
          search={{ action: action.id }}
          replace
        >
          {titleOf(action, connector)}
        </RowLink>
        {action.mark === undefined ? null : (
          <span className="ml-2 text-sm text-retrying">{t(MARKS[action.mark])}</span>
        )}
      </>
    ),
  },
  {
    id: 'call',
    header: english('Call'),
    width: 'minmax(9rem, 1.4fr)',
    sortBy: (action) => action.endpoint,
    cell: (action) => (
      <code className="text-code text-muted">
        {action.method} {toPath(action.endpoint)}
      </code>
    ),
  },
  {
    id: 'tag',
    header: english('Group'),
    width: '6rem',
    yields: 2,
    sortBy: (action) => translateConnectorText(action.tag, connector),
    cell: (action) => <span className="text-muted">{translateConnectorText(action.tag, connector)}</span>,
  },
  {
    id: 'paged',
    header: english('Pages'),
    width: '3.5rem',
    yields: 1,
    sortBy: (action) => Number(action.supports_automatic_pagination),
    cell: (action) =>
      action.supports_automatic_pagination ? (
        <Layers size={14} role="img" aria-label={t('Retrieve all data')} className="text-muted" />
      ) : null,
  },
]

const MARKS = { new: english('new'), changed: english('changed') } as const

function titleOf({ title, name }: Action, connector: Connector): string {
  return translateConnectorText(title, connector) || name || t('New action')
}

/** Actions that the next save deletes. */
function Removed({ connector, savedActions, changes, refusals, onDraft }: ActionsViewProps) {
  const removed = savedActions.filter(({ id }) => changes.removed.includes(id))
  if (removed.length === 0) return null
  return (
    <section aria-label={t('Deleted when you save')} className="flex flex-col gap-1.5">
      <h3 className="font-medium text-muted">{t('Deleted when you save')}</h3>
      <ul className="flex flex-col gap-1">
        {removed.map((action) => (
          <li key={action.id} data-removed={action.id} className="flex flex-wrap items-center gap-2">
            <span className="line-through">{titleOf(action, connector)}</span>
            <Button
              look="quiet"
              icon={Undo2}
              onClick={() => onDraft((before) => restoreAction(before, action.id))}
            >
              {t('Restore “{{name}}”', { name: titleOf(action, connector) })}
            </Button>
            {refusals
              .filter(({ actionId }) => actionId === action.id)
              .map(({ error }) => (
                <p key={error.message} className="text-error">
                  {error.message}
                </p>
              ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ActionDetailProps extends ActionsViewProps {
  readonly action: ShownAction
  readonly isAdded: boolean
  readonly onBack: (() => void) | undefined
  readonly onDuplicate: () => void
  readonly onDelete: () => void
}

function ActionDetail(props: ActionDetailProps) {
  const { connector, action, actions, isAdded, savedActions, readOnly, failure, refusals, trip } = props
  const { onBack, onDuplicate, onDelete, onDraft, onChange } = props
  const { tab } = route.useSearch()
  const navigate = useNavigate({ from: '/connectors/$connectorId' })
  const isWide = !useRoomUnder(WIDE)
  const savedName = savedActions.find(({ id }) => id === action.id)?.name
  const tryIt = <TryView key={action.id} connector={connector} action={action} savedName={savedName} />
  const form = (
    <ActionForm
      key={action.id}
      connector={connector}
      action={action}
      actions={actions}
      isAdded={isAdded}
      failure={refusals.find(({ actionId }) => actionId === action.id)?.error ?? null}
      connectorFailure={failure}
      onChange={(patch) =>
        onDraft(
          (changes) => changeAction(changes, action.id, patch),
          `${action.id} ${Object.keys(patch).join(' ')}`,
        )
      }
      onPaging={(pagination_config) => onChange({ pagination_config })}
      {...(trip === undefined ? {} : { trip })}
    />
  )
  const sends = { value: 'sends', label: t('Request'), content: <Sends action={action} /> } as const
  const tries = { value: 'try', label: t('Try it'), content: tryIt } as const
  const edits = { value: 'edit', label: t('Edit'), content: form } as const
  const tabs = readOnly ? [tries, sends] : [edits, tries]
  const open = tabs.find(({ value }) => value === tab)?.value ?? (readOnly ? 'try' : 'edit')
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto bg-surface px-4 pt-3">
      <div className="flex flex-wrap items-center gap-2">
        {onBack === undefined ? null : (
          <Button look="quiet" icon={ArrowLeft} onClick={onBack}>
            {t('All actions')}
          </Button>
        )}
        <h2 className="min-w-0 flex-1 truncate text-lg font-semibold">{titleOf(action, connector)}</h2>
        {action.supports_automatic_pagination && savedName !== undefined ? (
          <ButtonLink
            icon={ScrollText}
            to="/pagination"
            search={{ connector: connector.id, action: savedName }}
          >
            {t('Test pagination')}
          </ButtonLink>
        ) : null}
        {readOnly ? null : (
          <>
            <Button icon={CopyPlus} onClick={onDuplicate}>
              {t('Duplicate')}
            </Button>
            <Button icon={Trash2} onClick={onDelete}>
              {t('Delete action')}
            </Button>
          </>
        )}
      </div>
      {readOnly && action.short_description !== '' ? (
        <p className="text-muted">{translateConnectorText(action.short_description, connector)}</p>
      ) : null}
      <p className="font-mono text-code break-all">
        {action.method} {toPath(action.endpoint)}
      </p>
      {isWide && !readOnly ? (
        <div className="-mx-4 grid min-h-0 flex-1 grid-cols-2 border-t border-line">
          <div className="min-h-0 overflow-auto">{form}</div>
          <section aria-label={t('Try it')} className="min-h-0 overflow-auto border-l border-line">
            {tryIt}
          </section>
        </div>
      ) : (
        <Tabs
          label={t('Action sections')}
          className="-mx-4 border-t border-line"
          value={open}
          onChange={(next) =>
            void navigate({ search: (before) => ({ ...before, tab: next }), replace: true })
          }
          tabs={tabs}
        />
      )}
    </div>
  )
}

function Sends({ action }: { readonly action: Action }) {
  return (
    <div className="p-4">
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-2">
        <dt className="text-muted">{t('Name')}</dt>
        <dd>
          <code className="text-code">{action.name}</code>
        </dd>
        <dt className="text-muted">{t('Call')}</dt>
        <dd>
          <code className="text-code break-all">
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
