import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Cable, Copy, Download, Ellipsis, Lock, Redo2, Save, Trash2, Undo2 } from '../../lib/icons.tsx'
import { useEffect, useMemo, useRef, useState } from 'react'
import { NewAuthButton } from '../../components/auths/new-auth-button.tsx'
import {
  updateConnectorRoute,
  copyConnectorRoute,
  deleteConnectorRoute,
} from '../../../shared/contract/connectors.ts'
import type { Action, Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'
import { exportConnectorRoute } from '../../../shared/contract/connector-imports.ts'
import type { SaveWarning } from '../../../shared/contract/base/save-warnings.ts'
import { actionsOf, CONNECTORS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached, useResource } from '../../api/resource.ts'
import { formatJson } from '../../lib/json.ts'
import { Button, ButtonLink, IconButton } from '../../components/controls/button.tsx'
import { useTesterTrip } from '../../components/pagination/state/tester-trip.ts'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page } from '../../components/screen/page.tsx'
import { SaveWarnings } from '../../components/screen/save-warnings.tsx'
import { printed, useShortcut } from '../../components/screen/shortcuts.tsx'
import { ViewOnlyNotice } from '../../components/screen/view-only-notice.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { announce, announceFailure, useAnnounceWithUndo, attempt } from '../../components/screen/toast.tsx'
import { useUnsaved } from '../../components/screen/unsaved.tsx'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { pushHistory, redo, startHistory, undo } from '../../lib/undo-history.ts'
import { AboutView } from './about-view.tsx'
import { ActionsView } from './actions-view.tsx'
import { ConnectionView } from './connection-view.tsx'
import {
  changeAction,
  type Changes,
  isDirty,
  NO_CHANGES,
  type ShownAction,
  shownActions,
  shownConnector,
  withoutSaved,
} from './connector-draft.ts'
import { DraftProblems, focusField, type Problem, problemsOf } from './draft-problems.tsx'
import { PagingView } from './paging-view.tsx'
import { withPathFields } from './path-parameters.ts'
import { type Refusal, saveChanges } from './save-changes.ts'
import { useTry } from './try-store.ts'
import { useOneAtATime } from '../../components/controls/use-one-at-a-time.ts'

const route = getRouteApi('/connectors/$connectorId')
const crumbs = () => [{ label: t('Connectors'), to: '/connectors' }]

export function ConnectorPage() {
  const { connectorId } = route.useParams()
  const { data: connectors, ...ofConnectors } = useResource(CONNECTORS)
  const { data: actions, ...ofActions } = useResource(actionsOf(connectorId))
  const connector = connectors?.find((one) => one.id === connectorId)
  if (connector !== undefined && actions !== null)
    return <ConnectorScreen key={connectorId} connector={connector} savedActions={actions} />
  return (
    <Page title={t('Connector')} crumbs={crumbs()}>
      <Loaded
        value={connector === undefined ? connectors : null}
        failure={ofConnectors.failure ?? ofActions.failure}
        what={t('the connector')}
        onRetry={() => void Promise.all([ofConnectors.reload(), ofActions.reload()])}
      >
        {() => (
          <EmptyState
            icon={Cable}
            title={t('Connector not found')}
            action={<ButtonLink to="/connectors">{t('Show all connectors')}</ButtonLink>}
          >
            {t('There’s no connector with the ID {{connectorId}}. It may have been deleted.', {
              connectorId,
            })}
          </EmptyState>
        )}
      </Loaded>
    </Page>
  )
}

const NO_REFUSALS: readonly Refusal[] = []

