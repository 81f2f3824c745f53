import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FilterX, KeyRound, Plus } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { ButtonLink } from '../../components/button.tsx'
import { DataTable, RowLink } from '../../components/data-table.tsx'
import type { Column } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { TextInput } from '../../components/field.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Page, Toolbar } from '../../components/page.tsx'
import { useShortcut } from '../../components/shortcuts.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Time } from '../../components/time.tsx'
import { plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import { AUTH_TYPE_WORDS } from './auth-draft.ts'
import { useAuths } from './auths-store.ts'

const route = getRouteApi('/auths')

export function AuthsPage() {
  const { q = '' } = route.useSearch()
  const navigate = useNavigate({ from: '/auths' })
  const opened = useAuths((state) => state.opened)
  const reload = useAuths((state) => state.reload)
  const auths = useAuths((state) => state.auths)
  const connectors = useAuths((state) => state.connectors)
  const failure = useAuths((state) => state.failure)
  useEffect(() => opened(), [opened])
  useShortcut({ keys: 'n', label: t('New auth'), group: t('Auths') }, () => {
    void navigate({ to: '/auths/$authId', params: { authId: 'new' } })
  })

  const names = useMemo(() => new Map(connectors.map(({ id, name }) => [id, name])), [connectors])
  const columns = useMemo(() => columnsOf(names), [names])
  const matches = (auth: ConnectorAuth) =>
    [auth.name, names.get(auth.connector_id) ?? '', ...auth.tags].some((text) =>
      text.toLowerCase().includes(q.toLowerCase()),
    )
  const newButton = (
    <ButtonLink look="primary" icon={Plus} to="/auths/$authId" params={{ authId: 'new' }}>
      {t('New auth')}
    </ButtonLink>
  )

  return (
    <Page title={t('Auths')} actions={newButton}>
      <Toolbar>
        <TextInput
          type="search"
          aria-label={t('Search auths')}
          placeholder={t('Search by name, connector or tag')}
          className="w-72"
          value={q}
          onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
        />
        <output className="ml-auto text-sm text-muted">
          {auths === null ? '' : plural(auths.length, 'auth')}
        </output>
      </Toolbar>
      <Loaded value={auths} failure={failure} what={t('The auths')} onRetry={() => void reload()}>
        {(list) => {
          const shown = list.filter(matches)
          if (list.length === 0)
            return (
              <EmptyState icon={KeyRound} title={t('No auths yet')} action={newButton}>
                {t(
                  'An auth holds the credentials that a connector calls its API with, encrypted. Steps choose it by name; its secrets are never shown again.',
                )}
              </EmptyState>
            )
          if (shown.length === 0)
            return (
              <EmptyState
                icon={FilterX}
                title={t('No auth matches')}
                action={<ButtonLink to="/auths">{t('Show all auths')}</ButtonLink>}
              >
                {t('None of the {{auths}} has “{{q}}” in its name, connector or tags.', {
                  auths: plural(list.length, 'auth'),
                  q,
                })}
              </EmptyState>
            )
          return <DataTable label={t('Auths')} noun={t('auth')} columns={columns} rows={shown} />
        }}
      </Loaded>
    </Page>
  )
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<ConnectorAuth>[] {
  return [
    {
      id: 'state',
      header: english('State'),
      width: '11.5rem',
      sortBy: (auth) => auth.state,
      cell: (auth) => <StatusBadge state={auth.state} />,
    },
    {
      id: 'name',
      header: english('Name'),
      width: 'minmax(10rem, 2fr)',
      sortBy: (auth) => auth.name.toLowerCase(),
      cell: (auth) => (
        <RowLink to="/auths/$authId" params={{ authId: auth.id }}>
          {auth.name}
        </RowLink>
      ),
    },
    {
      id: 'connector',
      header: english('Connector'),
      width: 'minmax(8rem, 1fr)',
      sortBy: (auth) => names.get(auth.connector_id)?.toLowerCase() ?? '',
      cell: (auth) =>
        names.get(auth.connector_id) ?? <span className="text-faint">{t('deleted connector')}</span>,
    },
    {
      id: 'type',
      header: english('Type'),
      width: '11rem',
      sortBy: (auth) => auth.auth_type,
      cell: (auth) => <span className="text-muted">{t(AUTH_TYPE_WORDS[auth.auth_type].label)}</span>,
    },
    {
      id: 'tags',
      header: english('Tags'),
      width: 'minmax(6rem, 1fr)',
      cell: (auth) => <span className="text-muted">{auth.tags.join(', ')}</span>,
    },
    {
      id: 'updated_at',
      header: english('Changed'),
      width: '7rem',
      sortBy: (auth) => auth.updated_at,
      cell: (auth) => <Time at={auth.updated_at} />,
    },
  ]
}
