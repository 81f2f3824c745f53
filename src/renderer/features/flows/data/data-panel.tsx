import { X } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { Step } from '../../../../shared/contract/steps.ts'
import { Button, IconButton } from '../../../components/controls/button.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { printed, useShortcut } from '../../../components/screen/shortcuts.tsx'
import { announce } from '../../../components/screen/toast.tsx'
import { Trans } from '../../../lib/trans.tsx'
import { t } from '../../../lib/i18n.ts'
import { searchScope } from '../../../lib/scope.ts'
import type { ScopeNode } from '../../../lib/scope.ts'
import { DataSourceSelect } from './data-source-select.tsx'
import { DataTree } from './data-tree.tsx'
import { useAssist, useEditor, useRunPanel, useStores } from '../state/editor-context.tsx'
import { PreviewView } from './preview-view.tsx'
import { readableScope } from '../state/step-values.ts'
import { usePlaceShown } from '../state/use-place-shown.ts'
import { walkSteps } from '../model/step-tree.ts'

interface DataPanelProps {
  readonly step: Step
  readonly onClose: () => void
  /** Offered where nothing is known of a step. */
  readonly onTest: () => void
}

const NO_STEPS: readonly Step[] = []
const FOUND = 200

/** What the focused field can read, with the values at hand, and what comes of the field's text. */
export function DataPanel({ step, onClose, onTest }: DataPanelProps) {
  const search = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const focused = useAssist((state) => state.focused)
  const field = focused?.refId === step.ref_id ? focused.field : ''
  const hasRun = useRunPanel((state) => state.run !== null)
  const roots = useRoots(step.ref_id, field)
  const shown = words.trim() === '' ? roots : searchScope(roots, words, FOUND)
  useShortcut({ keys: 'mod+i', label: t('Insert a value of an earlier step'), group: t('Flow editor') }, () =>
    search.current?.focus(),
  )

  function insert({ path }: ScopeNode, withDefault: boolean) {
    if (focused === null) {
      announce(t('Click into a field first: what you pick goes to its cursor'))
      return
    }
    focused.insert(withDefault ? `${path} | default('')` : path)
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape leads back from anything in it
    <section
      aria-label={t('Data')}
      className="flex min-h-0 flex-1 flex-col bg-surface"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        focused?.focus()
      }}
    >
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line pr-2 pl-3">
        <h2 className="min-w-0 flex-1 truncate font-medium">
          <Trans
            text={'Data <note>for {{label}}</note>'}
            values={{ label: focused?.label ?? step.ref_id }}
            parts={{ note: <span className="font-normal text-muted" /> }}
          />
        </h2>
        <IconButton small label={t('Close the data')} icon={X} onClick={onClose} />
      </div>
      <div className="flex shrink-0 flex-col gap-1.5 border-b border-line p-2">
        <DataSourceSelect />
        <TextInput
          ref={search}
          value={words}
          onChange={setWords}
          aria-label={t('Search the data')}
          placeholder={t('Search keys and values ({{printed}})', { printed: printed('mod+i') })}
          onKeyDown={(event) => {
            const [first] = shown
            if (event.key === 'Enter' && first !== undefined) {
              // The focus goes to the field, which would take the same Enter as a line break.
              event.preventDefault()
              insert(first, event.altKey)
              setWords('')
            }
            if (event.key === 'ArrowDown') {
              event.preventDefault()
              event.currentTarget
                .closest('section')
                ?.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')
                ?.focus()
            }
          }}
        />
      </div>
      {roots.length === 0 ? (
        <p className="flex-1 p-3 text-sm text-muted">
          {t('No step runs before this one, so there is nothing to read yet.')}
        </p>
      ) : (
        <DataTree
          roots={shown}
          searching={words.trim() !== ''}
          onInsert={insert}
          renderUnknown={() =>
            hasRun ? null : (
              <Button look="quiet" className="h-6 text-sm" onClick={onTest}>
                {t('Run once to see fields')}
              </Button>
            )
          }
        />
      )}
      <p className="shrink-0 border-t border-line px-3 py-1.5 text-sm text-faint">
        {t('Click inserts · Alt+click with a default · or drag')}
      </p>
      <PreviewView />
    </section>
  )
}

/** Told anew where steps or values change, and not with every letter that is typed in one. */
function useRoots(refId: string, field: string): readonly ScopeNode[] {
  const stores = useStores()
  const shape = useEditor((state) => shapeOf(state.history?.present.steps ?? NO_STEPS))
  const records = useRunPanel((state) => state.steps)
  const alone = useRunPanel((state) => state.alone)
  const pins = useRunPanel((state) => state.pins)
  const source = useAssist((state) => state.source)
  const described = useAssist((state) => state.described[`${refId}|${field}`])
  const loopValues = useAssist((state) => state.loopValues[`${refId}|${field}`])
  usePlaceShown(refId, field)
  return useMemo(() => {
    // Which steps there are, and where, is all of them that is read here; `shape` says when that changes.
    const steps = shape === '' ? NO_STEPS : (stores.editor.getState().history?.present.steps ?? NO_STEPS)
    return readableScope(steps, { refId, field }, { records, alone, pins, source }, described, loopValues)
  }, [stores, shape, refId, field, records, alone, pins, source, described, loopValues])
}

function shapeOf(steps: readonly Step[]): string {
  return walkSteps(steps)
    .map(({ step, path }) => `${path.join('.')}:${step.ref_id}:${step.type}`)
    .join()
}
