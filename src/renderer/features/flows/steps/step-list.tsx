import {
  ClipboardPaste,
  CircleDot,
  Copy,
  CopyPlus,
  Ellipsis,
  Eye,
  EyeOff,
  Pin,
  Plus,
  Trash2,
} from '../../../lib/icons.tsx'
import { createContext, memo, use, useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { FlowRunStep } from '../../../../shared/contract/flow-runs.ts'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { Menu } from '../../../components/controls/menu.tsx'
import { stepState } from '../../../components/runs/run-step-view.tsx'
import { printed, useListedKeys } from '../../../components/screen/shortcuts.tsx'
import type { Addition } from '../../../components/services/catalogue.ts'
import { useAdding } from '../../../components/services/open-flow.ts'
import { MarkOfStep } from '../../../components/services/service-mark.tsx'
import { StatusIcon } from '../../../components/values/status-badge.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatDuration } from '../../../lib/format.ts'
import { t, tn } from '../../../lib/i18n.ts'
import { isMac } from '../../../lib/keys.ts'
import { AddStepMenu } from './add-step-menu.tsx'
import { BreakpointDialog } from './breakpoint-dialog.tsx'
import { BreakpointDot } from './breakpoint-dot.tsx'
import { ErrorCount } from './problems-view.tsx'
import { useEditor, useProblems, useRunPanel, usePlugins } from '../state/editor-context.tsx'
import { ProblemsView } from './problems-view.tsx'
import { DropHere, INDENT_PX, StepDragProvider, useDragSource } from './step-drag.tsx'
import { useSteady } from '../../../lib/use-steady.ts'
import { useStepActions } from './step-actions.ts'
import { useStepSelection } from './use-step-selection.ts'
import type { StepActions } from './step-actions.ts'
import { childLists, toPosition, walkSteps } from '../model/step-tree.ts'
import type { ListPath, StepPath } from '../model/step-tree.ts'
import { faceOf, listsOf } from '../step-types/index.ts'

interface StepListProps {
  readonly selected: string | undefined
  readonly onSelect: (refId: string | undefined) => void
  /** Called for a new step, which is filled in immediately. */
  readonly onAdded?: (refId: string) => void
  readonly onProblem?: (refId: string, field: string) => void
  /** Called when a step was selected by the pointer. */
  readonly onClicked?: () => void
  /** Called for Enter on a step: editing continues in its form. */
  readonly onOpen: () => void
}

/**
 * The names of the steps that are selected together, as one string, so that rows are rendered again only if it changes.
 */
const Picked = createContext('')

const NO_STEPS: readonly Step[] = []
const ROOT: ListPath = []
/** Keys after which the step may be in another list, or gone. */
const MOVES = /^(?:alt\+arrow|delete|backspace)/

/** The steps as they run, top to bottom, with the lists of conditions and loops below their step. */
export function StepList(props: StepListProps) {
  const { selected, onSelect, onAdded, onProblem = onSelect, onClicked, onOpen } = props
  const steps = useEditor((state) => state.history?.present.steps ?? NO_STEPS)
  const selection = useStepSelection(selected ?? steps[0]?.ref_id)
  const actions = useSteady({
    ...useStepActions(onSelect, onAdded),
    select: (refId: string) => {
      selection.cleared()
      onSelect(refId)
      onClicked?.()
    },
    pick: selection.toggled,
    open: onOpen,
  })
  const { addLast } = useSteady({ addLast: (added: Addition) => actions.add([], steps.length, added) })
  useAdding({ isEmpty: steps.length === 0, add: addLast })
  useListedKeys(t('Steps'), {
    up: t('Select the previous step'),
    down: t('Select the next step'),
    'shift+down': t('Select the next step as well'),
    enter: t('Edit step'),
    'alt+up': t('Move step up'),
    'alt+down': t('Move step down'),
    'alt+right': t('Move step into the one above'),
    'alt+left': t('Move step out of the one around it'),
    'mod+d': t('Duplicate'),
    'mod+c': t('Copy as JSON'),
    'mod+v': t('Paste below'),
    'mod+/': t('Turn on or off'),
    del: t('Delete'),
  })
  const tree = useRef<HTMLDivElement>(null)
  const order = walkSteps(steps)
  const current = order.find(({ step }) => step.ref_id === selected)

  // The focus follows the selected step, so that the next key works as expected after a move or a deletion. A step
  // moved to another list is rendered again there, and has lost the focus by then.
  const follows = useRef(false)
  useEffect(() => {
    const isHere = tree.current?.contains(document.activeElement) === true
    if (!follows.current && !(isHere && document.activeElement?.matches('[data-step]') === true)) return
    follows.current = false
    tree.current?.querySelector<HTMLElement>('[data-step][aria-current="true"]')?.focus()
  })

  // If the list is opened at a step far down, that step is centered; afterwards nothing scrolls without need.
  const shown = current?.step.ref_id
  const wasShown = useRef(false)
  useEffect(() => {
    const row = tree.current?.querySelector('[data-step][aria-current="true"]')
    if (shown !== undefined) row?.scrollIntoView({ block: wasShown.current ? 'nearest' : 'center' })
    wasShown.current = true
  }, [shown])

  function onKeyDown(event: KeyboardEvent) {
    if (current === undefined || !(event.target as HTMLElement).matches('[data-step]')) return
    const { step, path } = current
    const at = order.indexOf(current)
    const go = (to: number) => {
      selection.cleared()
      onSelect(order[Math.min(order.length - 1, Math.max(0, to))]?.step.ref_id)
    }
    const extend = (to: number) => {
      const next = order[to]?.step.ref_id
      if (next === undefined) return
      selection.replaced([...selection.refIds, next])
      onSelect(next)
    }
    const isSeveral = selection.refIds.size > 1
    const remove = () => (isSeveral ? actions.removeAll(selection.refIds) : actions.remove(path, step))
    const mod = isMac() ? event.metaKey : event.ctrlKey
    const stroke = `${mod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`
    const keys: Record<string, () => void> = {
      arrowdown: () => go(at + 1),
      arrowup: () => go(at - 1),
      'shift+arrowdown': () => extend(at + 1),
      'shift+arrowup': () => extend(at - 1),
      escape: selection.cleared,
      j: () => go(at + 1),
      k: () => go(at - 1),
      home: () => go(0),
      end: () => go(order.length - 1),
      enter: onOpen,
      'alt+arrowup': () => actions.move(path, -1),
      'alt+arrowdown': () => actions.move(path, 1),
      'alt+arrowright': () => actions.indent(path),
      'alt+arrowleft': () => actions.outdent(path),
      delete: remove,
      backspace: remove,
      'mod+d': () => (isSeveral ? actions.duplicateAll(selection.refIds) : actions.duplicate(path, step)),
      'mod+c': () => void actions.copyAll(selection.refIds),
      'mod+v': () => void actions.paste(path.slice(0, -1), (path.at(-1) as number) + 1),
      'mod+/': () => actions.toggleAll(selection.refIds),
    }
    const run = keys[stroke]
    if (run === undefined || (stroke === 'escape' && !isSeveral)) return
    event.preventDefault()
    event.stopPropagation()
    follows.current = MOVES.test(stroke)
    run()
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col bg-surface">
      {/* CSS containment keeps typing in the form from laying out hundreds of rows again. */}
      <div className="flex min-h-0 flex-1 flex-col overflow-auto contain-strict">
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- takes the keys of the steps in it */}
        <div ref={tree} onKeyDown={onKeyDown} className="py-1">
          <Picked value={selection.refIds.size > 1 ? [...selection.refIds].join(' ') : ''}>
            <StepDragProvider
              onMove={(from, list, index) => {
                const dragged = order.find(({ path }) => path.join() === from.join())?.step.ref_id
                if (selection.refIds.size > 1 && dragged !== undefined && selection.refIds.has(dragged))
                  actions.placeAll(selection.refIds, list, index)
                else actions.place(from, list, index)
              }}
            >
              <Triggers steps={steps} actions={actions} />
              <Siblings
                label={t('Steps')}
                list={ROOT}
                steps={steps}
                depth={0}
                selected={current === undefined ? order[0]?.step.ref_id : selected}
                actions={actions}
              />
            </StepDragProvider>
          </Picked>
        </div>
        {selection.refIds.size < 2 ? null : (
          <div
            className="flex flex-wrap items-center gap-1 px-3 pb-2"
            role="group"
            aria-label={t('Selected steps')}
          >
            <span role="status" className="flex-1 text-sm text-muted">
              {t('{{count}} selected', { count: selection.refIds.size })}
            </span>
            <IconButton
              small
              label={t('Copy as JSON')}
              icon={Copy}
              onClick={() => void actions.copyAll(selection.refIds)}
            />
            <IconButton
              small
              label={t('Duplicate')}
              icon={CopyPlus}
              onClick={() => actions.duplicateAll(selection.refIds)}
            />
            <IconButton
              small
              label={t('Turn on or off')}
              icon={EyeOff}
              onClick={() => actions.toggleAll(selection.refIds)}
            />
            <IconButton
              small
              label={t('Delete')}
              icon={Trash2}
              onClick={() => actions.removeAll(selection.refIds)}
            />
          </div>
        )}
        <div className="flex gap-1 px-3 pb-4">
          <AddStepMenu
            leaves
            isFirst={steps.length === triggersOf(steps).length}
            onAdd={(type) => actions.add([], steps.length, type)}
            trigger={
              <Button icon={Plus} className="flex-1">
                {t('Add step')}
              </Button>
            }
          />
          <IconButton
            label={t('Paste steps, or a curl command to create a request')}
            icon={ClipboardPaste}
            onClick={() => void actions.paste([], steps.length)}
          />
        </div>
      </div>
      <ProblemsView onSelect={onProblem} />
    </div>
  )
}

