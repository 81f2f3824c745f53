import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { BookOpen, FileUp, Search, Workflow } from '../../../lib/icons.tsx'
import { lazy, Suspense, useState } from 'react'
import { FLOW_STATUSES, createFlowRoute } from '../../../../shared/contract/flows.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import { FLOWS } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { timeColumn } from '../../../components/values/columns.tsx'
import { DataTable, RowLink } from '../../../components/values/data-table.tsx'
import type { Column } from '../../../components/values/data-table.tsx'
import { EmptyState } from '../../../components/screen/empty-state.tsx'
import {
  Filter,
  Filtered,
  NoMatches,
  SearchInput,
  useAddButton,
} from '../../../components/screen/list-screen.tsx'
import { Page, Toolbar } from '../../../components/screen/page.tsx'
import { stateWord, StatusBadge } from '../../../components/values/status-badge.tsx'
import { plural } from '../../../lib/format.ts'
import { english, t } from '../../../lib/i18n.ts'
import { DropToImport } from '../../../components/imports/drop-to-import.tsx'
import { faceOf } from '../step-types/index.ts'
import { walkSteps } from '../model/step-tree.ts'

const SamplesDialog = lazy(async () => ({ default: (await import('./samples-dialog.tsx')).SamplesDialog }))
const ImportFlowDialog = lazy(async () => ({
  default: (await import('./import-flow-dialog.tsx')).ImportFlowDialog,
}))
const NewFlowDialog = lazy(async () => ({ default: (await import('./new-flow-dialog.tsx')).NewFlowDialog }))

const route = getRouteApi('/flows')

export function FlowsPage() {
  const { q = '', status, create: creating = false, start, import: importing = false } = route.useSearch()
  const navigate = useNavigate({ from: '/flows' })
  const { data: flows, failure, reload } = useResource(FLOWS)
  const createButton = useAddButton({
    label: t('New flow'),
    group: t('Flows'),
    needs: createFlowRoute,
    onClick: () => void navigate({ search: (before) => ({ ...before, create: true }) }),
  })
  const [choosing, setChoosing] = useState(false)
  const openImport = () => void navigate({ search: (before) => ({ ...before, import: true }) })

  const newButton = (
    <span className="flex flex-wrap gap-2">
      <Button icon={FileUp} needs={createFlowRoute} onClick={openImport}>
        {t('Import')}
      </Button>
      <Button icon={BookOpen} needs={createFlowRoute} onClick={() => setChoosing(true)}>
        {t('New from sample')}
      </Button>
      {createButton}
    </span>
  )

  return (
    <DropToImport onDropped={openImport}>
      <Page title={t('Flows')} actions={flows?.length === 0 ? null : newButton}>
        <Toolbar>
          <div className="relative w-64 max-w-full">
            <Search size={13} aria-hidden className="absolute top-1/2 left-2 -translate-y-1/2 text-faint" />
            <SearchInput
              label={t('Search flows')}
              placeholder={t('Search by name or tag')}
              className="w-full pl-7"
              value={q}
              onChange={(text) =>
                void navigate({
                  search: ({ q: _q, ...rest }) => (text === '' ? rest : { ...rest, q: text }),
                  replace: true,
                })
              }
            />
          </div>
          <Filter
            label={t('Status')}
            any={t('Any status')}
            className="w-36"
            value={status}
            onChange={(next) =>
              void navigate({
                search: ({ status: _status, ...rest }) =>
                  next === undefined ? rest : { ...rest, status: next },
                replace: true,
              })
            }
            options={FLOW_STATUSES.map((one) => ({ value: one, label: stateWord(one) }))}
          />
          <output className="ml-auto text-sm text-muted">
            {flows === null ? '' : plural(flows.length, 'flow')}
          </output>
        </Toolbar>
        <Filtered
          value={flows}
          failure={failure}
          what={t('the flows')}
          onRetry={() => void reload()}
          matches={(flow) => matches(flow, q) && (status === undefined || flow.status === status)}
          empty={
            <EmptyState
              icon={Workflow}
              example={[t('Answer each order'), t('Webhook'), t('312 runs a day')]}
              title={t('No flows yet')}
              action={newButton}
            >
              {t(
                'A flow is a list of steps, started by a webhook, on a schedule or manually. Start with a webhook step, then add what should happen with each request.',
              )}
            </EmptyState>
          }
          none={
            <NoMatches title={t('No flows match')} to="/flows" all={t('Show all flows')}>
              {t('None of the {{flows}} matches this name, tag and status.', {
                flows: plural(flows?.length ?? 0, 'flow'),
              })}
            </NoMatches>
          }
        >
          {(rows) => (
            <>
              <InheritedFlows flows={flows ?? []} />
              <DataTable label={t('Flows')} noun={t('flow')} columns={COLUMNS} rows={rows} />
            </>
          )}
        </Filtered>
        <Suspense fallback={null}>
          {importing ? (
            <ImportFlowDialog
              onClose={() => void navigate({ search: ({ import: _import, ...rest }) => rest, replace: true })}
            />
          ) : null}
          {choosing ? <SamplesDialog onClose={() => setChoosing(false)} /> : null}
          {creating ? (
            <NewFlowDialog
              start={start}
              onClose={() =>
                void navigate({
                  search: ({ create: _create, start: _start, ...rest }) => rest,
                  replace: true,
                })
              }
            />
          ) : null}
        </Suspense>
      </Page>
    </DropToImport>
  )
}

