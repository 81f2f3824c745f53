import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight } from '../../lib/icons.tsx'
import { useMemo, useRef, useState } from 'react'
import type { FlowRun, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { Button } from '../../components/controls/button.tsx'
import { stepState } from '../../components/runs/run-step-view.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { MarkOfStep } from '../../components/services/service-mark.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import type { State } from '../../components/values/status-badge.tsx'
import { Duration, useNow } from '../../components/values/time.tsx'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { toStepRows } from './step-rows.ts'
import { layOutSteps } from './timeline.ts'
import type { Bar } from './timeline.ts'

interface StepListProps {
  readonly run: FlowRun
  readonly steps: readonly FlowRunStep[]
  /** By reference name: they name the connectors. */
  readonly configs: Readonly<Record<string, unknown>>
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  readonly onMore: (() => void) | null
}

const ROW_PX = 34

/** The steps of a run in the order they ran, each with its bar over the time of the whole run. */
export function StepList({ run, steps, configs, selected, onSelect, onMore }: StepListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const unfinished = steps.some((step) => step.duration_ms === null)
  const now = useNow()
  const end = run.finished_at === null ? now : Date.parse(run.finished_at)
  const until = unfinished ? end : 0
  const bars = useMemo(() => layOutSteps(steps, until), [steps, until])
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => toStepRows(steps, selected, toggled), [steps, selected, toggled])
  const barOf = useMemo(() => new Map(steps.map(({ id }, index) => [id, bars[index]])), [steps, bars])
  // An iteration can have the focus without being selected; the selection stays a step.
  const [focused, setFocused] = useState<string | null>(null)
  const current = focused !== null && rows.some(({ key }) => key === focused) ? focused : selected
  const at = rows.findIndex(({ key }) => key === current)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  })

  function move(to: number) {
    const index = Math.min(rows.length - 1, Math.max(0, to))
    const next = rows[index]
    if (next === undefined) return
    if (next.kind === 'step') onSelect(next.step.id)
    setFocused(next.key)
    virtual.scrollToIndex(index)
  }

  function toggle(key: string) {
    setFocused(key)
    setToggled((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  }
  useShortcut({ keys: 'j', label: t('Next step'), group: t('Runs') }, () => move(at + 1))
  useShortcut({ keys: 'k', label: t('Previous step'), group: t('Runs') }, () => move(at - 1))

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto bg-surface">
      <div
        role="listbox"
        aria-label={t('Steps')}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          const place = {
            top: item.start,
            focusable: item.index === Math.max(0, at),
            onMove: (by: 1 | -1) => move(item.index + by),
          }
          return row.kind === 'iteration' ? (
            <IterationRow key={row.key} {...place} row={row} run={run} onToggle={() => toggle(row.key)} />
          ) : (
            <StepRow
              key={row.key}
              {...place}
              step={row.step}
              config={configs[row.step.ref_id]}
              depth={row.depth}
              state={stepState(row.step, run)}
              bar={barOf.get(row.step.id)}
              selected={row.step.id === selected}
              onSelect={() => {
                setFocused(row.key)
                onSelect(row.step.id)
              }}
            />
          )
        })}
      </div>
      {onMore === null ? null : (
        <div className="p-3 text-center">
          <Button onClick={onMore}>{t('Load more steps')}</Button>
        </div>
      )}
    </div>
  )
}

interface PlaceProps {
  readonly top: number
  /** The one row reached by Tab. */
  readonly focusable: boolean
  readonly onMove: (by: 1 | -1) => void
}

interface IterationRowProps extends PlaceProps {
  readonly row: Extract<ReturnType<typeof toStepRows>[number], { kind: 'iteration' }>
  readonly run: FlowRun
  readonly onToggle: () => void
}

/** A row for the steps of one iteration, which shows or hides them. */
function IterationRow({ row, run, top, focusable, onToggle, onMove }: IterationRowProps) {
  const { index, label, depth, isOpen, steps } = row
  const last = steps.at(-1)
  const failed = steps.find(({ status }) => status === 'error')
  const shown = failed ?? last
  const took = steps.reduce<number | null>(
    (sum, { duration_ms: ms, iteration }) =>
      sum === null || ms === null
        ? null
        : iteration.length > (steps[0]?.iteration.length ?? 0)
          ? sum
          : sum + ms,
    0,
  )
  return (
    <div
      role="option"
      aria-selected={false}
      aria-label={
        isOpen
          ? t('Iteration {{number}} {{label}}, open', { number: index + 1, label })
          : t('Iteration {{number}} {{label}}, closed', { number: index + 1, label })
      }
      tabIndex={focusable ? 0 : -1}
      ref={(element) => keepFocus(element, focusable)}
      onClick={onToggle}
      onKeyDown={(event) => {
        const isToggle =
          event.key === 'Enter' ||
          event.key === ' ' ||
          (event.key === 'ArrowRight' && !isOpen) ||
          (event.key === 'ArrowLeft' && isOpen)
        if (isToggle) {
          event.preventDefault()
          onToggle()
        } else moveBy(event, onMove)
      }}
      className={cx(ROW_CLASS, 'cursor-default hover:bg-hover')}
      style={{ top }}
    >
      <div className="flex min-w-0 items-center gap-2" style={{ paddingLeft: depth * 14 }}>
        {isOpen ? (
          <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
        ) : (
          <ChevronRight size={14} aria-hidden className="shrink-0 text-muted" />
        )}
        {shown === undefined ? null : <StatusIcon state={stepState(shown, run)} size={14} />}
        <span className="tabular shrink-0 text-sm text-faint">{index + 1}</span>
        <span className="truncate text-sm">{label}</span>
      </div>
      <span />
      <div className="text-right text-sm text-muted">
        <Duration ms={took} since={steps[0]?.started_at ?? null} />
      </div>
    </div>
  )
}

