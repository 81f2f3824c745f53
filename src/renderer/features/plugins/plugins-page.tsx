import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Plugin } from '../../../shared/contract/plugins/plugins.ts'
import { PLUGINS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { Button, IconButton } from '../../components/controls/button.tsx'
import { AnyIcon } from '../../components/plugins/any-icon.tsx'
import { titleOfPlugin } from '../../components/plugins/plugin-words.ts'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page, useHelpOpener } from '../../components/screen/page.tsx'
import { SettingsLinks } from '../../components/screen/screen-links.tsx'
import { type Column, DataTable, RowLink } from '../../components/values/data-table.tsx'
import { Time } from '../../components/values/time.tsx'
import { plural } from '../../lib/format.ts'
import { english, t, translateMessage } from '../../lib/i18n.ts'
import { BookOpen, Puzzle, RefreshCw } from '../../lib/icons.tsx'
import { abilitiesOf } from './abilities.ts'
import { PluginSheet } from './plugin-sheet.tsx'
import { AddCommand, PluginState } from './plugin-state.tsx'

const route = getRouteApi('/plugins')

interface Row extends Plugin {
  readonly id: string
}

/** What plug-ins add, what they can access, and whether a user has confirmed them. */
export function PluginsPage() {
  const { plugin: opened } = route.useSearch()
  const navigate = useNavigate({ from: '/plugins' })
  const { data: plugins, failure, reload } = useResource(PLUGINS)
  const rows = useMemo(() => plugins?.map((one): Row => ({ ...one, id: one.name })) ?? null, [plugins])
  const close = () => void navigate({ search: {}, replace: true })
  return (
    <Page
      title={t('Plug-ins')}
      actions={
        <IconButton label={t('Read the folders again')} icon={RefreshCw} onClick={() => void reload()} />
      }
    >
      <SettingsLinks />
      <Loaded value={rows} failure={failure} what={t('the plug-ins')} onRetry={() => void reload()}>
        {(list) => (
          <>
            {list.length === 0 ? (
              <NoPlugins />
            ) : (
              <DataTable
                label={t('Plug-ins')}
                noun={t('plug-in')}
                columns={COLUMNS}
                rows={list}
                selectedId={opened}
              />
            )}
            {opened === undefined ? null : (
              <PluginSheet
                key={opened}
                name={opened}
                plugin={list.find(({ name }) => name === opened)}
                onClose={close}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function NoPlugins() {
  const openHelp = useHelpOpener()
  return (
    <EmptyState
      icon={Puzzle}
      example={[t('Weather'), t('2 steps, 1 trigger'), '1.0.0']}
      title={t('No plug-ins yet')}
      action={
        <>
          <AddCommand />
          <Button icon={BookOpen} onClick={openHelp}>
            {t('How to write a plug-in')}
          </Button>
        </>
      }
    >
      {t(
        'A plug-in adds its own steps and triggers. Add one from its folder, then confirm here what it can reach.',
      )}
    </EmptyState>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'title',
    header: english('Name'),
    width: 'minmax(14rem, 1.4fr)',
    sortBy: (one) => titleOfPlugin(one).toLowerCase(),
    cell: (one) => <Name plugin={one} />,
  },
  {
    id: 'version',
    header: english('Version'),
    width: '5rem',
    yields: 2,
    cell: ({ manifest }) => <span className="tabular text-muted">{manifest?.version}</span>,
  },
  {
    id: 'adds',
    header: english('Adds'),
    width: 'minmax(8rem, 0.7fr)',
    yields: 3,
    cell: ({ manifest }) => <span className="truncate text-muted">{additionsOf(manifest)}</span>,
  },
  {
    id: 'reach',
    header: english('Can reach'),
    width: 'minmax(12rem, 1.6fr)',
    yields: 4,
    cell: (plugin) => (
      <span className="truncate text-muted">
        {plugin.manifest === null ? translateMessage(plugin.problem ?? '', plugin) : reachOf(plugin.manifest)}
      </span>
    ),
  },
  {
    id: 'confirmed_at',
    header: english('Confirmed'),
    width: '7rem',
    yields: 1,
    sortBy: ({ confirmed_at: at }) => at ?? '',
    cell: ({ confirmed_at: at }) => (at === null ? null : <Time at={at} />),
  },
  {
    id: 'status',
    header: english('State'),
    width: '8rem',
    sortBy: ({ status }) => status,
    cell: ({ status }) => <PluginState status={status} />,
  },
]

function Name({ plugin }: { readonly plugin: Plugin }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <AnyIcon name={plugin.manifest?.icon ?? 'puzzle'} size={15} className="shrink-0 text-muted" />
      <RowLink to="/plugins" search={{ plugin: plugin.name }}>
        {titleOfPlugin(plugin)}
      </RowLink>
      <code className="min-w-0 truncate text-code text-muted">{plugin.name}</code>
    </span>
  )
}

function additionsOf(manifest: Plugin['manifest']): string {
  const { steps = [], triggers = [], filters = [], connectors = [] } = manifest ?? {}
  return [
    ...(steps.length === 0 ? [] : [plural(steps.length, 'step')]),
    ...(triggers.length === 0 ? [] : [plural(triggers.length, 'trigger')]),
    ...(filters.length === 0 ? [] : [plural(filters.length, 'filter')]),
    ...(connectors.length === 0 ? [] : [plural(connectors.length, 'connector')]),
  ].join(', ')
}

function reachOf(manifest: NonNullable<Plugin['manifest']>): string {
  const abilities = abilitiesOf(manifest)
  return abilities.length === 0
    ? t('Nothing: it can only compute')
    : abilities.map(({ text }) => text).join('; ')
}