/** Flows of deleted users don't run until a user has reviewed them. */
function InheritedFlows({ flows }: { readonly flows: readonly Flow[] }) {
  const inherited = flows.filter((flow) => flow.inherited === true)
  if (inherited.length === 0) return null
  return (
    <section
      aria-labelledby="inherited-flows"
      className="mb-3 flex flex-col gap-1.5 rounded border border-line bg-panel px-3 py-2.5"
    >
      <h2 id="inherited-flows" className="font-medium">
        {t('Flows of deleted users')}
      </h2>
      <p className="text-muted">
        {t(
          'They were paused when their owner was deleted and can use only connector auths that everyone can see. Review each one, because once you activate it, it uses what you have access to.',
        )}
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {inherited.map(({ id, name }) => (
          <li key={id}>
            <RowLink to="/flows/$flowId" params={{ flowId: id }}>
              {name}
            </RowLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

function matches({ name, tags }: Flow, wanted: string): boolean {
  const needle = wanted.toLowerCase()
  return [name, ...tags].some((text) => text.toLowerCase().includes(needle))
}

const COLUMNS: readonly Column<Flow>[] = [
  {
    id: 'status',
    header: english('Status'),
    width: '6.5rem',
    sortBy: (flow) => flow.status,
    cell: (flow) => <StatusBadge state={flow.status} />,
  },
  {
    id: 'name',
    header: english('Name'),
    width: 'minmax(16rem, 3fr)',
    sortBy: (flow) => flow.name.toLowerCase(),
    cell: (flow) => (
      <RowLink to="/flows/$flowId" params={{ flowId: flow.id }}>
        {flow.name}
      </RowLink>
    ),
  },
  {
    id: 'description',
    header: english('Description'),
    width: 'minmax(8rem, 4fr)',
    yields: 3,
    cell: (flow) => <span className="text-muted">{flow.description}</span>,
  },
  {
    id: 'trigger',
    header: english('Started by'),
    width: '7rem',
    yields: 5,
    sortBy: (flow) => triggerOf(flow),
    cell: (flow) => <span className="text-muted">{triggerOf(flow)}</span>,
  },
  {
    id: 'steps',
    header: english('Steps'),
    width: '4rem',
    yields: 2,
    align: 'end',
    sortBy: (flow) => walkSteps(flow.steps).length,
    cell: (flow) => walkSteps(flow.steps).length,
  },
  {
    id: 'version',
    header: english('Version'),
    width: '5rem',
    yields: 1,
    align: 'end',
    sortBy: (flow) => flow.version,
    cell: (flow) => flow.version,
  },
  timeColumn('updated_at', english('Changed'), { width: '6.5rem', yields: 4 }),
]

function triggerOf({ steps }: Flow): string {
  const labels = triggersOf(steps).map((step) => t(faceOf(step, null).label))
  return [...new Set(labels)].join(', ') || t('Manual')
}
