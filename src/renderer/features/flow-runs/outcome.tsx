import { Link } from '@tanstack/react-router'
import { CircleX, PencilLine, Play } from '../../lib/icons.tsx'
import type { FlowRun, FlowRunStep, RunError } from '../../../shared/contract/flow-runs.ts'
import { resumeFlowRunRoute } from '../../../shared/contract/flow-runs.ts'
import { facesOf } from '../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { WayOut } from '../../components/auths/way-out.tsx'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { RunStops } from '../../components/runs/run-stops.tsx'
import { exchangesOf } from '../../components/runs/run-step-view.tsx'
import { TRIGGER_WORDS } from '../../components/runs/trigger-words.ts'
import { attempt } from '../../components/screen/toast.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { stateWord, StatusIcon } from '../../components/values/status-badge.tsx'
import { Duration, Time } from '../../components/values/time.tsx'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { t, translateMessage } from '../../lib/i18n.ts'
import { statusOfError } from '../../lib/steps-within.ts'
import { failureInShort } from './failure-in-short.ts'
import { resumeLabel } from './resume-label.ts'
import { RunAnswer } from './run-answer.tsx'
import { RunQuestions } from './run-questions.tsx'
import { hasEnded, type RunState } from './run-store.ts'
import { pagesRead } from './timeline.ts'
import { pageWords } from './waterfall.tsx'

interface OutcomeProps extends Omit<RunState, 'run'> {
  readonly run: FlowRun
  readonly onResume: () => Promise<void>
}

/** The result of the run in one large line, then what led to it. */
export function Outcome(props: OutcomeProps) {
  const { run, answer, request } = props
  return (
    <section aria-label={t('Result')} className="shrink-0 border-b border-line bg-surface">
      {run.error === null ? <Headline {...props} /> : <Failure {...props} />}
      <Facts {...props} />
      <RunStops run={run} />
      <RunAnswer answer={answer} request={request} />
    </section>
  )
}

const LARGE = 'text-2xl font-semibold wrap-anywhere'

function Headline({ run, steps, flowSteps, after, longLists, answer }: OutcomeProps) {
  const state = stateOf(run)
  const current = hasEnded(run.status) || run.asks === true ? undefined : steps?.at(-1)
  const parts = [
    state === 'success' ? t('Worked') : stateWord(state),
    current === undefined ? null : flowSteps[current.ref_id]?.title || current.ref_id,
    answer?.status,
    hasEnded(run.status) && steps !== null && after === null ? whatCameOut(steps, longLists) : null,
  ].filter((part) => part !== null && part !== undefined)
  return (
    <div className="px-4 pt-3">
      <h2 className={cx('tabular flex items-center gap-2.5', LARGE)}>
        <StatusIcon silent state={state} size={20} />
        <span>
          {parts.join(' · ')} · <Duration ms={run.duration_ms} since={run.started_at} />
        </span>
      </h2>
      <RunQuestions run={run} />
    </div>
  )
}

/** The number of records and pages that the run read; if none, the number of its steps. */
function whatCameOut(steps: readonly FlowRunStep[], longLists: OutcomeProps['longLists']): string {
  const lists = steps.flatMap((step) => {
    const read = pagesRead(step)
    return read === null ? [] : { ...read, records: longLists[step.id] ?? read.records }
  })
  if (lists.length === 0) return plural(steps.length, 'step')
  return pageWords({
    records: lists.reduce((sum, { records }) => sum + records, 0),
    pages: lists.reduce((sum, { pages }) => sum + pages, 0),
  })
}

