import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ArrowLeftRight, Equal } from '../../lib/icons.tsx'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { readFlowRoute } from '../../../shared/contract/flows.ts'
import {
  type DataChange,
  compareFlowRunRoute,
  type RunComparison,
  type StepComparison,
} from '../../../shared/contract/run-debugging.ts'
import { resource, useResource } from '../../api/resource.ts'
import { ButtonLink } from '../../components/controls/button.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page } from '../../components/screen/page.tsx'
import { describeError } from '../../components/runs/run-step-view.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { StatusBadge, StatusIcon } from '../../components/values/status-badge.tsx'
import { Duration, Time } from '../../components/values/time.tsx'
import { cx } from '../../lib/cx.ts'
import { formatDuration } from '../../lib/format.ts'
import { toJsonPath } from '../../lib/json-rows.ts'
import { t, tn } from '../../lib/i18n.ts'
import { stepsWithin } from '../../lib/steps-within.ts'
import { ChangeList } from '../../components/values/change-list.tsx'
import { StepName } from './step-name.tsx'

const route = getRouteApi('/runs/$runId/compare')

export function ComparePage() {
  const { runId } = route.useParams()
  const { with: other } = route.useSearch()
  return <Comparison key={`${runId} ${other ?? ''}`} runId={runId} other={other} />
}

function Comparison({ runId, other }: { readonly runId: string; readonly other: string | undefined }) {
  const {
    data: comparison,
    failure,
    reload,
  } = useResource(
    resource(compareFlowRunRoute, {
      nouns: [],
      params: { id: runId },
      // Without another run, it is compared with the flow's last successful run.
      query: other === undefined ? {} : { with: other },
    }),
  )
  const isMissing = comparison === null && failure?.code === 'not_found'
  return (
    <Page
      title={t('Comparison')}
      crumbs={[
        { label: t('Runs'), to: '/runs' },
        { label: comparison?.run.title ?? t('Run'), to: `/runs/${runId}` },
      ]}
      actions={
        comparison === null ? null : (
          <ButtonLink
            icon={ArrowLeftRight}
            to="/runs/$runId/compare"
            params={{ runId: comparison.other.id }}
            search={{ with: runId }}
          >
            {t('Swap')}
          </ButtonLink>
        )
      }
    >
      {isMissing ? (
        <EmptyState
          icon={Equal}
          title={t('Nothing to compare with')}
          action={
            <ButtonLink to="/runs/$runId" params={{ runId }}>
              {t('Back to the run')}
            </ButtonLink>
          }
        >
          {failure.message}
        </EmptyState>
      ) : (
        <Loaded value={comparison} failure={failure} what={t('the comparison')} onRetry={() => void reload()}>
          {(value) => <Sides comparison={value} />}
        </Loaded>
      )}
    </Page>
  )
}

function Sides({ comparison }: { readonly comparison: RunComparison }) {
  const { run, other, steps, answer, cut } = comparison
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/runs/$runId/compare' })
  const shown = steps.find((step) => keyOf(step) === search.step) ?? steps.find(isDifferent) ?? steps[0]
  const choose = (step: string) => void navigate({ search: (before) => ({ ...before, step }), replace: true })
  const different = steps.filter(isDifferent).length
  // Null if it was deleted.
  const { data: flow } = useResource(
    resource(readFlowRoute, { nouns: ['flow'], params: { id: run.flow_id } }),
  )
  const titles = new Map(stepsWithin(flow?.steps ?? []).map(({ ref_id: refId, title }) => [refId, title]))
  return (
    <>
      <div className="grid shrink-0 grid-cols-2 border-b border-line bg-surface">
        <Side name={t('Other run')} run={other} answer={answer.other} />
        <Side name={t('This run')} run={run} answer={answer.run} />
      </div>
      <p role="status" className="shrink-0 border-b border-line bg-surface px-4 py-1.5 text-muted">
        {different === 0
          ? t('Only timings differ.')
          : tn(different, '{{count}} step differs.', '{{count}} steps differ.')}{' '}
        {cut ? t('Only the first 2,000 steps are compared.') : ''}
      </p>
      <SplitPane name="compare" label={t('Steps width')} direction="row" initial={520} min={280} max={900}>
        <StepRows
          steps={steps}
          titles={titles}
          selected={shown === undefined ? undefined : keyOf(shown)}
          onSelect={choose}
        />
        <section
          aria-label={t('Changes')}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
          tabIndex={0}
          className="min-h-0 flex-1 overflow-auto bg-surface focus-visible:-outline-offset-2"
        >
          {shown === undefined ? null : <StepChanges step={shown} title={titles.get(shown.ref_id)} />}
          {answer.body.length === 0 ? null : (
            <section aria-label={t('Response')}>
              <h2 className="px-4 pt-4 pb-1 font-semibold">{t('Response to the caller')}</h2>
              <Changes changes={answer.body} label={t('Response changes')} />
            </section>
          )}
        </section>
      </SplitPane>
    </>
  )
}

interface SideProps {
  readonly name: string
  readonly run: FlowRun
  readonly answer: RunComparison['answer']['run']
}

function Side({ name, run, answer }: SideProps) {
  return (
    <div className="min-w-0 border-l border-line px-4 py-2 first:border-0">
      <div className="flex items-center gap-2">
        <span className="text-sm text-muted">{name}</span>
        <Link to="/runs/$runId" params={{ runId: run.id }} className="truncate font-medium hover:underline">
          {run.title}
        </Link>
        <StatusBadge state={stateOf(run)} />
      </div>
      <p className="truncate text-muted">
        <Time at={run.started_at ?? run.created_at} /> · <Duration ms={run.duration_ms} since={null} /> ·{' '}
        {t('version {{version}}', { version: run.flow_version })}
        {answer === null ? '' : ` · ${t('returned {{status}}', { status: answer.status })}`}
      </p>
    </div>
  )
}