/** Shown above the steps: how many of them start the flow, and a button to add one. */
function Triggers({ steps, actions }: { readonly steps: readonly Step[]; readonly actions: Actions }) {
  const { length: count } = triggersOf(steps)
  if (count === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-2 px-3 pb-1">
      <span className="flex-1 text-sm text-muted">
        {tn(count, '{{count}} trigger', '{{count}} triggers')}
      </span>
      <AddStepMenu
        leaves
        isFirst={false}
        isTrigger
        onAdd={(type) => actions.add(ROOT, count, type)}
        trigger={
          <Button look="quiet" icon={Plus} className="-mr-2 h-6 text-sm">
            {t('Add another trigger')}
          </Button>
        }
      />
    </div>
  )
}

/** The operations on the steps, and on the selection. */
interface Actions extends StepActions {
  readonly select: (refId: string) => void
  /** Adds the step to the selection, or removes it. */
  readonly pick: (refId: string) => void
  readonly open: () => void
}

interface SiblingsProps {
  readonly label: string
  readonly list: ListPath
  readonly steps: readonly Step[]
  readonly depth: number
  readonly selected: string | undefined
  readonly actions: Actions
}

function Siblings({ label, list, steps, depth, selected, actions }: SiblingsProps) {
  const triggers = depth === 0 ? triggersOf(steps).length : -1
  return (
    <ol aria-label={label}>
      {steps.map((step, index) => (
        <StepItem
          key={step.ref_id}
          step={step}
          list={list}
          index={index}
          depth={depth}
          canStart={index <= triggers}
          selected={step.ref_id === selected || listsOf(step).length > 0 ? selected : undefined}
          isBelowSelected={selected !== undefined && steps[index - 1]?.ref_id === selected}
          actions={actions}
        />
      ))}
      <li className="list-none">
        <DropHere list={list} index={steps.length} empty={steps.length === 0} />
      </li>
    </ol>
  )
}

