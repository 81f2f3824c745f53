import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import type { FlowRun, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { Button } from '../../components/controls/button.tsx'
import { stepState } from '../../components/runs/run-step-view.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import type { State } from '../../components/values/status-badge.tsx'
import { Duration, useNow } from '../../components/values/time.tsx'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { layOutSteps } from './timeline.ts'
import type { Bar } from './timeline.ts'

interface StepListProps {
  readonly run: FlowRun
  readonly steps: readonly FlowRunStep[]
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  readonly onMore: (() => void) | null
}

const ROW_PX = 34

/** The steps of a run in the order they ran, each with its bar over the time of the whole. */
export function StepList({ run, steps, selected, onSelect, onMore }: StepListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const unfinished = steps.some((step) => step.duration_ms === null)
  const now = useNow()
  const end = run.finished_at === null ? now : Date.parse(run.finished_at)
  const until = unfinished ? end : 0
  const bars = useMemo(() => layOutSteps(steps, until), [steps, until])
  const at = steps.findIndex((step) => step.id === selected)
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  })

  function move(to: number) {
    const next = steps[Math.min(steps.length - 1, Math.max(0, to))]
    if (next === undefined) return
    onSelect(next.id)
    virtual.scrollToIndex(steps.indexOf(next))
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
          const step = steps[item.index]
          if (step === undefined) return null
          return (
            <StepRow
              key={step.id}
              step={step}
              state={stepState(step, run)}
              bar={bars[item.index]}
              top={item.start}
              selected={step.id === selected}
              tabbable={item.index === Math.max(0, at)}
              onSelect={() => onSelect(step.id)}
              onMove={(by) => move(item.index + by)}
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

interface StepRowProps {
  readonly step: FlowRunStep
  readonly state: State
  readonly bar: Bar | undefined
  readonly top: number
  readonly selected: boolean
  readonly tabbable: boolean
  readonly onSelect: () => void
  readonly onMove: (by: 1 | -1) => void
}

function StepRow({ step, state, bar, top, selected, tabbable, onSelect, onMove }: StepRowProps) {
  const depth = (step.path.match(/\.\d/g) ?? []).length
  return (
    <div
      role="option"
      aria-selected={selected}
      tabIndex={tabbable ? 0 : -1}
      ref={(element) => {
        if (selected && element?.parentElement?.contains(document.activeElement)) element.focus()
      }}
      onClick={onSelect}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined
        if (by === undefined) return
        event.preventDefault()
        onMove(by)
      }}
      className={cx(
        'absolute inset-x-0 grid h-[34px] grid-cols-[minmax(0,9fr)_minmax(4rem,6fr)_4.5rem] items-center gap-3 px-4',
        'border-b border-line focus-visible:-outline-offset-2',
        selected ? 'bg-selected' : 'hover:bg-hover',
      )}
      style={{ top }}
    >
      <div className="flex min-w-0 items-center gap-2" style={{ paddingLeft: depth * 14 }}>
        <StatusIcon state={state} size={14} />
        <code className="max-w-[60%] shrink-0 truncate text-sm font-medium">{step.ref_id}</code>
        {step.iteration.length === 0 ? null : (
          <span className="tabular shrink-0 text-sm text-faint">#{step.iteration.join('.')}</span>
        )}
        <span className="truncate text-sm text-muted">{step.type}</span>
        {step.warnings.some(({ code }) => code === 'taken_over') ? (
          <span className="shrink-0 text-sm text-muted">{t('taken over')}</span>
        ) : null}
        {step.attempt > 1 ? (
          <span className="shrink-0 text-sm text-retrying">{plural(step.attempt, 'attempt')}</span>
        ) : null}
      </div>
      {bar === undefined ? (
        <span />
      ) : (
        <TimeBar bar={bar} tone={state === 'cancelled' ? 'bg-line-control' : TONES[step.status]} />
      )}
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