interface StepRowsProps {
  readonly steps: readonly StepComparison[]
  /** The users' own titles, by reference name. */
  readonly titles: ReadonlyMap<string, string>
  readonly selected: string | undefined
  readonly onSelect: (key: string) => void
}

function StepRows({ steps, titles, selected, onSelect }: StepRowsProps) {
  const at = steps.findIndex((step) => keyOf(step) === selected)
  const move = (to: number) => {
    const step = steps[Math.min(steps.length - 1, Math.max(0, to))]
    if (step === undefined) return
    onSelect(keyOf(step))
    document.querySelector<HTMLElement>(`[data-step="${CSS.escape(keyOf(step))}"]`)?.focus()
  }
  useShortcut({ keys: 'j', label: t('Next step'), group: t('Run') }, () => move(at + 1))
  useShortcut({ keys: 'k', label: t('Previous step'), group: t('Run') }, () => move(at - 1))
  return (
    <div role="listbox" aria-label={t('Steps')} className="min-h-0 flex-1 overflow-auto bg-surface">
      <div
        aria-hidden
        className="sticky top-0 z-10 grid h-8 grid-cols-[minmax(0,1fr)_5rem_5rem] items-center gap-x-5 border-b border-line bg-surface px-4 text-sm font-medium text-muted"
      >
        <span>{t('Step')}</span>
        <span>{t('Other run')}</span>
        <span>{t('This run')}</span>
      </div>
      {steps.map((step, index) => (
        <div
          key={keyOf(step)}
          data-step={keyOf(step)}
          role="option"
          aria-selected={index === at}
          tabIndex={index === Math.max(0, at) ? 0 : -1}
          onClick={() => onSelect(keyOf(step))}
          onKeyDown={(event) => {
            const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
            if (by === undefined) return
            event.preventDefault()
            move(index + by)
          }}
          className={cx(
            'grid h-9 grid-cols-[minmax(0,1fr)_5rem_5rem] items-center gap-x-5 border-b border-line px-4',
            'focus-visible:-outline-offset-2',
            index === at ? 'bg-selected' : 'hover:bg-hover',
          )}
        >
          <span className={cx('flex min-w-0 items-center gap-2', isDifferent(step) ? '' : 'text-muted')}>
            <StepName step={step} title={titles.get(step.ref_id)} isShort />
            {isDifferent(step) ? <ChangeCount step={step} /> : null}
          </span>
          <StepSide side={step.other} />
          <StepSide side={step.run} />
        </div>
      ))}
    </div>
  )
}

function ChangeCount({ step: { input, output } }: { readonly step: StepComparison }) {
  const count = input.length + output.length
  return count === 0 ? null : (
    <span className="shrink-0 text-sm text-retrying">
      {tn(count, '{{count}} change', '{{count}} changes')}
    </span>
  )
}

function StepSide({ side }: { readonly side: StepComparison['run'] }) {
  if (side === null) return <span className="text-sm text-faint">{t('did not run')}</span>
  return (
    <span className="flex items-center justify-between gap-2">
      <StatusIcon state={stateOf(side)} size={14} />
      <span className="tabular text-sm text-muted">
        {side.duration_ms === null ? '' : formatDuration(side.duration_ms)}
      </span>
    </span>
  )
}

function StepChanges({ step, title }: { readonly step: StepComparison; readonly title: string | undefined }) {
  const { run, other, input, output } = step
  return (
    <section aria-label={t('Step {{refId}}', { refId: step.ref_id })}>
      <header className="flex min-h-10 flex-wrap items-center gap-3 px-4 py-1.5">
        <StepName step={step} title={title} />
        {step.truncated ? (
          <span className="text-sm text-retrying">{t('Shortened in the run history')}</span>
        ) : null}
      </header>
      {[other, run].map((side, index) =>
        side?.error === null || side?.error === undefined ? null : (
          <p key={side.id} className="px-4 pb-2 text-error">
            {index === 0 ? t('Other run') : t('This run')}: {describeError(side.error)}
          </p>
        ),
      )}
      {run === null || other === null ? (
        <p className="px-4 pb-3 text-muted">
          {run === null
            ? t('This step didn’t run in this run.')
            : t('This step didn’t run in the other run.')}
        </p>
      ) : input.length + output.length === 0 ? (
        <p className="px-4 pb-3 text-muted">{t('Input and output are identical.')}</p>
      ) : null}
      {input.length === 0 ? null : (
        <>
          <h2 className="px-4 pt-2 pb-1 font-semibold">{t('Input')}</h2>
          <Changes changes={input} label={t('Input changes')} />
        </>
      )}
      {output.length === 0 ? null : (
        <>
          <h2 className="px-4 pt-2 pb-1 font-semibold">{t('Output')}</h2>
          <Changes changes={output} label={t('Output changes')} />
        </>
      )}
    </section>
  )
}

/** Whether a step has anything to show. */
function isDifferent({ run, other, input, output }: StepComparison): boolean {
  return (
    run?.status !== other?.status || input.length > 0 || output.length > 0 || run?.attempt !== other?.attempt
  )
}

const keyOf = ({ ref_id, iteration }: StepComparison) => [ref_id, ...iteration].join('#')

function Changes({ changes, label }: { readonly changes: readonly DataChange[]; readonly label: string }) {
  const rows = changes.map(({ at, ...sides }) => ({ path: toJsonPath(at), ...sides }))
  return <ChangeList changes={rows} label={label} before={t('Other run')} after={t('This run')} />
}