/** One draft of the connector and its actions, so that they are undone, discarded and saved together. */
function ConnectorScreen({ connector, savedActions }: ConnectorScreenProps) {
  const { view = 'actions', action: chosen } = route.useSearch()
  const navigate = useNavigate({ from: '/connectors/$connectorId' })
  const api = useApi()
  /** The warnings of the last save. */
  const [warnings, setWarnings] = useState<readonly SaveWarning[]>([])
  const triedUnder = useTry((state) => state.renamed)
  const trip = useTesterTrip((state) => state.trip)
  const tripEnded = useTesterTrip((state) => state.ended)
  const [history, setHistory] = useState(() =>
    startHistory(trip?.from === connector.id ? (trip.kept as Changes) : NO_CHANGES),
  )
  useEffect(() => tripEnded(), [tripEnded])
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState({ refusals: NO_REFUSALS, isPart: false })
  const wanted = useRef<Problem | null>(null)
  const parts = useRef<HTMLDivElement>(null)

  const changes = history.present
  const dirty = isDirty(connector, savedActions, changes)
  const { asking, leave } = useUnsaved(dirty)
  const shown = shownConnector(connector, changes)
  const actions = useMemo(() => shownActions(savedActions, changes), [savedActions, changes])
  const failure = refused.refusals.find(({ actionId }) => actionId === null)?.error ?? null
  // Without unsaved changes there is nothing to fix.
  const problems = dirty ? problemsOf(refused.refusals) : []
  const onDraft = (change: (before: Changes) => Changes, mark?: string) =>
    setHistory((before) => pushHistory(before, change(before.present), mark))
  const onChange = (patch: ConnectorPatch) =>
    onDraft(
      (before) => ({ ...before, connector: { ...before.connector, ...patch } }),
      Object.keys(patch).join(' '),
    )
  const nameOf = (id: string) => {
    const action = [...actions, ...savedActions].find((one) => one.id === id)
    return action?.title || action?.name || t('New action')
  }

  /** Waits until the part with the problem is on screen. */
  function focusWanted() {
    const problem = wanted.current
    if (problem === null) return
    const isThere =
      problem.actionId === null
        ? view === problem.view
        : view === 'actions' &&
          (chosen === problem.actionId || !actions.some(({ id }) => id === problem.actionId))
    if (!isThere) return
    if (problem.label === null || focusField(parts.current, problem.label)) wanted.current = null
  }
  useEffect(focusWanted)
  function lead(problem: Problem) {
    const { actionId: action } = problem
    wanted.current = problem
    const search = action === null ? { view: problem.view } : { action, tab: 'edit' as const }
    void navigate({ search, replace: true })
    focusWanted()
  }

  async function save() {
    if (!dirty || busy) return
    setBusy(true)
    const whole = withFields(changes, actions)
    onDraft(() => whole)
    try {
      const { saved, refusals, ids, warnings: heard } = await saveChanges(api, connector, savedActions, whole)
      setWarnings(heard)
      await Promise.all([
        cached(api, CONNECTORS).getState().reload(),
        cached(api, actionsOf(connector.id)).getState().reload(),
      ])
      for (const [from, to] of Object.entries(ids)) triedUnder(from, to)
      if (saved !== NO_CHANGES) setHistory(({ present }) => startHistory(withoutSaved(present, saved, ids)))
      setRefused({ refusals, isPart: saved !== NO_CHANGES })
      const made = chosen === undefined ? undefined : ids[chosen]
      if (made !== undefined)
        await navigate({ search: (before) => ({ ...before, action: made }), replace: true })
      if (refusals.length === 0) announce(t('Connector “{{name}}” saved', { name: shown.name }))
    } finally {
      setBusy(false)
    }
  }
  const saveOnce = useOneAtATime(save)
  const undone = () => setHistory(undo)
  const announceWithUndo = useAnnounceWithUndo(history.present, undone)
  const redone = () => setHistory(redo)
  const isOwn = !connector.built_in
  const group = t('Connector')
  useShortcut(
    { keys: 'mod+s', label: t('Save connector'), group, needs: updateConnectorRoute },
    () => void saveOnce(),
    isOwn,
  )
  useShortcut({ keys: 'mod+z', label: t('Undo'), group }, undone, isOwn)
  useShortcut({ keys: 'mod+shift+z', label: t('Redo'), group }, redone, isOwn)

  const form = {
    connector: shown,
    actions,
    failure,
    readOnly: connector.built_in,
    onChange,
    trip: () => tripOf(connector, changes),
  }
  return (
    <Page
      title={shown.name}
      crumbs={crumbs()}
      badge={<StatusBadge state={connector.status} />}
      actions={
        <>
          {isOwn ? (
            <>
              <span role="status" className="text-sm text-muted">
                {dirty ? t('Unsaved changes') : ''}
              </span>
              <IconButton
                label={t('Undo')}
                keys={printed('mod+z')}
                icon={Undo2}
                disabled={history.past.length === 0}
                onClick={undone}
              />
              <IconButton
                label={t('Redo')}
                keys={printed('mod+shift+z')}
                icon={Redo2}
                disabled={history.future.length === 0}
                onClick={redone}
              />
            </>
          ) : null}
          <NewAuthButton connectorId={connector.id} />
          <ConnectorActions connector={connector} onDeleted={leave} />
          {isOwn ? (
            <>
              <Button
                disabled={!dirty || busy}
                onClick={() => {
                  onDraft(() => NO_CHANGES)
                  setRefused({ refusals: NO_REFUSALS, isPart: false })
                  announceWithUndo(t('Back to the saved version'))
                }}
              >
                {t('Discard')}
              </Button>
              <Button
                look="primary"
                icon={Save}
                needs={updateConnectorRoute}
                disabled={!dirty}
                busy={busy}
                onClick={() => void saveOnce()}
              >
                {t('Save')}
              </Button>
            </>
          ) : null}
        </>
      }
    >
      {asking}
      {isOwn ? (
        <ViewOnlyNotice needs={updateConnectorRoute} />
      ) : (
        <p className="flex shrink-0 items-center gap-2 border-b border-line bg-sunken px-4 py-2 text-muted">
          <Lock size={13} aria-hidden />
          {t('Built in and updated with Millrace. To change it, copy it.')}
        </p>
      )}
      {problems.length === 0 ? null : (
        <DraftProblems problems={problems} isPart={refused.isPart} nameOf={nameOf} onChoose={lead} />
      )}
      <SaveWarnings warnings={warnings} onDismiss={() => setWarnings([])} />
      <div ref={parts} className="flex min-h-0 flex-1 flex-col">
        <Tabs
          label={t('Connector sections')}
          className="flex-1 bg-surface"
          value={view}
          onChange={(next) => void navigate({ search: { view: next }, replace: true })}
          tabs={[
            {
              value: 'actions',
              label: t('Actions'),
              content: (
                <ActionsView
                  {...form}
                  actions={actions}
                  savedActions={savedActions}
                  changes={changes}
                  refusals={refused.refusals}
                  onDraft={onDraft}
                />
              ),
            },
            { value: 'connection', label: t('Base URL and auth'), content: <ConnectionView {...form} /> },
            { value: 'paging', label: t('Pagination and search'), content: <PagingView {...form} /> },
            { value: 'about', label: t('About'), content: <AboutView {...form} /> },
          ]}
        />
      </div>
    </Page>
  )
}

