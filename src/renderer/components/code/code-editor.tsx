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
import { Compartment, EditorSelection, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { cspNonce } from '../../lib/csp-nonce.ts'
import { placeToType } from './place-to-type.ts'
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
  readonly invalid?: boolean
  /**
   * A dialog that contains it focuses it when it opens. Escape closes the dialog and Tab moves on, as in its other
   * fields.
   */
  readonly first?: boolean
  /** The selection of the plain field that it replaces, which had the focus. */
  readonly takesOver?: { readonly from: number; readonly to: number } | null
  /** Further extensions; a new value creates a new editor. */
  readonly extensions?: Extension
  /** Called with the editor when it is created, and with null when it is removed. */
  readonly onView?: (view: EditorView | null) => void
}

/** CodeMirror as a controlled field. Escape then Tab leaves it by keyboard, as usual in CodeMirror. */
export function CodeEditor(props: CodeEditorProps) {
  const { value, language, readOnly, fill, label, labelId, describedBy, invalid, first } = props
  const { extensions = NONE } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const onChange = useRef(props.onChange)
  const onView = useRef(props.onView)
  const latest = useRef(props)
  useLayoutEffect(() => {
    onChange.current = props.onChange
    onView.current = props.onView
    latest.current = props
  })

  // Runs before the page is painted, so that a dialog finds the editor when it looks for its first field.
  useLayoutEffect(() => {
    if (host.current === null) return undefined
    const { takesOver = null } = latest.current
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.value,
        selection:
          takesOver === null
            ? EditorSelection.cursor(first ? placeToType(latest.current.value) : 0)
            : EditorSelection.range(takesOver.from, takesOver.to),
        extensions: [
          extensions,
          baseExtensions(language, readOnly, fill),
          first ? [] : [keymap.of([indentWithTab]), leaveByEscape()],
          ATTRIBUTES.of(EditorView.contentAttributes.of(attributesOf(latest.current))),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((tr) => tr.isUserEvent('outside')))
              onChange.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    onView.current?.(editor)
    if (takesOver !== null) editor.focus()
    return () => {
      onView.current?.(null)
      editor.destroy()
    }
  }, [language, readOnly, fill, first, extensions])

  // The text, the names and the problems change while typing, and a new editor would lose the cursor and the focus.
  useEffect(() => {
    const attributes = attributesOf({ label, labelId, describedBy, invalid, first, readOnly })
    view.current?.dispatch({ effects: ATTRIBUTES.reconfigure(EditorView.contentAttributes.of(attributes)) })
  }, [label, labelId, describedBy, invalid, first, readOnly])

  // A click on a label focuses its field; browsers do that only for form controls.
  useEffect(() => {
    const named = labelId === undefined ? null : document.getElementById(labelId)
    const focus = () => view.current?.focus()
    named?.addEventListener('click', focus)
    return () => named?.removeEventListener('click', focus)
  }, [labelId])

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
const ATTRIBUTES = new Compartment()

type Named = Pick<CodeEditorProps, 'label' | 'labelId' | 'describedBy' | 'readOnly'> & {
  readonly invalid?: boolean | undefined
  readonly first?: boolean | undefined
}

function attributesOf({
  label,
  labelId,
  describedBy,
  invalid,
  first,
  readOnly,
}: Named): Record<string, string> {
  return {
    tabindex: '0',
    ...(label === undefined ? {} : { 'aria-label': label }),
    ...(labelId === undefined ? {} : { 'aria-labelledby': labelId }),
    ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    ...(invalid ? { 'aria-invalid': 'true' } : {}),
    ...(first ? { 'data-first-focus': '' } : {}),
    ...(readOnly ? { 'aria-readonly': 'true' } : {}),
  }
}

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
    keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
    language === 'json' ? json() : [],
    syntaxHighlighting(HIGHLIGHT),
    THEME,
    EditorView.theme({ '&': { height: fill ? '100%' : 'auto', maxHeight: fill ? 'none' : '50vh' } }),
  ]
}

/**
 * Tab indents; after Escape it moves to the next control. The editor handles that Escape itself so that a surrounding
 * dialog doesn't close; a second Escape closes it.
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

/** How long CodeMirror lets the next Tab through. */
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