interface StepRowProps extends PlaceProps {
  readonly step: FlowRunStep
  readonly config: unknown
  readonly depth: number
  readonly state: State
  readonly bar: Bar | undefined
  readonly selected: boolean
  readonly onSelect: () => void
}

const ROW_CLASS = cx(
  'absolute inset-x-0 grid h-[34px] grid-cols-[minmax(0,9fr)_minmax(4rem,6fr)_4.5rem] items-center gap-3 px-4',
  'border-b border-line focus-visible:-outline-offset-2',
)

/** The focus follows the current row while it is in the list. */
function keepFocus(element: HTMLElement | null, isCurrent: boolean): void {
  if (isCurrent && element?.parentElement?.contains(document.activeElement)) element.focus()
}

function moveBy(event: React.KeyboardEvent, onMove: (by: 1 | -1) => void): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined
  if (by === undefined) return
  event.preventDefault()
  onMove(by)
}

function StepRow({
  step,
  config,
  depth,
  state,
  bar,
  top,
  selected,
  focusable,
  onSelect,
  onMove,
}: StepRowProps) {
  return (
    <div
      role="option"
      aria-selected={selected}
      tabIndex={focusable ? 0 : -1}
      ref={(element) => keepFocus(element, focusable)}
      onClick={onSelect}
      onKeyDown={(event) => moveBy(event, onMove)}
      className={cx(ROW_CLASS, selected ? 'bg-selected' : 'hover:bg-hover')}
      style={{ top }}
    >
      <div className="flex min-w-0 items-center gap-2" style={{ paddingLeft: depth * 14 }}>
        <StatusIcon state={state} size={14} />
        <MarkOfStep config={config} size={18} />
        <code className="max-w-[60%] shrink-0 truncate text-sm font-medium">{step.ref_id}</code>
        {step.iteration.length === 0 ? null : (
          <span className="tabular shrink-0 text-sm text-faint">#{step.iteration.join('.')}</span>
        )}
        <span className="truncate text-sm text-muted">{step.type}</span>
        {step.warnings.some(({ code }) => code === 'taken_over') ? (
          <span className="shrink-0 text-sm text-muted">{t('reused')}</span>
        ) : null}
        {step.attempt > 1 ? (
          <span className="shrink-0 text-sm text-retrying">{plural(step.attempt, 'attempt')}</span>
        ) : null}
      </div>
      {bar === undefined ? <span /> : <TimeBar bar={bar} tone={toneOf(state, step.status)} />}
      <div className="text-right text-sm">
        <Duration ms={step.duration_ms} since={state === 'cancelled' ? null : step.started_at} />
      </div>
    </div>
  )
}

const TONES: { readonly [S in FlowRunStep['status']]: string } = {
  success: 'bg-success',
  error: 'bg-error',
  running: 'bg-running',
  retrying: 'bg-retrying',
  skipped: 'bg-line-control',
}

/** A run that ended cut the step off; a stop can fail the run although the step itself worked. */
function toneOf(state: State, status: FlowRunStep['status']): string {
  if (state === 'cancelled') return 'bg-line-control'
  return state === 'error' ? TONES.error : TONES[status]
}

function TimeBar({ bar, tone }: { readonly bar: Bar; readonly tone: string }) {
  return (
    <div aria-hidden className="relative h-3">
      <div
        className={cx(
          'absolute inset-y-0 min-w-[3px] rounded-[2px]',
          tone,
          bar.calls.length > 0 && 'opacity-30',
        )}
        style={place(bar)}
      />
      {bar.calls.map((call, index) => (
        <div
          // Calls are only ever appended.
          key={index}
          className={cx('absolute inset-y-0 min-w-px rounded-[1px]', call.failed ? 'bg-error' : tone)}
          style={place(call)}
        />
      ))}
    </div>
  )
}

function place({ from, width }: { readonly from: number; readonly width: number }) {
  return { left: `${Math.min(99, from * 100)}%`, width: `${Math.min(1 - from, width) * 100}%` }
}