interface StepItemProps {
  readonly step: Step
  readonly list: ListPath
  readonly index: number
  readonly depth: number
  /** Whether a trigger can be added above it. */
  readonly canStart: boolean
  /** The selected step, if it is this one or inside it; other rows don't need to know. */
  readonly selected: string | undefined
  readonly isBelowSelected: boolean
  readonly actions: Actions
}

/** Rendered again only if it changed, because a flow may have hundreds of steps and each typed key changes one. */
const StepItem = memo(function StepItem(props: StepItemProps) {
  const { step, list, index, depth, canStart, selected, isBelowSelected, actions } = props
  const path = [...list, index]
  return (
    <li>
      <DropHere list={list} index={index} />
      <InsertHere
        before={step.ref_id}
        tabbable={step.ref_id === selected || isBelowSelected}
        depth={depth}
        isFirst={canStart}
        onAdd={(type) => actions.add(list, index, type)}
      />
      <StepRow step={step} path={path} depth={depth} selected={step.ref_id === selected} actions={actions} />
      {childLists(step, path, listsOf(step)).map((child) => (
        <div key={child.path.join()}>
          <div
            className="flex h-7 items-center gap-2 pr-2 text-sm text-muted"
            style={{ paddingLeft: indent(depth) + 26 }}
          >
            <span
              aria-hidden
              className="mb-2.5 h-3 w-2.5 shrink-0 rounded-bl-sm border-b border-l border-line-control/60"
            />
            {child.words}
            <AddStepMenu
              leaves
              isFirst={false}
              onAdd={(type) => actions.add(child.path, child.steps.length, type)}
              trigger={
                <IconButton
                  small
                  icon={Plus}
                  label={t('Add a step to {{words}} of {{refId}}', {
                    words: child.words,
                    refId: step.ref_id,
                  })}
                />
              }
            />
            {child.steps.length === 0 ? <span className="text-faint">{t('no steps')}</span> : null}
          </div>
          <Siblings
            label={t('{{words}} of {{refId}}', { words: child.words, refId: step.ref_id })}
            list={child.path}
            steps={child.steps}
            depth={depth + 1}
            selected={selected}
            actions={actions}
          />
        </div>
      ))}
    </li>
  )
})