interface ConnectorScreenProps {
  readonly connector: Connector
  readonly savedActions: readonly Action[]
}

/** Adds the form fields of path parameters, also if Save was pressed while the path had the focus. */
function withFields(changes: Changes, shown: readonly ShownAction[]): Changes {
  return shown.reduce((before, action) => {
    const { ui_form_schema } = action.mark === undefined ? action : withPathFields(action)
    return ui_form_schema === action.ui_form_schema
      ? before
      : changeAction(before, action.id, { ui_form_schema })
  }, changes)
}

/** The trip to the pagination tester and back, with the unsaved changes. */
function tripOf({ id, name }: Connector, changes: Changes) {
  return {
    from: id,
    kind: 'connector' as const,
    name,
    back: {
      to: '/connectors/$connectorId' as const,
      params: { connectorId: id },
      search: { view: 'paging' as const },
    },
    kept: changes,
    withConfig: (config: unknown): Changes => ({
      ...changes,
      connector: {
        ...changes.connector,
        pagination_config: config as NonNullable<Connector['pagination_config']> | null,
      },
    }),
  }
}

interface ConnectorActionsProps {
  readonly connector: Connector
  readonly onDeleted: () => void
}

/** The actions for the connector as a whole. A built-in one must be copied to be changed; the rest is in a menu. */
function ConnectorActions({ connector, onDeleted }: ConnectorActionsProps) {
  const navigate = useNavigate()
  const api = useApi()
  const { after } = cached(api, CONNECTORS).getState()
  const [busy, setBusy] = useState(false)
  const [asking, setAsking] = useState(false)

  const params = { id: connector.id }

  /** One file with its actions and without secrets, for another Millrace or a repository. */
  const exportIt = () =>
    attempt(t('Couldn’t export “{{name}}”', { name: connector.name }), async () => {
      const name = connector.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
      saveFile(
        `${name}.json`,
        'application/json',
        formatJson(await api.call(exportConnectorRoute, { params })),
      )
    })

  async function copyIt() {
    setBusy(true)
    try {
      const made = await after(api.call(copyConnectorRoute, { params, body: {} }))
      announce(t('“{{before}}” copied to “{{after}}”', { before: connector.name, after: made.name }))
      await navigate({ to: '/connectors/$connectorId', params: { connectorId: made.id } })
    } catch (error) {
      announceFailure(t('Couldn’t copy “{{name}}”', { name: connector.name }), error)
    } finally {
      setBusy(false)
    }
  }

  if (connector.built_in)
    return (
      <>
        <Button icon={Download} onClick={() => void exportIt()}>
          {t('Export')}
        </Button>
        <Button
          look="primary"
          icon={Copy}
          needs={copyConnectorRoute}
          busy={busy}
          onClick={() => void copyIt()}
        >
          {t('Copy to edit')}
        </Button>
      </>
    )
  return (
    <>
      <Menu
        trigger={<IconButton label={t('More')} icon={Ellipsis} />}
        groups={[
          [
            { label: t('Export'), icon: Download, onSelect: () => void exportIt() },
            {
              label: t('Copy connector'),
              icon: Copy,
              needs: copyConnectorRoute,
              disabled: busy,
              onSelect: () => void copyIt(),
            },
          ],
          [
            {
              label: t('Delete'),
              icon: Trash2,
              danger: true,
              needs: deleteConnectorRoute,
              onSelect: () => setAsking(true),
            },
          ],
        ]}
      />
      <ConfirmDialog
        open={asking}
        title={t('Delete “{{name}}”?', { name: connector.name })}
        action={t('Delete connector')}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await after(api.call(deleteConnectorRoute, { params }))
          announce(t('Connector “{{name}}” deleted', { name: connector.name }))
          onDeleted()
          await navigate({ to: '/connectors' })
        }}
      >
        {t(
          'This deletes the connector and all its actions. If any connector auths or flows use it, nothing is deleted and you’ll see which ones they are.',
        )}
      </ConfirmDialog>
    </>
  )
}
