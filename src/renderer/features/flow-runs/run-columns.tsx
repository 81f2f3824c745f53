import type { ListedFlowRun, RunMatch } from '../../../shared/contract/flow-runs.ts'
import { RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { MarkedText } from '../../components/values/marked-text.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { Duration, Time } from '../../components/values/time.tsx'
import { cx } from '../../lib/cx.ts'
import { formatExact, formatTime } from '../../lib/format.ts'
import { english, t, tn } from '../../lib/i18n.ts'
import { sentenceOfError, statusOfError } from '../../lib/steps-within.ts'
import { causeOf, reasonOf } from './failure-in-short.ts'
import { startOf } from '../../components/runs/trigger-words.ts'

interface ColumnOptions {
  /** Whether the matched text replaces the outcome. */
  readonly isSearch: boolean
  /** Names of flows by ID. */
  readonly flowNames: ReadonlyMap<string, string>
  readonly selected: ReadonlySet<string>
  readonly onToggle: (id: string, range: boolean) => void
}

export function runColumns({
  isSearch,
  flowNames,
  selected,
  onToggle,
}: ColumnOptions): readonly Column<ListedFlowRun>[] {
  return [
    {
      id: 'selected',
      header: null,
      width: '1.25rem',
      cell: (run) => (
        <input
          type="checkbox"
          checked={selected.has(run.id)}
          aria-label={t('Select the run of {{title}}', { title: run.title })}
          onChange={(event) => onToggle(run.id, (event.nativeEvent as MouseEvent).shiftKey)}
          className="relative z-10 block size-4"
        />
      ),
    },
    {
      id: 'status',
      header: english('Status'),
      width: '7rem',
      // The column next to it says what it is waiting for.
      cell: (run) => (
        <StatusBadge state={stateOf(run)} {...(run.asks === true ? { label: t('Waiting') } : {})} />
      ),
    },
    {
      id: 'title',
      header: english('Title'),
      width: 'minmax(9rem, 4fr)',
      cell: (run) => (
        <RowLink to="/runs/$runId" params={{ runId: run.id }} search={searchOf(run)}>
          {titleOf(run)}
        </RowLink>
      ),
    },
    {
      id: 'error',
      header: isSearch ? english('Found in') : english('Result'),
      width: isSearch ? 'minmax(7rem, 7fr)' : 'minmax(7rem, 6fr)',
      yields: 5,
      cell: (run) => (isSearch ? <Found run={run} /> : <Outcome run={run} />),
    },
    {
      id: 'flow',
      header: english('Flow'),
      width: 'minmax(7rem, 1.5fr)',
      yields: 3,
      cell: (run) => {
        const name = flowNames.get(run.flow_id)
        return name === undefined || name === run.title ? null : <span className="text-muted">{name}</span>
      },
    },
    {
      id: 'trigger',
      header: english('Trigger'),
      width: '5rem',
      yields: 1,
      cell: (run) => <span className="text-muted">{startOf(run)}</span>,
    },
    {
      id: 'started',
      header: english('Started'),
      width: '5rem',
      yields: 4,
      cell: (run) => <TimeOfDay at={run.created_at} />,
    },
    {
      id: 'duration',
      header: english('Duration'),
      width: '5rem',
      yields: 2,
      align: 'end',
      cell: (run) => <Duration ms={run.duration_ms} since={run.started_at} />,
    },
  ]
}

/** The day is in the heading above. */
function TimeOfDay({ at }: { readonly at: string }) {
  const instant = Date.parse(at)
  return (
    <time dateTime={at} title={formatExact(instant)} className="tabular whitespace-nowrap">
      {formatTime(instant)}
    </time>
  )
}

/** Opens the step that contains the text. */
function searchOf({ matches }: ListedFlowRun) {
  const match = matches?.find(({ step_id: step }) => step !== null)
  if (match?.step_id === undefined || match.step_id === null) return {}
  const tab = { input: 'input', output: 'output', http: 'http' } as const
  const field = match.field
  return {
    step: match.step_id,
    ...(field === 'input' || field === 'output' || field === 'http' ? { tab: tab[field] } : {}),
  }
}

function Found({ run: { matches = [] } }: { readonly run: ListedFlowRun }) {
  const [first, ...others] = matches
  if (first === undefined) return null
  return (
    <>
      <MatchSnippet match={first} />
      {others.length === 0 ? null : (
        <span className="ml-2 text-sm text-faint">
          {tn(others.length, '+{{count}} place', '+{{count}} places')}
        </span>
      )}
    </>
  )
}

function Outcome({ run }: { readonly run: ListedFlowRun }) {
  if (run.error !== null) {
    const cause = causeOf(run.error.ref_id, statusOfError(run.error))
    return (
      <span className="text-sm" title={sentenceOfError(run.error)}>
        {cause === null ? null : <span className="font-medium text-error">{cause}</span>}{' '}
        <span className={cause === null ? 'text-error' : 'text-muted'}>{reasonOf(run.error)}</span>
      </span>
    )
  }
  if (run.warnings.length > 0)
    return (
      <span className="text-sm text-retrying">
        {tn(run.warnings.length, '{{count}} warning', '{{count}} warnings')}
      </span>
    )
  if (run.asks === true) return <span className="text-sm text-retrying">{t('waiting for an answer')}</span>
  if (run.parked_until !== undefined && run.stopped !== true)
    return (
      <span className="text-sm text-retrying">
        {t('continues')} <Time at={run.parked_until} />
      </span>
    )
  if (run.answer !== undefined)
    return (
      <span className="text-sm" title={run.answer.body ?? undefined}>
        <span className={cx('tabular font-medium', run.answer.status < 400 ? 'text-success' : 'text-error')}>
          {run.answer.status}
        </span>{' '}
        <code className="text-muted">{run.answer.body === null ? '' : inOneLine(run.answer.body)}</code>
      </span>
    )
  return run.attempt > 1 ? (
    <span className="text-sm text-muted">{t('attempt {{count}}', { count: run.attempt })}</span>
  ) : null
}

/** The response has its own column, so a title that ends with it is shown without it. */
function titleOf({ title, answer }: ListedFlowRun): string {
  const told = answer === undefined || answer.body === null ? '' : ` → ${inOneLine(answer.body)}`
  return told !== '' && title.length > told.length && title.endsWith(told)
    ? title.slice(0, -told.length)
    : title
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')

/** The match in a run, with the searched words highlighted. */
function MatchSnippet({ match }: { readonly match: RunMatch }) {
  const place = [match.ref_id, fieldWord(match.field)].filter((part) => part !== null).join(' · ')
  return (
    <span className="text-sm" title={match.snippet}>
      <span className="text-faint">{place} </span>
      <MarkedText {...match} />
    </span>
  )
}

function fieldWord(field: RunMatch['field']): string {
  return {
    title: t('title'),
    error: t('error'),
    request: t('request header'),
    input: t('input'),
    output: t('output'),
    http: t('HTTP request'),
  }[field]
}
