import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight } from '../../lib/icons.tsx'
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { FlowRun, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { Button } from '../../components/controls/button.tsx'
import { exchangesOf, stepState } from '../../components/runs/run-step-view.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { MarkOfStep } from '../../components/services/service-mark.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import type { State } from '../../components/values/status-badge.tsx'
import { Duration, useNow } from '../../components/values/time.tsx'
import { cx } from '../../lib/cx.ts'
import { formatDuration, formatTime, plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { StepName } from './step-name.tsx'
import { findLanes, type Lanes } from './lanes.ts'
import { placeOf, toStepRows } from './step-rows.ts'
import type { StepRow } from './step-rows.ts'
import { layOutSteps, pagesRead, waitedMs } from './timeline.ts'
import type { Bar, Span, Timeline } from './timeline.ts'

interface WaterfallProps {
  readonly run: FlowRun
  readonly steps: readonly FlowRunStep[]
  /** Keyed by reference name. */
  readonly flowSteps: Readonly<Record<string, Step>>
  readonly selected: string
  readonly onSelect: (id: string) => void
  readonly onMore: (() => void) | null
}

const ROW_PX = 34
const BAR_PX = 20
const LANE_PX = 9

/** The steps of a run in the order they ran, each with its bar over the time of the whole run. */
export function Waterfall({ run, steps, flowSteps, selected, onSelect, onMore }: WaterfallProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const unfinished = steps.some((step) => step.duration_ms === null)
  const now = useNow()
  const until = unfinished ? Date.parse(run.finished_at ?? '') || now : 0
  const timeline = useMemo(() => layOutSteps(steps, until), [steps, until])
  const lanes = useMemo(() => findLanes(steps, until), [steps, until])
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => toStepRows(steps, selected, toggled), [steps, selected, toggled])
  // An iteration can have the focus without being selected; the selection stays a step.
  const [focused, setFocused] = useState<string | null>(null)
  const current = focused !== null && rows.some(({ key }) => key === focused) ? focused : selected
  const at = rows.findIndex(({ key }) => key === current)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(lanesOfRow(rows[index], lanes)),
    overscan: 10,
  })

  // Rows with lanes are taller, and get more lanes while the run continues.
  const heights = rows.map((row) => lanesOfRow(row, lanes)?.count ?? '').join()
  const measure = useEffectEvent(() => virtual.measure())
  useEffect(() => {
    measure()
  }, [heights])

  // The row of the step that the URL names, or that a watched run has reached.
  const selectedAt = rows.findIndex(({ key }) => key === selected)
  const shownAt = useEffectEvent(() => {
    if (selectedAt >= 0) virtual.scrollToIndex(selectedAt)
  })
  useEffect(() => {
    shownAt()
  }, [selected])

  function move(to: number) {
    const index = Math.min(rows.length - 1, Math.max(0, to))
    const next = rows[index]
    if (next === undefined) return
    if (next.kind === 'step') onSelect(next.step.id)
    setFocused(next.key)
    virtual.scrollToIndex(index)
  }

  function choose(row: StepRow) {
    setFocused(row.key)
    if (row.kind === 'step') onSelect(row.step.id)
    else toggle(row.key)
  }

  function toggle(key: string) {
    setToggled((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  }

  function onKeyDown(event: React.KeyboardEvent, index: number) {
    const row = rows[index]
    if (row === undefined) return
    const fold = row.kind === 'step' ? row.fold : row
    const parent = rows.findLastIndex(({ depth }, place) => place < index && depth < row.depth)
    const unfold = () => fold !== null && toggle(fold.key)
    const keys: Readonly<Record<string, (() => void) | undefined>> = {
      ArrowDown: () => move(index + 1),
      ArrowUp: () => move(index - 1),
      ArrowRight: fold?.isOpen === false ? unfold : undefined,
      ArrowLeft: fold?.isOpen === true ? unfold : parent < 0 ? undefined : () => move(parent),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => choose(row),
      ' ': () => choose(row),
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  useShortcut({ keys: 'j', label: t('Next step'), group: t('Runs') }, () => move(at + 1))
  useShortcut({ keys: 'k', label: t('Previous step'), group: t('Runs') }, () => move(at - 1))

  return (
    <>
      <div
        aria-hidden
        className={cx(
          COLUMNS,
          'h-7 shrink-0 overflow-hidden border-b border-line bg-surface text-sm text-muted [scrollbar-gutter:stable]',
        )}
      >
        <span className="truncate">{t('Step')}</span>
        <Axis {...timeline} />
        <span className="truncate text-right">{t('Duration')}</span>
      </div>
      <div ref={scroller} className="min-h-0 flex-1 overflow-auto bg-surface [scrollbar-gutter:stable]">
        <div
          role="tree"
          aria-label={t('Steps')}
          className="relative"
          style={{ height: virtual.getTotalSize() }}
        >
          <div aria-hidden className={cx(COLUMNS, 'pointer-events-none absolute inset-0 items-stretch')}>
            <span />
            <Grid {...timeline} />
          </div>
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const row = rows[index]
            if (row === undefined) return null
            const isSelected = row.key === selected
            const fold = row.kind === 'step' ? row.fold : row
            const focusable = index === Math.max(0, at)
            return (
              <div
                key={row.key}
                role="treeitem"
                aria-level={row.depth + 1}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                aria-selected={isSelected}
                {...(fold === null ? {} : { 'aria-expanded': fold.isOpen })}
                tabIndex={focusable ? 0 : -1}
                ref={(element) => keepFocus(element, focusable)}
                onClick={() => choose(row)}
                onKeyDown={(event) => onKeyDown(event, index)}
                className={cx(
                  COLUMNS,
                  'absolute inset-x-0 cursor-default border-b border-line/60 focus-visible:-outline-offset-2',
                  // The lines of the axis stay visible through it.
                  isSelected ? 'bg-selected/70' : 'hover:bg-hover/70',
                )}
                style={{ top: start, height: size }}
              >
                <div className="flex min-w-0 items-center gap-2" style={{ paddingLeft: row.depth * 14 }}>
                  {fold === null ? null : <Chevron isOpen={fold.isOpen} onClick={() => toggle(fold.key)} />}
                  {row.kind === 'step' ? (
                    <StepWords step={row.step} flowStep={flowSteps[row.step.ref_id]} run={run} />
                  ) : (
                    <IterationWords row={row} run={run} />
                  )}
                </div>
                {row.kind === 'step' ? (
                  <StepTime
                    step={row.step}
                    run={run}
                    bar={timeline.barOf(row.step)}
                    lanes={lanesOfRow(row, lanes)}
                    spanOf={timeline.spanOf}
                  />
                ) : (
                  <IterationTime row={row} run={run} barOf={timeline.barOf} />
                )}
              </div>
            )
          })}
        </div>
        {onMore === null ? null : (
          <div className="p-3 text-center">
            <Button onClick={onMore}>{t('Load more steps')}</Button>
          </div>
        )}
      </div>
    </>
  )
}

