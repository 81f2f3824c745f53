import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Cable, FileInput } from '../../lib/icons.tsx'
import { lazy, Suspense, useMemo } from 'react'
import { type Connector, createConnectorRoute } from '../../../shared/contract/connectors.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { ACTIONS, CONNECTOR_AUTHS, CONNECTORS, FLOWS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { stepsWithin } from '../../lib/steps-within.ts'
import { Button } from '../../components/controls/button.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Filtered, NoMatches, SearchBar, useAddButton } from '../../components/screen/list-screen.tsx'
import { ConnectorLinks } from '../../components/screen/screen-links.tsx'
import { Page } from '../../components/screen/page.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { plural } from '../../lib/format.ts'
import { english, t, translateConnectorText } from '../../lib/i18n.ts'
import { ServiceMark } from '../../components/services/service-mark.tsx'
import { DropToImport } from '../../components/imports/drop-to-import.tsx'

const ImportConnectorDialog = lazy(async () => ({
  default: (await import('./import-dialog.tsx')).ImportConnectorDialog,
}))
const NewConnectorDialog = lazy(async () => ({
  default: (await import('./new-connector-dialog.tsx')).NewConnectorDialog,
}))

const route = getRouteApi('/connectors')

export function ConnectorsPage() {
  const { q = '', create: creating = false, import: importing = false } = route.useSearch()
  const navigate = useNavigate({ from: '/connectors' })
  const { data: connectors, failure, reload } = useResource(CONNECTORS)
  const openImport = () => void navigate({ search: (before) => ({ ...before, import: true }) })
  const close = () => void navigate({ search: q === '' ? {} : { q }, replace: true })
  const counts = useCounts()
  const columns = useMemo(() => connectorColumns(counts), [counts])
  const newButton = useAddButton({
    label: t('New connector'),
    group: t('Connectors'),
    needs: createConnectorRoute,
    onClick: () => void navigate({ search: (before) => ({ ...before, create: true }) }),
  })
  useShortcut(
    { keys: 'i', label: t('Import connector'), group: t('Connectors'), needs: createConnectorRoute },
    openImport,
  )

  return (
    <DropToImport onDropped={openImport}>
      <Page
        title={t('Connectors')}
        actions={
          <>
            <Button icon={FileInput} needs={createConnectorRoute} onClick={openImport}>
              {t('Import')}
            </Button>
            {newButton}
          </>
        }
      >
        <ConnectorLinks />
        <SearchBar
          label={t('Search connectors')}
          placeholder={t('Search by name, description or tag')}
          value={q}
          onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
          count={connectors === null ? '' : plural(connectors.length, 'connector')}
        />
        <Filtered
          value={connectors}
          failure={failure}
          what={t('the connectors')}
          onRetry={() => void reload()}
          matches={(connector) => matches(connector, q)}
          empty={
            <EmptyState icon={Cable} title={t('No connectors')} action={newButton}>
              {t(
                'A connector describes an API once: its base URL, authentication, pagination and actions. Steps then use an action by name.',
              )}
            </EmptyState>
          }
          none={
            <NoMatches title={t('No connectors match')} to="/connectors" all={t('Show all connectors')}>
              {t('None of the {{connectors}} has “{{q}}” in its name, description or tags.', {
                connectors: plural(connectors?.length ?? 0, 'connector'),
                q,
              })}
            </NoMatches>
          }
        >
          {(rows) => (
            <DataTable
              label={t('Connectors')}
              noun={t('connector')}
              columns={columns}
              rows={yoursFirst(rows)}
            />
          )}
        </Filtered>
        <Suspense fallback={null}>
          {importing ? <ImportConnectorDialog onClose={close} /> : null}
          {creating ? <NewConnectorDialog onClose={close} /> : null}
        </Suspense>
      </Page>
    </DropToImport>
  )
}

