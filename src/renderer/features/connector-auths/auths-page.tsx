import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FilterX, KeyRound, Plus } from '../../lib/icons.tsx'
import { useMemo } from 'react'
import {
  AUTH_STATES,
  AUTH_VISIBILITIES,
  createConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth, ConnectorAuthUse } from '../../../shared/contract/connector-auths.ts'
import { AUTH_TYPES, type Connector } from '../../../shared/contract/connectors.ts'
import { AUTH_USES, CONNECTOR_AUTHS, CONNECTORS } from '../../api/lists.ts'
import { together, useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { TimeOrNever } from '../../components/values/columns.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Filter, Filtered, NoMatches, SearchInput } from '../../components/screen/list-screen.tsx'
import { ConnectorLinks } from '../../components/screen/screen-links.tsx'
import { Page, Toolbar } from '../../components/screen/page.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { AuthBadge, badgeState } from '../../components/auths/auth-badge.tsx'
import { AuthSheet } from '../../components/auths/auth-sheet.tsx'
import { AuthDays } from '../../components/auths/auth-days.tsx'
import { ServiceMark } from '../../components/services/service-mark.tsx'
import { stateWord } from '../../components/values/status-badge.tsx'
import { Time } from '../../components/values/time.tsx'
import { plural } from '../../lib/format.ts'
import { english, t, tn } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { AUTH_TYPE_WORDS } from '../../components/auths/auth-draft.ts'

const route = getRouteApi('/auths')

export function AuthsPage() {
  const navigate = useNavigate({ from: '/auths' })
  const { create, connector = '' } = route.useSearch()
  const { data, failure, reload } = together({
    auths: useResource(CONNECTOR_AUTHS),
    connectors: useResource(CONNECTORS),
    uses: useResource(AUTH_USES),
  })
  const close = () => void navigate({ search: (before) => ({ ...before, create: undefined }), replace: true })
  const { auths = null, connectors = NONE, uses = NONE } = data ?? {}
  useShortcut(
    {
      keys: 'n',
      label: t('New connector auth'),
      group: t('Connector auths'),
      needs: createConnectorAuthRoute,
    },
    () => void navigate({ search: (before) => ({ ...before, create: true }) }),
  )

  const names = useMemo(() => new Map(connectors.map(({ id, name }) => [id, name])), [connectors])
  const columns = useMemo(
    () =>
      authColumns(
        new Map(connectors.map((connector) => [connector.id, connector])),
        new Map(uses.map((use) => [use.auth_id, use])),
      ),
    [connectors, uses],
  )
  const matches = useFilter(names)
  const newButton = (
    <ButtonLink
      look="primary"
      icon={Plus}
      needs={createConnectorAuthRoute}
      to="/auths"
      search={(before) => ({ ...before, create: true })}
    >
      {t('New connector auth')}
    </ButtonLink>
  )

  return (
    <Page title={t('Connector auths')} actions={auths?.length === 0 ? null : newButton}>
      <ConnectorLinks />
      {create === true ? (
        <AuthSheet
          connectorId={connector}
          connectorGiven={connector !== ''}
          onClose={close}
          onReady={close}
        />
      ) : null}
      <Filters auths={auths ?? []} names={names} />
      <Filtered
        value={auths}
        failure={failure}
        what={t('the connector auths')}
        onRetry={reload}
        matches={matches}
        empty={
          <EmptyState
            icon={KeyRound}
            example={[t('HubSpot (shop)'), t('Private app token'), t('works')]}
            title={t('No connector auths yet')}
            action={newButton}
          >
            {t(
              'A connector auth stores the credentials for calling a connector’s API. Steps use it by name. Its secrets are encrypted and never shown again.',
            )}
          </EmptyState>
        }
        none={
          <NoMatches title={t('No connector auths match')} to="/auths" all={t('Show all connector auths')}>
            {tn(
              auths?.length ?? 0,
              '{{count}} connector auth hidden by filters',
              '{{count}} connector auths hidden by filters',
            )}
          </NoMatches>
        }
      >
        {(rows) => (
          <DataTable label={t('Connector auths')} noun={t('connector auth')} columns={columns} rows={rows} />
        )}
      </Filtered>
    </Page>
  )
}

const NONE: readonly never[] = []

/** The filters of the URL: all of them must match. */
function useFilter(names: ReadonlyMap<string, string>): (auth: ConnectorAuth) => boolean {
  const { q = '', connector, type, state, visible, tag } = route.useSearch()
  const needle = q.toLowerCase()
  return (auth) =>
    (connector === undefined || auth.connector_id === connector) &&
    (type === undefined || auth.auth_type === type) &&
    (state === undefined || auth.state === state) &&
    (visible === undefined || auth.access.visibility === visible) &&
    (tag === undefined || auth.tags.includes(tag)) &&
    [auth.name, names.get(auth.connector_id) ?? '', ...auth.tags].some((text) =>
      text.toLowerCase().includes(needle),
    )
}

interface FiltersProps {
  readonly auths: readonly ConnectorAuth[]
  readonly names: ReadonlyMap<string, string>
}

function Filters({ auths, names }: FiltersProps) {
  const { create: _, ...search } = route.useSearch()
  const navigate = useNavigate({ from: '/auths' })
  const filter = (patch: Readonly<Record<string, string | undefined>>) =>
    void navigate({
      search: Object.fromEntries(
        Object.entries({ ...search, ...patch }).filter(([, value]) => value !== undefined && value !== ''),
      ),
      replace: true,
    })
  const used = [...new Set(auths.map((auth) => auth.connector_id))]
  const tags = [...new Set(auths.flatMap((auth) => auth.tags))].sort()
  return (
    <Toolbar>
      <SearchInput
        label={t('Search connector auths')}
        placeholder={t('Search by name, connector or tag')}
        className="w-60"
        value={search.q ?? ''}
        onChange={(q) => filter({ q })}
      />
      <Filter
        label={t('Connector')}
        any={t('Any connector')}
        className="w-40"
        value={search.connector}
        onChange={(connector) => filter({ connector })}
        options={used.map((id) => ({ value: id, label: names.get(id) ?? id }))}
      />
      <Filter
        label={t('Type')}
        any={t('Any type')}
        className="w-36"
        value={search.type}
        onChange={(type) => filter({ type })}
        options={AUTH_TYPES.map((value) => ({ value, label: t(AUTH_TYPE_WORDS[value].label) }))}
      />
      <Filter
        label={t('State')}
        any={t('Any state')}
        className="w-32"
        value={search.state}
        onChange={(state) => filter({ state })}
        options={AUTH_STATES.map((value) => ({ value, label: stateWord(value) }))}
      />
      <Filter
        label={t('Visible to')}
        any={t('Visible to anyone')}
        className="w-40"
        value={search.visible}
        onChange={(visible) => filter({ visible })}
        options={AUTH_VISIBILITIES.map((value) => ({ value, label: t(VISIBILITY_WORDS[value]) }))}
      />
      {tags.length === 0 ? null : (
        <Filter
          label={t('Tag')}
          any={t('Any tag')}
          className="w-28"
          value={search.tag}
          onChange={(tag) => filter({ tag })}
          options={tags.map((value) => ({ value, label: value }))}
        />
      )}
      {Object.keys(search).length === 0 ? null : (
        <Button look="quiet" icon={FilterX} onClick={() => void navigate({ search: {}, replace: true })}>
          {t('Clear filters')}
        </Button>
      )}
      <output className="ml-auto text-sm text-muted">{plural(auths.length, 'connector auth')}</output>
    </Toolbar>
  )
}

const VISIBILITY_WORDS: { readonly [V in ConnectorAuth['access']['visibility']]: English } = {
  account: english('Everyone'),
  selected: english('Selected users'),
  private: english('Private'),
}

function authColumns(
  connectors: ReadonlyMap<string, Connector>,
  uses: ReadonlyMap<string, ConnectorAuthUse>,
): readonly Column<ConnectorAuth>[] {
  return [
    {
      id: 'state',
      header: english('State'),
      width: '10rem',
      sortBy: (auth) => badgeState(auth, uses.get(auth.id), Date.now()),
      cell: (auth) => <AuthBadge auth={auth} use={uses.get(auth.id)} />,
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
      width: 'minmax(6rem, 1.2fr)',
      yields: 8,
      sortBy: (auth) => connectors.get(auth.connector_id)?.name.toLowerCase() ?? '',
      cell: (auth) => {
        const connector = connectors.get(auth.connector_id)
        if (connector === undefined) return <span className="text-faint">{t('deleted connector')}</span>
        return (
          <span className="flex min-w-0 items-center gap-2">
            <ServiceMark connector={connector} size={18} />
            <span className="truncate">{connector.name}</span>
          </span>
        )
      },
    },
    {
      id: 'type',
      header: english('Type'),
      width: 'minmax(6.5rem, 1fr)',
      yields: 7,
      sortBy: (auth) => auth.auth_type,
      cell: (auth) => <span className="text-muted">{t(AUTH_TYPE_WORDS[auth.auth_type].label)}</span>,
    },
    {
      id: 'visible',
      header: english('Visible to'),
      width: '5rem',
      yields: 6,
      sortBy: (auth) => auth.access.visibility,
      cell: ({ access }) => <span className="text-muted">{t(VISIBILITY_WORDS[access.visibility])}</span>,
    },
    {
      id: 'tags',
      header: english('Tags'),
      width: 'minmax(3rem, 0.8fr)',
      yields: 1,
      cell: (auth) => <span className="text-muted">{auth.tags.join(', ')}</span>,
    },
    {
      id: 'ends',
      header: english('Expires'),
      width: '5rem',
      // The badge shows it, too.
      yields: 2,
      sortBy: (auth) => auth.token_expires_at ?? '9999',
      cell: (auth) => <Ends auth={auth} />,
    },
    {
      id: 'used',
      header: english('Last used'),
      width: '5.5rem',
      yields: 4,
      sortBy: (auth) => uses.get(auth.id)?.last_used ?? '',
      cell: (auth) => <TimeOrNever at={uses.get(auth.id)?.last_used ?? null} />,
    },
    {
      id: 'days',
      header: english('Last 30 days'),
      width: '15.5rem',
      yields: 5,
      cell: (auth) => <AuthDays use={uses.get(auth.id)} />,
    },
    {
      id: 'flows',
      header: english('Flows'),
      width: '3.5rem',
      yields: 3,
      align: 'end',
      sortBy: (auth) => uses.get(auth.id)?.flows.length ?? 0,
      cell: (auth) => {
        const flows = uses.get(auth.id)?.flows ?? []
        return <span title={flows.map(({ name }) => name).join(', ')}>{flows.length}</span>
      },
    },
  ]
}

/** When the access token expires, if the API reported it. With a refresh token, it is renewed automatically. */
function Ends({ auth: { token_expires_at: at, secrets } }: { readonly auth: ConnectorAuth }) {
  if (at === null) return <span className="text-faint">—</span>
  if (secrets['refresh_token'] === true) return <span title={at}>{t('refreshed')}</span>
  return <Time at={at} />
}
