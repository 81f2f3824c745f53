import { lazy, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { PreviewKind } from '../../../../shared/contract/templates.ts'
import type { TemplateEditorHandle } from '../../../components/code/template-editor.tsx'
import type { TemplateHelp } from '../../../components/code/template-help.ts'
import { selectionOf, TextArea, useFieldLabel, useFieldProps } from '../../../components/controls/field.tsx'
import { cx } from '../../../lib/cx.ts'
import type { TemplatePlace } from '../state/assist-store.ts'
import type { Plugins } from '../../../components/plugins/plugin-parts.ts'
import { type Stores, usePlugins, useStores } from '../state/editor-context.tsx'
import { FieldPreview } from './field-preview.tsx'
import { readableScope } from '../state/step-values.ts'

export interface TemplateInputProps {
  readonly refId: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string | undefined
  readonly rows?: number
  /** Whether the text is an expression, so that a path is inserted without braces. */
  readonly expression?: boolean
  /** Without braces the text is the path of a field of the items: `address.city`. */
  readonly entryPath?: boolean
  /** The kind of value that the step makes of the text, for its preview; defaults to one that keeps its type. */
  readonly kind?: PreviewKind
  /** The field in the step, `config.collect`, if it determines what can be read. */
  readonly field?: string
  /** The accessible name outside of a Field. */
  readonly label?: string
  /** Its name in the preview, if `label` doesn't say it. */
  readonly title?: string
}

const load = () => import('../../../components/code/code-editors.ts')
const TemplateEditor = lazy(async () => ({ default: (await load()).TemplateEditor }))
const ROW_PX = 17.4
const FRAME = cx(
  'min-h-7 w-full min-w-0 rounded border bg-surface text-text hover:border-line-control',
  'focus-within:border-accent focus-within:outline-1 focus-within:-outline-offset-1 focus-within:outline-accent',
)

/** The control of a string that can use other steps' results, or a plain text area until its editor is loaded. */
export function TemplateInput(props: TemplateInputProps) {
  const {
    refId,
    value,
    onChange,
    placeholder = '',
    rows = 1,
    expression = false,
    label,
    entryPath = false,
  } = props
  const { field = '', kind = expression ? 'condition' : 'value', title = label ?? 'Template' } = props
  const { assist } = useStores()
  const named = useFieldProps()
  const labelId = useFieldLabel()
  const id = useId()
  const editor = useRef<TemplateEditorHandle>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const [takesOver, setTakesOver] = useState<{ from: number; to: number } | null>(null)
  const bare = expression && !/\{[{%]/.test(value)
  const help = useTemplateHelp(id, entryPath, { refId, field, kind, bare })
  useEffect(() => assist.getState().fieldShown(id, () => editor.current?.inspectAgain()), [assist, id])

  const focused = () =>
    assist.getState().fieldFocused({
      id,
      label: title,
      refId,
      field,
      insert: (text) => editor.current?.insert(text),
      focus: () => editor.current?.focus(),
    })

  return (
    <div className="flex w-full min-w-0 flex-1 flex-col gap-1">
      <div
        {...(bare ? { 'data-bare': '' } : {})}
        className={cx(FRAME, named['aria-invalid'] ? 'border-error' : 'border-line-control/70')}
        style={{ '--rows-height': `${rows * ROW_PX + 8}px` } as React.CSSProperties}
      >
        <Suspense
          fallback={
            <TextArea
              mono
              ref={area}
              value={value}
              placeholder={placeholder}
              onChange={(next) => {
                // The browser reports the selection after the text, and the editor may take over in between.
                setTakesOver(selectionOf(area.current))
                onChange(next)
              }}
              // The focus and the selection while the editor is loading pass to it.
              onSelect={({ currentTarget }) => setTakesOver(selectionOf(currentTarget))}
              onFocus={({ currentTarget }) => setTakesOver(selectionOf(currentTarget))}
              onBlur={() => setTakesOver(null)}
              {...(label === undefined ? {} : { id: undefined, 'aria-label': label })}
              style={{ minHeight: 'var(--rows-height)' }}
              className="block resize-none! border-transparent bg-transparent outline-none"
            />
          }
        >
          <TemplateEditor
            handle={editor}
            value={value}
            onChange={onChange}
            help={help}
            placeholder={placeholder}
            id={label === undefined ? named.id : undefined}
            label={label}
            labelId={labelId}
            describedBy={named['aria-describedby']}
            invalid={named['aria-invalid'] === true}
            takesOver={takesOver}
            onFocus={focused}
          />
        </Suspense>
      </div>
      <FieldPreview id={id} refId={refId} field={field} />
    </div>
  )
}

const NO_STEPS = [] as const

/**
 * The information that the editor of one template needs. It is read from the stores on request, so that a run doesn't
 * render every field again.
 */
function useTemplateHelp(
  id: string,
  entryPath: boolean,
  { refId, field, kind, bare }: TemplatePlace,
): TemplateHelp {
  const stores = useStores()
  const plugins = usePlugins()
  return useMemo(
    () => ({
      bare,
      entryPath,
      entries: () => stores.assist.getState().entries,
      scope: () => scopeOf(stores, plugins, refId, field),
      continued: (expression) => stores.assist.getState().continued(expression, { refId, field, kind, bare }),
      inspect: (text) => stores.assist.getState().inspected(id, text, { refId, field, kind, bare }),
    }),
    [stores, plugins, id, entryPath, refId, field, kind, bare],
  )
}

function scopeOf({ editor, panel, assist }: Stores, plugins: Plugins, refId: string, field: string) {
  const { steps: records, alone, pins } = panel.getState()
  const { source, described, loopValues } = assist.getState()
  const key = `${refId}|${field}`
  const steps = editor.getState().history?.present.steps ?? NO_STEPS
  return readableScope(
    steps,
    { refId, field },
    { records, alone, pins, source, plugins },
    described[key],
    loopValues[key],
  )
}