function lanesOfRow(row: StepRow | undefined, lanes: ReadonlyMap<string, Lanes>): Lanes | undefined {
  return row?.kind === 'step' ? lanes.get(placeOf(row.step)) : undefined
}

const heightOf = (lanes: Lanes | undefined) =>
  lanes === undefined ? ROW_PX : Math.max(ROW_PX, lanes.count * LANE_PX + ROW_PX - BAR_PX)

const COLUMNS = cx(
  'grid grid-cols-[minmax(0,5fr)_minmax(3.5rem,6fr)_4.5rem] items-center gap-3 px-4',
  'lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)_4.5rem]',
)

/** The focus follows the current row while it is in the tree. */
function keepFocus(element: HTMLElement | null, isCurrent: boolean): void {
  if (isCurrent && element?.parentElement?.contains(document.activeElement)) element.focus()
}

/** A label needs about this much of the width. */
const LABEL = 0.09

function Axis({ ticks, pauses }: Timeline) {
  const isFree = (at: number) =>
    at < 1 - LABEL / 2 && pauses.every(({ from }) => at + LABEL < from || at > from + 2 * LABEL)
  return (
    <div className="tabular relative h-full whitespace-nowrap">
      {ticks.map(({ at, ms }, index) =>
        isFree(at) ? (
          <span
            key={ms}
            className={cx('absolute top-1.5 pl-1', index % 2 === 1 && 'max-lg:hidden')}
            style={{ left: percent(at) }}
          >
            {ms === 0 ? '0' : formatDuration(ms)}
          </span>
        ) : null,
      )}
      {pauses.map(({ from, until }) => (
        <span
          key={from}
          className="absolute top-1.5 pl-1 font-medium text-retrying max-sm:hidden"
          style={from > 1 - 2 * LABEL ? { right: percent(1 - from) } : { left: percent(from) }}
        >
          {t('resumed {{time}}', { time: formatTime(until) })}
        </span>
      ))}
    </div>
  )
}

