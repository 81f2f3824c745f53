import type { FailureCause } from '../../../shared/contract/flow-runs.ts'
import { ResolveCauseButton } from '../../components/runs/resolve-button.tsx'
import { actionsColumn } from '../../components/values/columns.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { Time } from '../../components/values/time.tsx'
import { plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import { sentenceOfError } from '../../lib/steps-within.ts'
import { useMemo } from 'react'
import { causeOf, reasonOf } from './failure-in-short.ts'

interface CauseListProps {
  readonly causes: readonly FailureCause[]
  /** Names of flows by ID. */
  readonly flowNames: ReadonlyMap<string, string>
}

/** Failed runs grouped by cause; a line opens the list of its runs. */
export function CauseList({ causes, flowNames }: CauseListProps) {
  const columns = useMemo(() => columnsOf(flowNames), [flowNames])
  const rows = useMemo(() => causes.map((cause) => ({ id: idOf(cause), cause })), [causes])
  return <DataTable label={t('Failures by cause')} noun={t('cause')} columns={columns} rows={rows} />
}

interface Row {
  readonly id: string
  readonly cause: FailureCause
}

function columnsOf(flowNames: ReadonlyMap<string, string>): readonly Column<Row>[] {
  return [
    {
      id: 'cause',
      header: english('Cause'),
      width: 'minmax(11rem, 3fr)',
      cell: ({ cause }) => (
        <RowLink
          to="/runs"
          search={(before) => ({
            ...before,
            causes: undefined,
            status: 'error' as const,
            flow: cause.flow_id,
            at: cause.ref_id ?? 'null',
            code: cause.code,
            http: String(cause.status),
          })}
        >
          {causeOf(cause.ref_id, cause.status) ?? cause.code}
        </RowLink>
      ),
    },
    {
      id: 'count',
      header: english('Runs'),
      width: '6rem',
      align: 'end',
      cell: ({ cause }) => plural(cause.count, 'run'),
    },
    {
      id: 'reason',
      header: english('Latest message'),
      width: 'minmax(12rem, 6fr)',
      yields: 3,
      cell: ({ cause: { newest } }) =>
        newest.error === null ? null : (
          <span className="text-sm text-muted" title={sentenceOfError(newest.error)}>
            {reasonOf(newest.error)}
          </span>
        ),
    },
    {
      id: 'flow',
      header: english('Flow'),
      width: 'minmax(8rem, 3fr)',
      yields: 1,
      cell: ({ cause }) => <span className="text-muted">{flowNames.get(cause.flow_id)}</span>,
    },
    {
      id: 'newest',
      header: english('Last failure'),
      width: '7rem',
      yields: 2,
      align: 'end',
      cell: ({ cause }) => <Time at={cause.newest.created_at} />,
    },
    actionsColumn('7rem', ({ cause }) =>
      cause.newest.resolved === undefined ? (
        <ResolveCauseButton cause={cause} name={flowNames.get(cause.flow_id) ?? cause.flow_id} />
      ) : null,
    ),
  ]
}

const idOf = ({ flow_id: flow, ref_id: ref, code, status }: FailureCause) =>
  JSON.stringify([flow, ref, code, status])
