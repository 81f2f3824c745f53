import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Braces } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { createEnvVariableRoute, deleteEnvVariableRoute } from '../../../shared/contract/env-variables.ts'
import type { EnvVariable } from '../../../shared/contract/env-variables.ts'
import { formatJson } from '../../lib/json.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { actionsColumn, DeleteIcon, timeColumn } from '../../components/values/columns.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Filtered, NoMatches, SearchBar, useAddButton } from '../../components/screen/list-screen.tsx'
import { Page } from '../../components/screen/page.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { deleteWithUndo } from '../../components/screen/toast.tsx'
import { plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import { EnvVariableDialog } from './env-variable-dialog.tsx'
import { ENV_VARIABLES, REENTRY } from './env-variables.ts'

const route = getRouteApi('/env-variables')

/** Values that every template can read by their bare name. */
export function EnvVariablesPage() {
  const { q = '', edit } = route.useSearch()
  const navigate = useNavigate({ from: '/env-variables' })
  const api = useApi()
  const { data: variables, failure, reload } = useResource(ENV_VARIABLES)
  const [deleting, setDeleting] = useState<EnvVariable | null>(null)

  const newButton = useAddButton({
    label: t('New variable'),
    group: t('Variables'),
    needs: createEnvVariableRoute,
    onClick: () => void navigate({ search: { edit: 'new' } }),
  })
  const columns = useMemo(() => variableColumns(setDeleting), [])
  const edited = variables?.find(({ id }) => id === edit)

  return (
    <Page title={t('Variables')} actions={variables?.length === 0 ? null : newButton}>
      <SearchBar
        label={t('Search variables')}
        placeholder={t('Search by name')}
        value={q}
        onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
        count={variables === null ? '' : plural(variables.length, 'variable')}
      />
      <Filtered
        value={variables}
        failure={failure}
        what={t('the variables')}
        onRetry={() => void reload()}
        matches={({ name }) => name.toLowerCase().includes(q.toLowerCase())}
        empty={
          <EmptyState
            icon={Braces}
            example={['shop_url', 'https://shop.example', t('text')]}
            title={t('No variables yet')}
            action={newButton}
          >
            {t(
              'A variable is a value that flows and connectors use by name, for example the URL of a shop. Secret variables are stored encrypted and hidden in the run history.',
            )}
          </EmptyState>
        }
        none={
          <NoMatches title={t('No variables match')} to="/env-variables" all={t('Show all variables')}>
            {t('None of the {{variables}} has “{{q}}” in its name.', {
              variables: plural(variables?.length ?? 0, 'variable'),
              q,
            })}
          </NoMatches>
        }
      >
        {(rows) => <DataTable label={t('Variables')} noun={t('variable')} columns={columns} rows={rows} />}
      </Filtered>
      {edit === 'new' || edited !== undefined ? (
        <EnvVariableDialog
          key={edit}
          variable={edited}
          onClose={() => void navigate({ search: q === '' ? {} : { q }, replace: true })}
        />
      ) : null}
      <ConfirmDialog
        open={deleting !== null}
        title={t('Delete “{{name}}”?', { name: deleting?.name ?? '' })}
        action={t('Delete variable')}
        onClose={() => setDeleting(null)}
        onConfirm={() => {
          if (deleting === null) return
          const { id, name } = deleting
          const text = t('Variable “{{name}}” deleted', { name })
          deleteWithUndo(api, deleteEnvVariableRoute, { params: { id }, query: REENTRY }, { id, name, text })
        }}
      >
        {t('Templates that use {{place}} will fail.', {
          place: `{{ ${deleting?.name ?? ''} }}`,
        })}
      </ConfirmDialog>
    </Page>
  )
}

function variableColumns(onDelete: (variable: EnvVariable) => void): readonly Column<EnvVariable>[] {
  return [
    {
      id: 'name',
      header: english('Name'),
      width: 'minmax(10rem, 1fr)',
      sortBy: (variable) => variable.name.toLowerCase(),
      cell: (variable) => (
        <RowLink to="/env-variables" search={{ edit: variable.id }}>
          <code className="text-code">{variable.name}</code>
        </RowLink>
      ),
    },
    {
      id: 'type',
      header: english('Type'),
      width: '5rem',
      yields: 2,
      sortBy: (variable) => variable.type,
      cell: (variable) => <span className="text-muted">{variable.type}</span>,
    },
    {
      id: 'value',
      header: english('Value'),
      width: 'minmax(12rem, 2fr)',
      yields: 3,
      cell: (variable) => <Value variable={variable} />,
    },
    timeColumn('updated_at', english('Changed'), { width: '7rem', yields: 1 }),
    actionsColumn('4rem', (variable) => (
      <>
        <CopyIcon
          label={t('Copy {{place}}', { place: `{{ ${variable.name} }}` })}
          text={`{{ ${variable.name} }}`}
        />
        <DeleteIcon name={variable.name} needs={deleteEnvVariableRoute} onClick={() => onDelete(variable)} />
      </>
    )),
  ]
}

function Value({ variable: { value, secret, state } }: { readonly variable: EnvVariable }) {
  if (state === 'needs_reentry') return <StatusBadge state="needs_reentry" />
  if (secret) return <span className="text-muted">•••••••• {t('secret')}</span>
  return (
    <code className="text-code text-muted">{typeof value === 'string' ? value : formatJson(value, 0)}</code>
  )
}