function Grid({ ticks, pauses }: Timeline) {
  return (
    <div className="relative">
      {ticks.map(({ at, ms }) => (
        <span key={ms} className="absolute inset-y-0 w-px bg-line" style={{ left: percent(at) }} />
      ))}
      {pauses.map((pause) => (
        <span
          key={pause.from}
          className="absolute inset-y-0 border-x border-dashed border-retrying bg-retrying-soft"
          style={place(pause)}
        />
      ))}
    </div>
  )
}

/**
 * For the pointer: a click on a loop's row selects it, one on its arrow folds it. With the keyboard, both are done on
 * the row.
 */
function Chevron({ isOpen, onClick }: { readonly isOpen: boolean; readonly onClick: () => void }) {
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <span
      aria-hidden
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
      className="-my-2 -ml-1 shrink-0 py-2 pl-1 text-muted"
    >
      <Icon size={14} />
    </span>
  )
}

type IterationRow = Extract<StepRow, { kind: 'iteration' }>

interface IterationProps {
  readonly row: IterationRow
  readonly run: FlowRun
}

function stateOfIteration({ steps }: IterationRow, run: FlowRun): State {
  const shown = steps.find(({ status }) => status === 'error') ?? steps.at(-1)
  return shown === undefined ? 'unknown' : stepState(shown, run)
}

function IterationWords({ row, run }: IterationProps) {
  return (
    <>
      <StatusIcon state={stateOfIteration(row, run)} size={14} />
      <span className="shrink-0">{t('Iteration {{number}}', { number: row.index + 1 })}</span>
      <span className="truncate text-muted">{row.label}</span>
    </>
  )
}

interface IterationTimeProps extends IterationProps {
  readonly barOf: Timeline['barOf']
}

/** The steps of one iteration as one bar. */
function IterationTime({ row, run, barOf }: IterationTimeProps) {
  const { steps } = row
  const [first] = steps
  const own = steps.filter(({ iteration }) => iteration.length === first?.iteration.length)
  const took = own.reduce<number | null>(
    (sum, { duration_ms: ms }) => (sum === null || ms === null ? null : sum + ms),
    0,
  )
  const bars = steps.map(barOf)
  const from = Math.min(1, ...bars.map((bar) => bar.from))
  const end = Math.max(from, ...bars.map((bar) => bar.from + bar.width))
  return (
    <>
      <BarFrame tone={toneOf(stateOfIteration(row, run))}>
        <Piece span={{ from, width: end - from }} className="inset-y-1 bg-current opacity-40" />
      </BarFrame>
      <span className="text-right text-sm text-muted">
        <Duration ms={took} since={first?.started_at ?? null} />
      </span>
    </>
  )
}

interface StepWordsProps {
  readonly run: FlowRun
  readonly step: FlowRunStep
  readonly flowStep: Step | undefined
}

function StepWords({ step, flowStep, run }: StepWordsProps) {
  return (
    <>
      <StatusIcon state={stepState(step, run)} size={14} />
      <MarkOfStep config={flowStep?.config} size={18} />
      <StepName step={step} title={flowStep?.title} />
      {step.warnings.some(({ code }) => code === 'taken_over') ? (
        <span className="shrink-0 text-sm text-muted">{t('reused')}</span>
      ) : null}
      {step.attempt > 1 ? (
        <span className="shrink-0 text-sm text-retrying">{plural(step.attempt, 'attempt')}</span>
      ) : null}
    </>
  )
}

interface StepTimeProps {
  readonly run: FlowRun
  readonly step: FlowRunStep
  readonly bar: Bar
  /** Undefined if nothing in it ran at the same time. */
  readonly lanes: Lanes | undefined
  readonly spanOf: Timeline['spanOf']
}

function StepTime({ step, run, bar, lanes, spanOf }: StepTimeProps) {
  const state = stepState(step, run)
  const isLive = run.finished_at === null
  const words =
    lanes === undefined
      ? barWords(step)
      : [t('up to {{count}} at once', { count: lanes.most }), ...barWords(step)]
  return (
    <>
      {lanes === undefined ? (
        <BarFrame tone={toneOf(state)} words={words.join(', ')}>
          <StepBar bar={bar} words={words[0]} state={state} isLive={isLive} />
        </BarFrame>
      ) : (
        <BarFrame tone={toneOf(state)} words={words.join(', ')} height={lanes.count * LANE_PX}>
          <LaneBars lanes={lanes} run={run} spanOf={spanOf} />
          <BarWords end={bar.from + bar.width} words={words[0]} />
        </BarFrame>
      )}
      <span className="text-right text-sm">
        <Duration ms={step.duration_ms} since={state === 'cancelled' ? null : step.started_at} />
      </span>
    </>
  )
}

