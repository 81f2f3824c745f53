import { Handle, Position } from '@xyflow/react'
import type { Node, NodeProps } from '@xyflow/react'
import { ChevronDown, ChevronRight, Pin, Plus } from '../../../lib/icons.tsx'
import { memo } from 'react'
import type { Step } from '../../../../shared/contract/steps.ts'
import { MarkOfStep } from '../../../components/services/service-mark.tsx'
import { StatusIcon } from '../../../components/values/status-badge.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatCount, formatDuration, plural } from '../../../lib/format.ts'
import { t, tn } from '../../../lib/i18n.ts'
import { BreakpointDot } from '../steps/breakpoint-dot.tsx'
import { ErrorCount } from '../steps/problems-view.tsx'
import { useProblems, useRunPanel, usePlugins } from '../state/editor-context.tsx'
import { faceOf } from '../step-types/index.ts'
import type { Addition } from '../../../components/services/catalogue.ts'
import { AddStepMenu } from '../steps/add-step-menu.tsx'
import type { CanvasSpot } from './layout.ts'
import type { StepOutcome } from './run-overlay.ts'

interface CanvasNodeData extends Record<string, unknown> {
  readonly step: Step
  /** `2.then.1` */
  readonly position: string
  readonly outcome: StepOutcome | undefined
  readonly chosen: boolean
  /** Whether it is one of several selected steps. */
  readonly picked: boolean
  readonly folded: number
  readonly canFold: boolean
  readonly onFold: (refId: string) => void
}

interface SpotNodeData extends Record<string, unknown> {
  readonly spot: CanvasSpot
  /** Whether the dragged step would be dropped here. */
  readonly isTarget: boolean
  readonly onAdd: (spot: CanvasSpot, type: Addition) => void
}

export type StepCanvasNode = Node<CanvasNodeData, 'step' | 'frame'>
export type SpotCanvasNode = Node<SpotNodeData, 'spot'>
export type CanvasNode = StepCanvasNode | SpotCanvasNode

/**
 * A plus on a line, for the mouse. The canvas is one tab stop and hidden from screen readers, for which its keys and
 * its toolbar do the same.
 */
export const SpotNode = memo(function SpotNode({
  data: { spot, isTarget, onAdd },
}: NodeProps<SpotCanvasNode>) {
  return (
    <AddStepMenu
      leaves
      isFirst={spot.list.length === 0 && spot.index === 0}
      onAdd={(type) => onAdd(spot, type)}
      trigger={
        <button
          type="button"
          tabIndex={-1}
          data-canvas-spot={[...spot.list, spot.index].join('.')}
          aria-label={t('Add a step here')}
          className={cx(
            'nodrag nopan grid size-full place-items-center rounded-full border hover:border-accent hover:bg-accent hover:text-on-accent',
            isTarget
              ? 'border-accent bg-accent text-on-accent'
              : 'border-line-control/60 bg-raised text-muted',
          )}
        >
          <Plus size={11} aria-hidden />
        </button>
      }
    />
  )
})

export const StepNode = memo(function StepNode({ data }: NodeProps<StepCanvasNode>) {
  const { step, outcome, chosen, picked, folded, canFold, onFold } = data
  const face = faceOf(step, usePlugins())
  const Icon = face.icon
  const isPinned = useRunPanel((state) => Object.hasOwn(state.pins, step.ref_id))
  const hasBreakpoint = useRunPanel((state) => Object.hasOwn(state.breakpoints, step.ref_id))
  const errors = useProblems(
    (state) =>
      state.problems?.filter(({ stepRef, severity }) => stepRef === step.ref_id && severity === 'error')
        .length ?? 0,
  )
  const isFresh = useProblems(({ fresh }) => fresh.has(step.ref_id))
  return (
    <div
      data-canvas-step={step.ref_id}
      className={cx(
        'flex size-full items-center gap-2.5 rounded border bg-surface px-3 text-left',
        EDGES[outcome?.state ?? ''] ?? 'border-line-control/60',
        picked && 'bg-selected',
        chosen && 'outline-2 outline-offset-2 outline-second',
        step.disabled && 'border-dashed opacity-60',
      )}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <MarkOfStep config={step.config} size={26}>
        <Icon size={16} className="shrink-0 text-muted" />
      </MarkOfStep>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{step.title || t(face.label)}</span>
        <span className="flex gap-1.5 text-sm text-muted">
          <code className="ref-tag shrink-[2]">{step.ref_id}</code>
          <span className="min-w-0 flex-1 truncate">{face.summary(step.config)}</span>
          {outcome === undefined ? null : <OutcomeWords outcome={outcome} />}
        </span>
      </span>
      {hasBreakpoint ? <BreakpointDot /> : null}
      {isPinned ? <Pin size={13} className="shrink-0 text-paused" /> : null}
      {errors === 0 ? null : <ErrorCount count={errors} isFresh={isFresh} />}
      {outcome === undefined ? null : <StatusIcon state={outcome.state} />}
      {canFold ? (
        <button
          type="button"
          tabIndex={-1}
          data-canvas-fold={step.ref_id}
          aria-label={folded > 0 ? t('Show nested steps') : t('Hide nested steps')}
          onClick={(event) => {
            event.stopPropagation()
            onFold(step.ref_id)
          }}
          className="nodrag nopan flex shrink-0 items-center gap-0.5 rounded px-1 text-sm text-muted hover:bg-hover hover:text-text"
        >
          {folded > 0 ? `+${formatCount(folded)}` : ''}
          {folded > 0 ? <ChevronRight size={14} aria-hidden /> : <ChevronDown size={14} aria-hidden />}
        </button>
      ) : null}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
})

const EDGES: Readonly<Record<string, string>> = {
  success: 'border-success/60',
  in_doubt: 'border-retrying',
  error: 'border-error',
  running: 'border-running',
  retrying: 'border-retrying',
}

/** Shown below the title, which then has the width of the box. */
function OutcomeWords({ outcome }: { readonly outcome: StepOutcome }) {
  const { durationMs, turns, failed } = outcome
  if (turns <= 1)
    return durationMs === null ? null : <span className="tabular shrink-0">{formatDuration(durationMs)}</span>
  return (
    <span className="tabular shrink-0" title={turnsOf(outcome)}>
      {failed > 0
        ? t('{{failed}} of {{turns}} failed', { failed: formatCount(failed), turns: formatCount(turns) })
        : plural(turns, 'iteration')}
    </span>
  )
}

/** `3,000 iterations, 1 failed, the longest 12 ms` */
export function turnsOf({ turns, failed, longestMs }: StepOutcome): string {
  return [
    plural(turns, 'iteration'),
    failed === 0 ? null : tn(failed, '{{count}} failed', '{{count}} failed'),
    longestMs === null ? null : t('longest: {{duration}}', { duration: formatDuration(longestMs) }),
  ]
    .filter((part) => part !== null)
    .join(', ')
}

/** A frame around the steps of a loop. */
export const FrameNode = memo(function FrameNode(_props: NodeProps<StepCanvasNode>) {
  return (
    <div className="size-full rounded-lg border border-dashed border-line-control/60 bg-sunken/60">
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
})