interface InsertHereProps {
  /** The step below it. */
  readonly before: string
  readonly depth: number
  readonly isFirst: boolean
  /** Whether Tab stops here, which it does only around the selected step. */
  readonly tabbable: boolean
  readonly onAdd: Parameters<typeof AddStepMenu>[0]['onAdd']
}

/** A thin line between two steps that expands to a button when it is hovered or focused. */
function InsertHere({ before, depth, isFirst, tabbable, onAdd }: InsertHereProps) {
  return (
    <div className="relative z-10 h-0" style={{ marginLeft: indent(depth) }}>
      <AddStepMenu
        leaves
        isFirst={isFirst}
        onAdd={onAdd}
        trigger={
          <button
            type="button"
            aria-label={t('Insert a step before {{before}}', { before })}
            tabIndex={tabbable ? 0 : -1}
            className="absolute -top-1.5 right-3 left-3 flex h-3 items-center opacity-0 hover:opacity-100 focus-visible:opacity-100 data-popup-open:opacity-100"
          >
            <span className="h-px flex-1 bg-accent" />
            <span className="grid size-4 place-items-center rounded-full bg-accent text-on-accent">
              <Plus size={11} aria-hidden />
            </span>
            <span className="h-px flex-1 bg-accent" />
          </button>
        }
      />
    </div>
  )
}

interface StepRowProps {
  readonly step: Step
  readonly path: StepPath
  readonly depth: number
  readonly selected: boolean
  readonly actions: Actions
}

