import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Cable, Copy, Download, KeyRound, Lock, Save, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'
import { asAppError } from '../../api/failure.ts'
import { formatJson } from '../../lib/json.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { useTesterTrip } from '../../components/pagination/state/tester-trip.ts'
import { ConfirmDialog } from '../../components/screen/dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page } from '../../components/screen/page.tsx'
import { SaveWarnings } from '../../components/screen/save-warnings.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { announce, announceFailure } from '../../components/screen/toast.tsx'
import { useUnsaved } from '../../components/screen/unsaved.ts'
import { t } from '../../lib/i18n.ts'
import { saveFile } from '../../lib/save-file.ts'
import { AboutView } from './about-view.tsx'
import { ActionsView } from './actions-view.tsx'
import { ConnectionView } from './connection-view.tsx'
import { useConnectors } from './connectors-store.ts'
import { PagingView } from './paging-view.tsx'

const route = getRouteApi('/connectors/$connectorId')
const crumbs = () => [{ label: t('Connectors'), to: '/connectors' }]

export function ConnectorPage() {
  const { connectorId } = route.useParams()
  const opened = useConnectors((state) => state.opened)
  const connectorOpened = useConnectors((state) => state.connectorOpened)
  const reload = useConnectors((state) => state.reload)
  const connectors = useConnectors((state) => state.connectors)
  const failure = useConnectors((state) => state.failure)
  useEffect(() => opened(), [opened])
  useEffect(() => void connectorOpened(connectorId), [connectorOpened, connectorId])

  const connector = connectors?.find((one) => one.id === connectorId)
  if (connector !== undefined) return <ConnectorScreen key={connectorId} connector={connector} />
  return (
    <Page title={t('Connector')} crumbs={crumbs()}>
      <Loaded value={connectors} failure={failure} what={t('The connector')} onRetry={() => void reload()}>
        {() => (
          <EmptyState
            icon={Cable}
            title={t('This connector is not there')}
            action={<ButtonLink to="/connectors">{t('Show all connectors')}</ButtonLink>}
          >
            {t('No connector has the id {{connectorId}}. It may have been deleted.', { connectorId })}
          </EmptyState>
        )}
      </Loaded>
    </Page>
  )
}