/** Users come for their own connectors; the order within both groups is kept. */
function yoursFirst(connectors: readonly Connector[]): readonly Connector[] {
  return connectors.toSorted((a, b) => Number(a.built_in) - Number(b.built_in))
}

function matches(connector: Connector, wanted: string): boolean {
  const { name, short_description: purpose, tags } = connector
  const needle = wanted.toLowerCase()
  return [name, purpose, translateConnectorText(purpose, connector), ...tags].some((text) =>
    text.toLowerCase().includes(needle),
  )
}

/** The counts for each connector: its actions, its auths and the flows that use it. */
type Counts = Readonly<Record<'actions' | 'auths' | 'flows', ReadonlyMap<string, number>>>

/** Null until everything is read. */
function useCounts(): Counts | null {
  const { data: actions } = useResource(ACTIONS)
  const { data: auths } = useResource(CONNECTOR_AUTHS)
  const { data: flows } = useResource(FLOWS)
  return useMemo(() => {
    if (actions === null || auths === null || flows === null) return null
    return {
      actions: countOf(actions.map((action) => action.connector_id)),
      auths: countOf(auths.map((auth) => auth.connector_id)),
      flows: countOf(flows.flatMap(({ steps }) => [...connectorsOf(steps)])),
    }
  }, [actions, auths, flows])
}

function countOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** The connectors used by steps, nested ones included. */
function connectorsOf(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(
    stepsWithin(steps).flatMap(({ config }) => {
      const { connector_id: id } = config as { readonly connector_id?: unknown }
      return typeof id === 'string' ? [id] : []
    }),
  )
}

function connectorColumns(counts: Counts | null): readonly Column<Connector>[] {
  const count = (what: keyof Counts) => (connector: Connector) => counts?.[what].get(connector.id) ?? 0
  const number = (what: keyof Counts) => (connector: Connector) => {
    if (counts === null) return null
    const found = count(what)(connector)
    return <span className={found === 0 ? 'tabular text-faint' : 'tabular'}>{found}</span>
  }
  return [
    {
      id: 'name',
      header: english('Name'),
      width: 'minmax(11rem, 1fr)',
      sortBy: (connector) => connector.name.toLowerCase(),
      cell: (connector) => (
        <span className="flex min-w-0 items-center gap-2">
          <ServiceMark connector={connector} />
          <RowLink to="/connectors/$connectorId" params={{ connectorId: connector.id }}>
            {connector.name}
          </RowLink>
          {connector.status === 'active' ? null : <StatusBadge state={connector.status} />}
        </span>
      ),
    },
    {
      id: 'purpose',
      header: english('Description'),
      width: 'minmax(12rem, 2fr)',
      yields: 6,
      cell: (connector) => (
        <span className="text-muted">{translateConnectorText(connector.short_description, connector)}</span>
      ),
    },
    {
      id: 'base',
      header: english('URL'),
      width: 'minmax(10rem, 1.4fr)',
      yields: 1,
      sortBy: (connector) => connector.base_domain,
      cell: (connector) => <code className="text-code text-muted">{connector.base_domain}</code>,
    },
    {
      id: 'actions',
      header: english('Actions'),
      width: '4.5rem',
      yields: 5,
      align: 'end',
      sortBy: count('actions'),
      cell: number('actions'),
    },
    {
      id: 'auths',
      header: english('Auths'),
      width: '4.5rem',
      yields: 4,
      align: 'end',
      sortBy: count('auths'),
      cell: number('auths'),
    },
    {
      id: 'flows',
      header: english('Flows'),
      width: '4.5rem',
      yields: 3,
      align: 'end',
      sortBy: count('flows'),
      cell: number('flows'),
    },
    {
      id: 'origin',
      header: english('Origin'),
      width: '5.5rem',
      yields: 2,
      sortBy: (connector) => (connector.built_in ? t('built in') : t('custom')),
      cell: (connector) => (
        <span className="text-muted">{connector.built_in ? t('built in') : t('custom')}</span>
      ),
    },
  ]
}
