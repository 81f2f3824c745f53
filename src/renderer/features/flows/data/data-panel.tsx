import { Search } from '../../../lib/icons.tsx'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { triggersOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { Button } from '../../../components/controls/button.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { printed, useShortcut } from '../../../components/screen/shortcuts.tsx'
import { SplitPane } from '../../../components/screen/split-pane.tsx'
import { announce } from '../../../components/screen/toast.tsx'
import { t } from '../../../lib/i18n.ts'
import { useSteady } from '../../../lib/use-steady.ts'
import { searchScope } from '../../../lib/scope.ts'
import type { ScopeNode } from '../../../lib/scope.ts'
import { DataSourceSelect, TypedValues } from './data-source-select.tsx'
import { DataTree } from './data-tree.tsx'
import { useAssist, useEditor, usePlugins, useRunPanel, useStores } from '../state/editor-context.tsx'
import { readableScope } from '../state/step-values.ts'
import { usePlaceShown } from '../state/use-place-shown.ts'
import { declaredFields } from '../model/declared-fields.ts'
import type { Plugins } from '../../../components/plugins/plugin-parts.ts'
import { walkSteps } from '../model/step-tree.ts'

interface DataPanelProps {
  readonly step: Step
  /** Whether input and output are side by side. */
  readonly isWide: boolean
  /** The selected item of each loop around the step. */
  readonly turns: ReactNode
  /** The result of the whole run. */
  readonly answer: ReactNode
  /** The result of the step; it shows the matches of the search. */
  readonly renderResult: (words: string) => ReactNode
  /** Called by the button that is offered if nothing is known about a step. */
  readonly onTest: () => void
}

const NO_STEPS: readonly Step[] = []
const FOUND = 200

/**
 * All available values: what the focused field can read, and the result of the step. All of it comes from one run and
 * one item.
 */
export function DataPanel({ step, isWide, turns, answer, renderResult, onTest }: DataPanelProps) {
  const { assist } = useStores()
  const search = useRef<HTMLInputElement>(null)
  const panel = useRef<HTMLElement>(null)
  const [words, setWords] = useState('')
  const hasRun = useRunPanel((state) => state.run !== null)
  // As one string, so that it changes only if they do.
  const triggers = useEditor((state) =>
    triggersOf(state.history?.present.steps ?? NO_STEPS)
      .map(({ ref_id: ref }) => ref)
      .join(' '),
  )
  const roots = useReadable(step.ref_id)
  const isSearching = words.trim() !== ''
  const shown = useMemo(
    () => (isSearching ? searchScope(roots, words, FOUND) : roots),
    [isSearching, roots, words],
  )
  useShortcut(
    { keys: 'mod+i', label: t('Insert a value from an earlier step'), group: t('Flow editor') },
    () => {
      assist.getState().paneShown('data')
      // A hidden pane takes the focus once it is rendered.
      requestAnimationFrame(() => search.current?.focus())
    },
  )

  const insert = useCallback(
    ({ path }: ScopeNode, withDefault: boolean) => {
      const { focused, paneShown } = assist.getState()
      if (focused === null) {
        announce(t('Select a field first. The value is inserted at the cursor.'))
        return
      }
      paneShown('form')
      focused.insert(withDefault ? `${path} | default('')` : path)
      requestAnimationFrame(focused.focus)
    },
    [assist],
  )
  const noteOf = useCallback(
    ({ path }: ScopeNode) =>
      triggers.split(' ').includes(path) ? t('input') : path === 'env' ? t('variables') : null,
    [triggers],
  )
  // Otherwise each key press would render all rows again.
  const { test } = useSteady({ test: onTest })
  const renderUnknown = useCallback(
    () =>
      hasRun ? null : (
        <Button look="quiet" className="h-6 text-sm" onClick={test}>
          {t('Run once to see fields')}
        </Button>
      ),
    [hasRun, test],
  )

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape leads back from anything in it
    <section
      ref={panel}
      aria-label={t('Data and result')}
      className="flex min-h-0 flex-1 flex-col bg-surface"
      onKeyDown={(event) => {
        const { focused, paneShown } = assist.getState()
        if (event.key !== 'Escape' || focused === null) return
        event.stopPropagation()
        paneShown('form')
        requestAnimationFrame(focused.focus)
      }}
    >
      <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line pr-2 pl-3">
        <h2 className="min-w-0 flex-1 truncate font-medium">{t('Data and result')}</h2>
        <DataSourceSelect />
        {turns}
      </div>
      <TypedValues />
      {answer}
      <div className="flex h-9 shrink-0 items-center gap-1 border-b border-line pr-1 pl-3">
        <Search size={13} aria-hidden className="shrink-0 text-faint" />
        <TextInput
          ref={search}
          value={words}
          onChange={setWords}
          aria-label={t('Search data')}
          placeholder={t('Search keys and values ({{printed}})', { printed: printed('mod+i') })}
          className="border-transparent bg-transparent px-1"
          onKeyDown={(event) => {
            const [first] = shown
            if (event.key === 'Enter' && first !== undefined) {
              // The focus moves to the field, which would take the same Enter as a line break.
              event.preventDefault()
              insert(first, event.altKey)
              setWords('')
            }
            if (event.key === 'ArrowDown') {
              event.preventDefault()
              panel.current?.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus()
            }
          }}
        />
      </div>
      <SplitPane
        key={isWide ? 'wide' : 'narrow'}
        name={isWide ? 'editor-output' : 'editor-output-height'}
        label={isWide ? t('Input width') : t('Result height')}
        direction={isWide ? 'row' : 'column'}
        initial={isWide ? 400 : 360}
        min={isWide ? 200 : 120}
        max={isWide ? 900 : 1200}
        isKept
      >
        {roots.length === 0 ? (
          <p className="p-3 text-muted">{t('No steps run before this one, so there’s no data yet.')}</p>
        ) : (
          <DataTree
            roots={shown}
            searching={isSearching}
            noteOf={noteOf}
            onInsert={insert}
            renderUnknown={renderUnknown}
          />
        )}
        {renderResult(words)}
      </SplitPane>
    </section>
  )
}