function ConnectorScreen({ connector }: { readonly connector: Connector }) {
  const { view = 'actions' } = route.useSearch()
  const navigate = useNavigate({ from: '/connectors/$connectorId' })
  const update = useConnectors((state) => state.update)
  const warnings = useConnectors((state) => state.warnings)
  const dismissWarnings = useConnectors((state) => state.dismissWarnings)
  const trip = useTesterTrip((state) => state.trip)
  const tripEnded = useTesterTrip((state) => state.ended)
  const [changes, setChanges] = useState<ConnectorPatch>(() =>
    trip?.from === connector.id ? (trip.kept as ConnectorPatch) : {},
  )
  useEffect(() => tripEnded(), [tripEnded])
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const dirty = Object.keys(changes).length > 0
  const leave = useUnsaved(dirty)
  const failure = state.failure === null ? null : asAppError(state.failure)
  const shown = { ...connector, ...changes } as Connector
  const onChange = (patch: ConnectorPatch) => setChanges((before) => ({ ...before, ...patch }))

  async function save() {
    if (!dirty) return
    setState({ busy: true, failure: null })
    try {
      await update(connector.id, changes)
      setChanges({})
      setState({ busy: false, failure: null })
      announce(t('Saved the connector “{{name}}”', { name: shown.name }))
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }
  useShortcut(
    { keys: 'mod+s', label: t('Save the connector'), group: t('Connector') },
    () => void save(),
    !connector.built_in,
  )

  const form = { connector: shown, changes, failure, readOnly: connector.built_in, onChange }
  return (
    <Page
      title={connector.name}
      crumbs={crumbs()}
      badge={<StatusBadge state={connector.status} />}
      actions={
        <>
          <ButtonLink
            icon={KeyRound}
            to="/auths/$authId"
            params={{ authId: 'new' }}
            search={{ connector: connector.id }}
          >
            {t('New auth')}
          </ButtonLink>
          <ExportConnector connector={connector} />
          <CopyConnector connector={connector} />
          {connector.built_in ? null : (
            <>
              <DeleteConnector connector={connector} onDeleted={leave} />
              <Button
                look="primary"
                icon={Save}
                disabled={!dirty}
                busy={state.busy}
                onClick={() => void save()}
              >
                {t('Save')}
              </Button>
            </>
          )}
        </>
      }
    >
      {connector.built_in ? (
        <p className="flex shrink-0 items-center gap-2 border-b border-line bg-sunken px-4 py-2 text-muted">
          <Lock size={13} aria-hidden />
          {t('Built in, and kept up to date with Millrace. Copy it to change it.')}
        </p>
      ) : null}
      {failure === null ? null : (
        <div className="shrink-0 p-3">
          <ErrorNotice error={failure} title={t('The connector was not saved')} />
        </div>
      )}
      <SaveWarnings warnings={warnings} onDismiss={dismissWarnings} />
      <Tabs
        label={t('Parts of the connector')}
        className="flex-1 bg-surface"
        value={view}
        onChange={(next) => void navigate({ search: { view: next }, replace: true })}
        tabs={[
          { value: 'actions', label: t('Actions'), content: <ActionsView connector={connector} /> },
          { value: 'connection', label: t('Connection'), content: <ConnectionView {...form} /> },
          { value: 'paging', label: t('Paging and search'), content: <PagingView {...form} /> },
          { value: 'about', label: t('About'), content: <AboutView {...form} /> },
        ]}
      />
    </Page>
  )
}

/** One file with its actions and without secrets, for another Millrace or a repository. */
function ExportConnector({ connector }: { readonly connector: Connector }) {
  const exported = useConnectors((state) => state.exported)
  async function exportIt() {
    try {
      const name = connector.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
      saveFile(`${name}.json`, 'application/json', formatJson(await exported(connector.id)))
    } catch (error) {
      announceFailure(t('“{{name}}” was not exported', { name: connector.name }), error)
    }
  }
  return (
    <Button icon={Download} onClick={() => void exportIt()}>
      {t('Export')}
    </Button>
  )
}

function CopyConnector({ connector }: { readonly connector: Connector }) {
  const navigate = useNavigate()
  const copy = useConnectors((state) => state.copy)
  const [busy, setBusy] = useState(false)

  async function copyIt() {
    setBusy(true)
    try {
      const made = await copy(connector.id)
      announce(t('Copied “{{before}}” to “{{after}}”', { before: connector.name, after: made.name }))
      await navigate({ to: '/connectors/$connectorId', params: { connectorId: made.id } })
    } catch (error) {
      announceFailure(t('“{{name}}” was not copied', { name: connector.name }), error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Button
      icon={Copy}
      busy={busy}
      look={connector.built_in ? 'primary' : 'secondary'}
      onClick={() => void copyIt()}
    >
      {t('Copy connector')}
    </Button>
  )
}

interface DeleteConnectorProps {
  readonly connector: Connector
  readonly onDeleted: () => void
}

function DeleteConnector({ connector, onDeleted }: DeleteConnectorProps) {
  const navigate = useNavigate()
  const remove = useConnectors((state) => state.remove)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button icon={Trash2} onClick={() => setAsking(true)}>
        {t('Delete')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('Delete “{{name}}”?', { name: connector.name })}
        action={t('Delete connector')}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove(connector.id)
          announce(t('Deleted the connector “{{name}}”', { name: connector.name }))
          onDeleted()
          await navigate({ to: '/connectors' })
        }}
      >
        {t(
          'It goes with all its actions. While an auth or a flow uses it, it is not deleted and you are told which.',
        )}
      </ConfirmDialog>
    </>
  )
}
