import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  snippet,
} from '@codemirror/autocomplete'
import { type Diagnostic, linter, lintGutter, setDiagnostics } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { type Ref, useEffect, useImperativeHandle, useMemo, useState } from 'react'
import { CodeEditor } from '../../code/code-editor.tsx'
import { t } from '../../../lib/i18n.ts'
import { type Choice, completeConfig, type ResponseSample } from './config-completion.ts'
import type { PlacedProblem } from './problem-places.ts'

export interface EditorHandle {
  /** Moves the cursor there and focuses the editor. */
  readonly goTo: (offset: number) => void
}

interface ConfigEditorProps {
  readonly ref: Ref<EditorHandle>
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problems: readonly PlacedProblem[]
  /** Paths into it are offered. */
  readonly sample: ResponseSample | null
}

/** The JSON of a configuration. Keys, values, variables and paths are offered, and problems underlined. */
export function ConfigEditor({ ref, value, onChange, problems, sample }: ConfigEditorProps) {
  const [view, setView] = useState<EditorView | null>(null)
  const [completion] = useState(createCompletion)
  // Problems come from outside; the linter only draws the gutter and the list.
  const extensions = useMemo(() => [completion.extension, linter(null), lintGutter(), LOOKS], [completion])
  useEffect(() => completion.setSample(sample), [completion, sample])
  useImperativeHandle(ref, () => ({
    goTo(offset) {
      if (view === null) return
      const anchor = Math.min(offset, view.state.doc.length)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
  }))
  useEffect(() => {
    if (view === null) return
    const length = view.state.doc.length
    // The current text may already be shorter than the checked one.
    const shown = problems.filter(({ to }) => to <= length).map(toDiagnostic)
    view.dispatch(setDiagnostics(view.state, shown))
  }, [view, problems])
  return (
    <CodeEditor
      value={value}
      language="json"
      onChange={onChange}
      readOnly={false}
      fill
      label={t('Pagination configuration')}
      labelId={undefined}
      describedBy={undefined}
      extensions={extensions}
      onView={setView}
    />
  )
}

const SEVERITIES = { error: 'error', warning: 'warning', hint: 'info' } as const

function toDiagnostic({ from, to, severity, message }: PlacedProblem): Diagnostic {
  return { from, to, severity: SEVERITIES[severity], message }
}

const LOOKS = EditorView.theme({
  '.cm-gutter-lint': { width: '10px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { width: '10px', height: '10px' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--error) 1px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--retrying) 1px' },
  '.cm-lintRange-info': { backgroundImage: 'none', textDecoration: 'underline wavy var(--running) 1px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow-float)',
  },
  '.cm-diagnostic': { padding: '4px 8px', fontFamily: 'var(--font-sans)', fontSize: '12px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--error)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--retrying)' },
  '.cm-diagnostic-info': { borderLeft: '3px solid var(--running)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono-stack)', maxHeight: '14em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected) !important',
    color: 'var(--text) !important',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '1em' },
  '.cm-completionInfo': { padding: '4px 8px', maxWidth: '20em', fontSize: '12px' },
})

/** Completion for an editor that outlives the response whose paths it offers. */
function createCompletion(): {
  readonly extension: Extension
  readonly setSample: (sample: ResponseSample | null) => void
} {
  let sample: ResponseSample | null = null
  const source = (context: CompletionContext) => complete(context, sample)
  return {
    extension: autocompletion({ override: [source], icons: false }),
    setSample: (next) => {
      sample = next
    },
  }
}

function complete(context: CompletionContext, sample: ResponseSample | null): CompletionResult | null {
  const text = context.state.doc.toString()
  const found = completeConfig(text, context.pos, sample)
  if (found === null || found.choices.length === 0) return null
  // The list doesn't open automatically before something is typed.
  if (!context.explicit && found.from === context.pos && !/["{.]$/.test(text.slice(0, context.pos)))
    return null
  const begins = text[found.from] === '"' ? '"' : ''
  return { from: found.from, options: found.choices.map((choice) => toOption(choice, begins)), filter: true }
}

function toOption({ label, detail, info, snippet: template }: Choice, quote: string) {
  return {
    // If the typed text begins with a quote, so must the labels that are compared with it.
    label: template === undefined ? label : `${quote}${label}`,
    displayLabel: label,
    ...(detail === undefined ? {} : { detail }),
    ...(info === undefined ? {} : { info }),
    ...(template === undefined ? {} : { apply: applyKey(label, template) }),
  }
}

/** Inserts the key with an initial value; if it already has a value, only the key. */
function applyKey(key: string, template: string) {
  const apply = snippet(template)
  return (view: EditorView, completion: Parameters<typeof apply>[1], from: number, to: number) => {
    const line = view.state.doc.lineAt(to)
    const rest = view.state.sliceDoc(to, line.to)
    const end = to + (/^\w*"/.exec(rest)?.[0].length ?? 0)
    if (/^\w*"?\s*:/.test(rest)) view.dispatch({ changes: { from, to: end, insert: `"${key}"` } })
    else apply(view, completion, from, end)
  }
}