/** Updated when steps or values change, and not with every typed letter. */
function useReadable(refId: string): readonly ScopeNode[] {
  const stores = useStores()
  const plugins = usePlugins()
  const focused = useAssist((state) => state.focused)
  const field = focused?.refId === refId ? focused.field : ''
  const shape = useEditor((state) => shapeOf(state.history?.present.steps ?? NO_STEPS, plugins))
  const records = useRunPanel((state) => state.steps)
  const alone = useRunPanel((state) => state.alone)
  const pins = useRunPanel((state) => state.pins)
  const source = useAssist((state) => state.source)
  const described = useAssist((state) => state.described[`${refId}|${field}`])
  const loopValues = useAssist((state) => state.loopValues[`${refId}|${field}`])
  usePlaceShown(refId, field)
  return useMemo(() => {
    // Only the steps and their places are read here; `shape` changes when they do.
    const steps = shape === '' ? NO_STEPS : (stores.editor.getState().history?.present.steps ?? NO_STEPS)
    return readableScope(
      steps,
      { refId, field },
      { records, alone, pins, source, plugins },
      described,
      loopValues,
    )
  }, [stores, shape, refId, field, records, alone, pins, source, plugins, described, loopValues])
}

const SHAPES = new WeakMap<readonly Step[], { readonly plugins: Plugins; readonly shape: string }>()

/** Called several times per key press, and for every other change in the editor. */
function shapeOf(steps: readonly Step[], plugins: Plugins): string {
  const known = SHAPES.get(steps)
  if (known?.plugins === plugins) return known.shape
  const shape = readShape(steps, plugins)
  SHAPES.set(steps, { plugins, shape })
  return shape
}

function readShape(steps: readonly Step[], plugins: Plugins): string {
  return walkSteps(steps)
    .map(
      ({ step, path }) =>
        `${path.join('.')}:${step.ref_id}:${step.type}:${Object.keys(declaredFields(step, plugins)).join(' ')}`,
    )
    .join()
}