function StepRow({ step, path, depth, selected, actions }: StepRowProps) {
  const record = useRunPanel((state) => state.steps[step.ref_id])
  const refused = useEditor((state) => state.errors.bySteps[step.ref_id])
  const found = useProblems(
    ({ problems }) =>
      problems?.filter(({ stepRef, severity }) => stepRef === step.ref_id && severity === 'error').length,
  )
  const isFresh = useProblems(({ fresh }) => fresh.has(step.ref_id))
  const errors = found ?? Object.keys(refused ?? {}).length
  const face = faceOf(step, usePlugins())
  const Icon = face.icon
  const source = useDragSource(path)
  const picked = use(Picked).split(' ').includes(step.ref_id)
  const pinned = useRunPanel((state) => Object.hasOwn(state.pins, step.ref_id))
  const hasBreakpoint = useRunPanel((state) => Object.hasOwn(state.breakpoints, step.ref_id))
  const [settingBreakpoint, setSettingBreakpoint] = useState(false)
  return (
    <div
      {...source}
      className={cx(
        // Rows off screen aren't painted again at each key press.
        'group flex items-center pr-2 [contain-intrinsic-block-size:auto_2.75rem] [content-visibility:auto]',
        selected || picked ? 'bg-selected' : 'hover:bg-hover',
      )}
      style={{ paddingLeft: indent(depth) }}
    >
      <button
        type="button"
        data-step={step.ref_id}
        aria-current={selected}
        aria-label={`${toPosition(path)} ${step.ref_id}, ${step.title || t(face.label)}${step.disabled ? t(', turned off') : ''}${pinned ? t(', pinned') : ''}${hasBreakpoint ? t(', breakpoint') : ''}${picked ? t(', selected') : ''}${
          errors === 0 ? '' : isFresh ? t(', to fill in') : t(', has errors')
        }`}
        tabIndex={selected ? 0 : -1}
        onClick={(event) => {
          if (event.shiftKey || event.ctrlKey || event.metaKey) actions.pick(step.ref_id)
          else actions.select(step.ref_id)
        }}
        onDoubleClick={actions.open}
        className="flex min-h-11 min-w-0 flex-1 items-center gap-2.5 py-1 text-left focus-visible:-outline-offset-2"
      >
        <span aria-hidden className="tabular w-4 shrink-0 text-right text-sm text-faint">
          {(path.at(-1) as number) + 1}
        </span>
        <span aria-hidden className="grid w-5 shrink-0 place-items-center">
          <MarkOfStep config={step.config}>
            <Icon size={16} className={selected ? 'text-second' : 'text-muted'} />
          </MarkOfStep>
        </span>
        <span className={cx('min-w-0 flex-1', step.disabled && 'text-muted line-through')}>
          <span className="block truncate font-medium">{step.title || t(face.label)}</span>
          <span className="flex gap-1.5 text-sm text-muted">
            <code className="ref-tag shrink-[2]">{step.ref_id}</code>
            <span className="min-w-0 flex-1 truncate">{face.summary(step.config)}</span>
            {record === undefined || record.duration_ms === null ? null : (
              <span className="tabular shrink-0">{formatDuration(record.duration_ms)}</span>
            )}
          </span>
        </span>
        {hasBreakpoint ? <BreakpointDot /> : null}
        {pinned ? <Pin size={13} aria-hidden className="shrink-0 text-paused" /> : null}
        {step.disabled ? <span className="shrink-0 text-sm text-muted">{t('off')}</span> : null}
        {errors === 0 ? null : <ErrorCount count={errors} isFresh={isFresh} />}
        {record === undefined ? null : <Outcome record={record} />}
      </button>
      <Menu
        trigger={
          <IconButton
            small
            tabIndex={selected ? 0 : -1}
            label={t('More for {{refId}}', { refId: step.ref_id })}
            icon={Ellipsis}
            className={cx(!selected && 'opacity-0 group-hover:opacity-100 focus-visible:opacity-100')}
          />
        }
        groups={[
          [
            {
              label: t('Duplicate'),
              icon: CopyPlus,
              keys: printed('mod+d'),
              onSelect: () => actions.duplicate(path, step),
            },
            {
              label: t('Copy as JSON'),
              icon: Copy,
              keys: printed('mod+c'),
              onSelect: () => void actions.copy(step),
            },
            {
              label: t('Paste below'),
              icon: ClipboardPaste,
              keys: printed('mod+v'),
              onSelect: () => void actions.paste(path.slice(0, -1), (path.at(-1) as number) + 1),
            },
            {
              label: step.disabled ? t('Turn on') : t('Turn off'),
              icon: step.disabled ? Eye : EyeOff,
              keys: printed('mod+/'),
              onSelect: () => actions.toggle(path),
            },
            {
              label: t('Breakpoint…'),
              icon: CircleDot,
              onSelect: () => setSettingBreakpoint(true),
            },
          ],
          [
            {
              label: t('Delete'),
              icon: Trash2,
              keys: printed('del'),
              danger: true,
              onSelect: () => actions.remove(path, step),
            },
          ],
        ]}
      />
      {settingBreakpoint ? (
        <BreakpointDialog refId={step.ref_id} onClose={() => setSettingBreakpoint(false)} />
      ) : null}
    </div>
  )
}

function Outcome({ record }: { readonly record: FlowRunStep }) {
  const run = useRunPanel((state) => state.run)
  return <StatusIcon state={stepState(record, run)} />
}

function indent(depth: number): number {
  return 8 + depth * INDENT_PX
}