function Facts({ run, flowName, steps, after }: OutcomeProps) {
  const calls = steps?.reduce((sum, step) => sum + exchangesOf(step).length, 0) ?? 0
  const resumedAt = steps?.findLast((step) => step.earlier_attempts !== undefined)?.started_at
  return (
    <dl className="flex flex-wrap items-center gap-x-5 gap-y-1 px-4 py-2 text-sm">
      <Fact name={t('Flow')}>
        {flowName ?? '…'}{' '}
        <span className="text-muted">{t('version {{flowVersion}}', { flowVersion: run.flow_version })}</span>
      </Fact>
      <Fact name={t('Trigger')}>
        {run.trigger === 'replay' && run.parent_run_id !== null ? (
          <Link
            to="/runs/$runId"
            params={{ runId: run.parent_run_id }}
            className="rounded-sm text-accent-text hover:underline"
          >
            {t('Replay of an earlier run')}
          </Link>
        ) : (
          t(TRIGGER_WORDS[run.trigger])
        )}
        {run.trigger_ref === undefined ? null : <code className="ref-tag ml-1.5">{run.trigger_ref}</code>}
      </Fact>
      <Fact name={run.started_at === null ? t('Queued') : t('Started')}>
        <Time at={run.started_at ?? run.created_at} />
      </Fact>
      {run.parked_until === undefined || run.asks === true || run.stopped === true ? null : (
        <Fact name={t('Continues')}>
          <span className="text-retrying">
            <Time at={run.parked_until} />
          </span>
        </Fact>
      )}
      {run.error === null ? null : (
        <Fact name={t('Duration')}>
          <Duration ms={run.duration_ms} since={run.started_at} />
        </Fact>
      )}
      <Fact name={t('HTTP requests')}>
        {after === null ? calls : t('{{count}} or more', { count: calls })}
      </Fact>
      {resumedAt === undefined ? null : (
        <Fact name={t('Resumed')}>
          <Time at={resumedAt} />
        </Fact>
      )}
      {run.attempt > 1 ? <Fact name={t('Attempt')}>{run.attempt}</Fact> : null}
      <Fact name="Id">
        <span className="inline-flex items-center gap-1">
          <code className="text-code text-muted">{run.id.slice(0, 8)}</code>
          <CopyIcon label={t('Copy run ID')} text={run.id} />
        </span>
      </Fact>
      {run.warnings.map((warning) => (
        <Fact key={warning.code + warning.message} name={t('Warning')}>
          <span className="text-retrying">{translateMessage(warning.message, warning)}</span>
        </Fact>
      ))}
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 items-center gap-1.5">
      <dt className="shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

/** Why it failed, the step, its request and the response, and what can be done. */
function Failure({ run, steps, flowSteps, refusedAuth, onResume }: OutcomeProps) {
  const { error } = run
  if (error === null) return null
  const step = steps?.find((one) => one.ref_id === error.ref_id && one.status === 'error')
  const field = error.line === null ? null : fieldOf(error, flowSteps[error.ref_id ?? ''])
  return (
    <div
      role="alert"
      className="flex shrink-0 flex-wrap items-start gap-x-3 gap-y-2 border-b border-error/30 bg-error-soft px-4 py-3"
    >
      <div className="flex min-w-0 flex-1 basis-96 items-start gap-3">
        <CircleX size={20} aria-hidden className="mt-1 shrink-0 text-error" />
        <div className="min-w-0 flex-1">
          <h2 className={LARGE}>{failureInShort(error, flowSteps[error.ref_id ?? '']?.title)}</h2>
          {statusOfError(error) === null ? null : (
            <p className="wrap-anywhere">{translateMessage(error.message, error)}</p>
          )}
          <p className="text-muted">
            <code>{error.code}</code>
            {field === null ? '' : ` · ${field}`}
            {step === undefined
              ? ''
              : ` · ${t('step {{refId}}, position {{path}}', { refId: step.ref_id, path: step.path })}`}
            {step !== undefined && step.attempt > 1 ? ` · ${plural(step.attempt, 'attempt')}` : ''}
          </p>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        <WayOut error={error} authId={refusedAuth} />
        <ButtonLink
          icon={PencilLine}
          to="/flows/$flowId"
          params={{ flowId: run.flow_id }}
          search={{
            run: run.id,
            ...(error.ref_id === null ? {} : { step: error.ref_id }),
            ...(error.field === null ? {} : { field: error.field }),
          }}
        >
          {t('Open in editor')}
        </ButtonLink>
        <ResumeButton run={run} onResume={onResume} />
      </div>
    </div>
  )
}

/** The label in the step's form of the field whose template failed. */
function fieldOf({ field }: RunError, step: Step | undefined): string | null {
  const [, name = ''] = /^config\.(\w+)/.exec(field ?? '') ?? []
  const label = step === undefined ? undefined : facesOf(step.type, name)[0]?.label
  return label === undefined ? null : t(label)
}

export function ResumeButton({
  run,
  onResume,
}: {
  readonly run: FlowRun
  readonly onResume: () => Promise<void>
}) {
  const label = resumeLabel(run)
  if (label === null) return null
  return (
    <Button
      icon={Play}
      needs={resumeFlowRunRoute}
      onClick={() => void attempt(t('Couldn’t resume run'), onResume)}
    >
      {label}
    </Button>
  )
}