/** The words on the bar: what was read or called, then waits and when it was resumed. */
function barWords(step: FlowRunStep): readonly string[] {
  const read = pagesRead(step)
  const calls = exchangesOf(step).length
  const waited = waitedMs(step)
  return [
    read !== null ? pageWords(read) : calls < 2 ? null : plural(calls, 'HTTP request'),
    step.attempt > 1 && waited >= 1 ? t('{{duration}} waited', { duration: formatDuration(waited) }) : null,
    step.earlier_attempts === undefined
      ? null
      : t('resumed {{time}}', { time: formatTime(Date.parse(step.started_at)) }),
  ].filter((part) => part !== null)
}

/** `64 records from 7 pages` */
export function pageWords({ records, pages }: NonNullable<ReturnType<typeof pagesRead>>): string {
  return t('{{records}} from {{pages}}', {
    records: plural(records, 'record'),
    pages: plural(pages, 'page'),
  })
}

const TONES: Partial<Record<State, string>> = {
  success: 'text-success',
  in_doubt: 'text-retrying',
  error: 'text-error',
  running: 'text-running',
  retrying: 'text-retrying',
  waiting: 'text-retrying',
}

const toneOf = (state: State) => TONES[state] ?? 'text-line-control'

interface BarFrameProps {
  readonly tone: string
  readonly words?: string
  readonly height?: number
  readonly children: ReactNode
}

function BarFrame({ tone, words = '', height = BAR_PX, children }: BarFrameProps) {
  return (
    <div className={cx('relative min-w-0', tone)} style={{ height }}>
      <div aria-hidden className="contents">
        {children}
      </div>
      {words === '' ? null : <span className="sr-only">{words}</span>}
    </div>
  )
}

interface StepBarProps {
  readonly bar: Bar
  readonly words: string | undefined
  readonly state: State
  readonly isLive: boolean
}

function StepBar({ bar, words, state, isLive }: StepBarProps) {
  const { attempts, waits, calls } = bar
  const end = bar.from + bar.width
  return (
    <>
      {attempts.map((attempt, index) => (
        <Piece
          key={index}
          span={attempt}
          isLive={isLive}
          className={cx(
            'inset-y-1',
            calls.length > 0 || waits.length > 0 ? 'bg-current opacity-15' : 'bg-current',
          )}
        />
      ))}
      {waits.map((wait, index) => (
        <Piece key={index} span={wait} className="hatched inset-y-1 text-queued" />
      ))}
      {calls.map(({ failed, height, ...call }, index) => (
        <Piece
          // Calls are only ever appended.
          key={index}
          span={call}
          className={cx(
            'bottom-0 border-r border-surface',
            failed ? 'hatched text-error' : 'bg-current',
            // The pages before the one that failed.
            !failed && state === 'error' && 'text-success',
          )}
          style={{ height: percent(0.2 + 0.8 * height) }}
        />
      ))}
      <BarWords end={end} words={words} />
    </>
  )
}

function BarWords({ end, words }: { readonly end: number; readonly words: string | undefined }) {
  if (words === undefined || end > ROOM) return null
  return (
    <span
      className="absolute inset-y-0 flex items-center pl-2 text-sm whitespace-nowrap text-muted max-lg:hidden"
      style={{ left: percent(end) }}
    >
      {words}
    </span>
  )
}

interface LaneBarsProps {
  readonly lanes: Lanes
  readonly run: FlowRun
  readonly spanOf: Timeline['spanOf']
}

/** A line for each lane of branches or iterations that ran at the same time. */
function LaneBars({ lanes, run, spanOf }: LaneBarsProps) {
  return lanes.pieces.map((piece) => (
    <div
      key={piece.shown.id}
      data-lane={piece.lane}
      className={cx(
        'absolute min-w-[3px] rounded-[2px] border-r border-surface bg-current',
        toneOf(stepState(piece.shown, run)),
      )}
      style={{ ...place(spanOf(piece)), top: piece.lane * LANE_PX + 1, height: LANE_PX - 2 }}
    />
  ))
}

/** A bar that ends later leaves no room for words after it. */
const ROOM = 0.6

interface PieceProps {
  readonly span: Span
  readonly className: string
  readonly style?: React.CSSProperties
  readonly isLive?: boolean
}

function Piece({ span, className, style, isLive = false }: PieceProps) {
  return (
    <div
      className={cx(
        'absolute min-w-[3px] rounded-[2px]',
        isLive && 'transition-[left,width] duration-1000 ease-linear',
        className,
      )}
      style={{ ...place(span), ...style }}
    />
  )
}

function place({ from, width }: Span) {
  return { left: percent(Math.min(0.995, from)), width: percent(Math.min(1 - from, width)) }
}

const percent = (share: number) => `${share * 100}%`
