import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { cspNonce } from '../../lib/csp-nonce.ts'
import { replaceSelection } from './replace-selection.ts'

interface CodeEditorProps {
  readonly value: string
  readonly language: CodeLanguage
  readonly onChange: ((value: string) => void) | undefined
  readonly readOnly: boolean
  readonly fill: boolean
  readonly label: string | undefined
  readonly labelId: string | undefined
  readonly describedBy: string | undefined
  /** More abilities; a new value makes a new editor. */
  readonly extensions?: Extension
  /** Told of the editor as it is made, and of null when it is gone. */
  readonly onView?: (view: EditorView | null) => void
}

/** CodeMirror as a controlled field. Escape then Tab leaves it by keyboard, as CodeMirror has it. */
export function CodeEditor(props: CodeEditorProps) {
  const { value, language, readOnly, fill, label, labelId, describedBy, extensions = NONE } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const onChange = useRef(props.onChange)
  const onView = useRef(props.onView)
  useEffect(() => {
    onChange.current = props.onChange
    onView.current = props.onView
  })

  useEffect(() => {
    if (host.current === null) return undefined
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          extensions,
          baseExtensions(language, readOnly, fill),
          EditorView.contentAttributes.of({
            tabindex: '0',
            ...(label === undefined ? {} : { 'aria-label': label }),
            ...(labelId === undefined ? {} : { 'aria-labelledby': labelId }),
            ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
            ...(readOnly ? { 'aria-readonly': 'true' } : {}),
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((tr) => tr.isUserEvent('outside')))
              onChange.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    onView.current?.(editor)
    return () => {
      onView.current?.(null)
      editor.destroy()
    }
    // The text itself is followed below; a new editor for every key would lose the cursor.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [language, readOnly, fill, label, labelId, describedBy, extensions])

  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.state.doc.toString() === value) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      userEvent: 'outside',
    })
  }, [value])

  return <div ref={host} className={fill ? 'h-full' : undefined} />
}

const NONE: Extension = []

function baseExtensions(language: CodeLanguage, readOnly: boolean, fill: boolean): Extension {
  const nonce = cspNonce()
  return [
    nonce === null ? [] : EditorView.cspNonce.of(nonce),
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    replaceSelection,
    indentOnInput(),
    bracketMatching(),
    readOnly ? [] : highlightActiveLine(),
    EditorState.readOnly.of(readOnly),
    EditorState.tabSize.of(2),
    EditorView.lineWrapping,
    keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
    leaveByEscape(),
    language === 'json' ? json() : [],
    syntaxHighlighting(HIGHLIGHT),
    THEME,
    EditorView.theme({ '&': { height: fill ? '100%' : 'auto', maxHeight: fill ? 'none' : '50vh' } }),
  ]
}

/**
 * Tab indents, and after Escape it goes on to what is next. So that a dialog around the editor does not close on that
 * Escape, it is heard here alone; a second one goes its way.
 */
function leaveByEscape(): Extension {
  let leavingUntil = 0
  return EditorView.domEventHandlers({
    keydown(event) {
      if (event.key !== 'Escape') leavingUntil = 0
      else if (event.timeStamp > leavingUntil) {
        leavingUntil = event.timeStamp + LEAVING_MS
        event.stopPropagation()
      }
      return false
    },
  })
}

/** As long as CodeMirror lets the next Tab pass. */
const LEAVING_MS = 2_000

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--data-key)' },
  { tag: tags.string, color: 'var(--data-string)' },
  { tag: tags.number, color: 'var(--data-number)' },
  { tag: [tags.bool, tags.null, tags.keyword], color: 'var(--data-literal)' },
  { tag: tags.invalid, color: 'var(--error)' },
])

const THEME = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono-stack)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--selection) !important',
  },
  '.cm-matchingBracket': {
    backgroundColor: 'var(--selected) !important',
    outline: '1px solid var(--accent)',
  },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--muted)' },
})

export type CodeLanguage = 'json' | 'text'
