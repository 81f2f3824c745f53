import type { Exchange, FlowRun, FlowRunStep, RunError } from '../../../shared/contract/flow-runs.ts'
import { formatClock, formatDuration, plural } from '../../lib/format.ts'
import { t, translateMessage } from '../../lib/i18n.ts'
import { ExchangeList } from '../values/exchange-view.tsx'
import { stateWord } from '../values/status-badge.tsx'
import type { State } from '../values/status-badge.tsx'
import type { StepTab } from './step-tabs.ts'
import { Tabs } from '../controls/tabs.tsx'
import { stateOf } from './run-state.ts'
import { ValueView } from '../values/value-view.tsx'

interface RunStepViewProps {
  readonly step: FlowRunStep
  readonly tab: StepTab
  readonly onTab: (tab: StepTab) => void
  /** Loads the complete output if the history has only its beginning. */
  readonly readWhole?: (() => Promise<unknown>) | undefined
}

/** Input, output, calls and log of one step in one run. */
export function RunStepView({ step, tab, onTab, readWhole }: RunStepViewProps) {
  return (
    <Tabs
      label={t('Step {{refId}}', { refId: step.ref_id })}
      className="flex-1"
      value={tab}
      onChange={onTab}
      aside={
        step.truncated ? (
          <span className="text-sm text-retrying">{t('Shortened in the run history')}</span>
        ) : null
      }
      tabs={[
        { value: 'input', label: t('Input'), content: <StepInput step={step} /> },
        {
          value: 'output',
          label: t('Output'),
          content: (
            <ValueView
              value={step.output}
              label={t('Output of step {{refId}}', { refId: step.ref_id })}
              root={step.ref_id}
              isShortened={step.truncated}
              readWhole={readWhole}
              none={step.duration_ms === null ? t('No output yet.') : t('No output.')}
            />
          ),
        },
        ...callTabs(step),
      ]}
    />
  )
}

export function StepInput({ step }: { readonly step: FlowRunStep }) {
  return (
    <ValueView
      value={step.input}
      isShortened={step.truncated}
      label={t('Input of step {{refId}}', { refId: step.ref_id })}
      none={t('No input.')}
    />
  )
}

/** The tabs of what the step did: its calls and its log. */
export function callTabs(step: FlowRunStep) {
  const exchanges = exchangesOf(step)
  return [
    {
      value: 'http' as const,
      label: exchanges.length === 0 ? 'HTTP' : `HTTP (${exchanges.length})`,
      content: <ExchangeList exchanges={exchanges} />,
    },
    { value: 'log' as const, label: t('Log'), content: <StepLog step={step} /> },
  ]
}

/** All calls of a step, those of earlier attempts first. */
export function exchangesOf(step: Pick<FlowRunStep, 'http' | 'earlier_attempts'>): readonly Exchange[] {
  return [...(step.earlier_attempts ?? []).flatMap(({ http }) => http), ...step.http]
}

interface LogLine {
  readonly at: number
  readonly text: string
  readonly tone?: string
}

function callLine(exchange: Exchange): LogLine {
  return {
    at: Date.parse(exchange.started_at),
    text: t('{{method}} {{url}} → {{status}} in {{duration}}', {
      method: exchange.request.method,
      url: exchange.request.url,
      status: exchange.response?.status ?? exchange.error ?? t('no response'),
      duration: formatDuration(exchange.duration_ms),
    }),
    ...(exchange.response === null || exchange.response.status >= 400 ? { tone: 'text-error' } : {}),
  }
}

/** The log of the step from before its run was resumed. */
function earlierLines(step: FlowRunStep): LogLine[] {
  return (step.earlier_attempts ?? []).flatMap(({ started_at: at, duration_ms: ms, error, http }) => [
    { at: Date.parse(at), text: t('Started') },
    ...http.map(callLine),
    ...(error === null
      ? []
      : [{ at: Date.parse(at) + (ms ?? 0), text: describeError(error), tone: 'text-error' }]),
  ])
}

function StepLog({ step }: { readonly step: FlowRunStep }) {
  const earlier = earlierLines(step)
  const started =
    earlier.length > 0
      ? t('Resumed here')
      : step.attempt > 1
        ? t('Started, attempt {{attempt}}', { attempt: step.attempt })
        : t('Started')
  const lines: LogLine[] = [
    ...earlier,
    { at: Date.parse(step.started_at), text: started },
    ...step.http.map(callLine),
  ]
  const end = Date.parse(step.started_at) + (step.duration_ms ?? 0)
  for (const { level, text } of step.log ?? [])
    lines.push({ at: end, text: `${level}: ${text}`, ...(level === 'error' ? { tone: 'text-error' } : {}) })
  for (const warning of step.warnings)
    lines.push({ at: end, text: translateMessage(warning.message, warning), tone: 'text-retrying' })
  if (step.error !== null) lines.push({ at: end, text: describeError(step.error), tone: 'text-error' })
  else if (step.duration_ms !== null)
    lines.push({
      at: end,
      text: t('Finished ({{status}}) after {{duration}}', {
        status: stateWord(step.status),
        duration: formatDuration(step.duration_ms),
      }),
    })
  return (
    <ol className="flex flex-col gap-1 p-4 font-mono text-code" aria-label={plural(lines.length, 'line')}>
      {lines.map((line, index) => (
        // Lines are only ever appended.
        <li key={index} className="flex gap-4">
          <time className="shrink-0 text-faint">{formatClock(line.at)}</time>
          <span className={`min-w-0 break-all ${line.tone ?? ''}`}>{line.text}</span>
        </li>
      ))}
    </ol>
  )
}

/**
 * A step still running in a run that has ended was cut off with it; one that asked a person waits for the answer. A stop
 * that fails the run isn't a success.
 */
export function stepState(
  step: Pick<FlowRunStep, 'ref_id' | 'status' | 'warnings'> & { readonly type?: string },
  run: Pick<FlowRun, 'asks' | 'finished_at' | 'error'> | null,
): State {
  if (step.status === 'success' && run?.error?.code === 'stopped' && run.error.ref_id === step.ref_id)
    return 'error'
  const isUnderWay = step.status === 'running' || step.status === 'retrying'
  if (!isUnderWay || run === null) return stateOf(step)
  if (run.finished_at !== null) return 'cancelled'
  return run.asks === true && step.type === 'ask_person' ? 'waiting' : stateOf(step)
}

/** The message, and the place in a template that it points to. */
export function describeError(error: RunError): string {
  // Most messages already contain the place.
  const sentence = translateMessage(error.message, error)
  if (error.line !== null && error.message.includes(`line ${error.line}`)) return sentence
  const place = [
    error.field === null ? null : t('field {{field}}', { field: error.field }),
    error.line === null ? null : t('line {{line}}', { line: error.line }),
    error.column === null ? null : t('column {{column}}', { column: error.column }),
  ].filter((part) => part !== null)
  return place.length === 0 ? sentence : `${sentence} (${place.join(', ')})`
}
