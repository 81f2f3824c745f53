import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { standardKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { Compartment, EditorState, StateEffect } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  placeholder as showPlaceholder,
  tooltips,
} from '@codemirror/view'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import type { Ref } from 'react'
import { createAfterPaint } from '../../lib/after-paint.ts'
import { cspNonce } from '../../lib/csp-nonce.ts'
import { describeValue, resolvePath } from '../../lib/scope.ts'
import { replaceSelection } from './replace-selection.ts'
import { closeBraces } from './template-braces.ts'
import {
  completeTemplate,
  completeWithResults,
  infoOf,
  signatureOf,
  typeWord,
} from './template-completions.ts'
import { isInsideTag, wordAt } from './template-cursor.ts'
import { toDiagnostic } from './template-problems.ts'
import type { TemplateHelp } from './template-help.ts'
import { templateLanguage } from './template-language.ts'
import { TEMPLATE_THEME } from './template-theme.ts'

export interface TemplateEditorHandle {
  focus(): void
  /** Inserts an expression at the cursor, in its own braces if it isn't inside any. */
  insert(expression: string): void
  /** Checks for problems again, because the data has changed. */
  inspectAgain(): void
}

export interface TemplateEditorProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly help: TemplateHelp
  readonly placeholder: string
  readonly id: string | undefined
  readonly label: string | undefined
  readonly labelId: string | undefined
  readonly describedBy: string | undefined
  readonly invalid: boolean
  /** The selection of the plain field that it replaces, which had the focus. */
  readonly takesOver: { readonly from: number; readonly to: number } | null
  readonly onFocus: () => void
  readonly handle: Ref<TemplateEditorHandle>
}

const INSPECT_MS = 40

/**
 * A template with highlighting, completion, values under the pointer and marked errors. Tab accepts the completion or
 * leaves the field.
 */
export function TemplateEditor(props: TemplateEditorProps) {
  const { value, placeholder, id, label, labelId, describedBy, invalid, help } = props
  const { bare } = help
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  const told = useRef<string | null>(null)
  useEffect(() => {
    latest.current = props
  })

  // Runs before the next key press, which would be lost without a focused field.
  useLayoutEffect(() => {
    if (host.current === null) return undefined
    const { takesOver } = latest.current
    // Each change renders the page around the field again; typing must not wait for that.
    const telling = createAfterPaint(() => {
      told.current = editor.state.doc.toString()
      latest.current.onChange(told.current)
    })
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.value,
        ...(takesOver === null ? {} : { selection: { anchor: takesOver.from, head: takesOver.to } }),
        extensions: [
          baseExtensions(),
          LANGUAGE.of(templateLanguage(latest.current.help.bare)),
          showPlaceholder(placeholder),
          helpExtensions(() => latest.current.help),
          ATTRIBUTES.of(EditorView.contentAttributes.of(attributesOf(latest.current))),
          EditorView.updateListener.of((update) => {
            if (update.focusChanged && update.view.hasFocus) askAgain(update.view)
            if (update.docChanged && !update.transactions.some((tr) => tr.isUserEvent('outside')))
              telling.schedule()
          }),
          // The editor reports its focus 10 ms late, and a fast user reaches the picker sooner.
          EditorView.domEventHandlers({
            focus: () => latest.current.onFocus(),
            blur: () => telling.flush(),
          }),
          // Save, undo or close, triggered by a key elsewhere, must find the current text.
          EditorView.domEventHandlers({
            keydown: (event) => {
              if (isCommand(event)) telling.flush()
              return false
            },
          }),
        ],
      }),
    })
    view.current = editor
    if (takesOver !== null) editor.focus()
    return () => {
      telling.flush()
      editor.destroy()
    }
  }, [placeholder])

  // Typing braces turns a bare expression into a template, which is highlighted differently.
  useEffect(() => {
    view.current?.dispatch({ effects: LANGUAGE.reconfigure(templateLanguage(bare)) })
  }, [bare])

  // Names and errors change while typing; the editor stays, and its cursor.
  useEffect(() => {
    const attributes = attributesOf({ id, label, labelId, describedBy, invalid })
    view.current?.dispatch({ effects: ATTRIBUTES.reconfigure(EditorView.contentAttributes.of(attributes)) })
  }, [id, label, labelId, describedBy, invalid])

  // A click on a label focuses the field, which browsers do only for form controls.
  useEffect(() => {
    const named = labelId === undefined ? null : document.getElementById(labelId)
    const focus = () => view.current?.focus()
    named?.addEventListener('click', focus)
    return () => named?.removeEventListener('click', focus)
  }, [labelId])

  // A value that changed outside, by undo or a picker, replaces only what differs, so that the cursor stays.
  useEffect(() => {
    const editor = view.current
    // A value reported from here may come back after more has been typed.
    if (editor === null || value === told.current || editor.state.doc.toString() === value) return
    told.current = null
    editor.dispatch({ changes: difference(editor.state.doc.toString(), value), userEvent: 'outside' })
  }, [value])

  useImperativeHandle(props.handle, () => ({
    focus: () => view.current?.focus(),
    insert(expression) {
      const editor = view.current
      if (editor === null) return
      const { from, to } = editor.state.selection.main
      const isInside = bare || isInsideTag(editor.state.doc.toString(), from)
      const insert = isInside ? expression : `{{ ${expression} }}`
      editor.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length },
        userEvent: 'input.insert',
        scrollIntoView: true,
      })
      editor.focus()
    },
    inspectAgain: () => {
      if (view.current !== null) askAgain(view.current)
    },
  }))

  return <div ref={host} data-help="templates" className="min-w-0" />
}

function isCommand({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || (key.length > 1 && key !== 'Backspace' && key !== 'Delete')
}

const LANGUAGE = new Compartment()
const ATTRIBUTES = new Compartment()
const inspectAgain = StateEffect.define()

function askAgain(view: EditorView): void {
  // Effects must not be dispatched during an update.
  queueMicrotask(() => {
    if (view.dom.isConnected) view.dispatch({ effects: inspectAgain.of(null) })
  })
}

type Named = Pick<TemplateEditorProps, 'id' | 'label' | 'labelId' | 'describedBy' | 'invalid'>

function attributesOf({ id, label, labelId, describedBy, invalid }: Named): Record<string, string> {
  return {
    ...(id === undefined ? {} : { id }),
    ...(label === undefined ? {} : { 'aria-label': label }),
    ...(label !== undefined || labelId === undefined ? {} : { 'aria-labelledby': labelId }),
    ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    ...(invalid ? { 'aria-invalid': 'true' } : {}),
  }
}

function baseExtensions(): Extension {
  const nonce = cspNonce()
  return [
    nonce === null ? [] : EditorView.cspNonce.of(nonce),
    highlightSpecialChars(),
    drawSelection(),
    dropCursor(),
    bracketMatching(),
    replaceSelection,
    closeBrackets(),
    closeBraces,
    EditorState.tabSize.of(2),
    EditorView.lineWrapping,
    tooltips({ parent: document.body, position: 'fixed' }),
    keymap.of([
      { key: 'Tab', run: acceptCompletion },
      ...completionKeymap,
      ...closeBracketsKeymap,
      ...standardKeymap,
    ]),
    TEMPLATE_THEME,
    dropPaths,
  ]
}

/** A path dragged here from the data is inserted as the picker would insert it. */
const dropPaths = EditorView.domEventHandlers({
  drop(event, view) {
    const path = event.dataTransfer?.getData('application/x-millrace-path') ?? ''
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
    if (path === '' || at === null) return false
    event.preventDefault()
    const bare = view.dom.closest('[data-bare]') !== null
    const insert = bare || isInsideTag(view.state.doc.toString(), at) ? path : `{{ ${path} }}`
    view.dispatch({
      changes: { from: at, insert },
      selection: { anchor: at + insert.length },
      userEvent: 'input.drop',
    })
    view.focus()
    return true
  },
})

function helpExtensions(helpOf: () => TemplateHelp): Extension {
  return [
    autocompletion({
      override: [
        (context) => completeTemplate(context, helpOf()),
        (context) => completeWithResults(context, helpOf()),
      ],
      icons: false,
      activateOnTypingDelay: 20,
      // Fast typists accept a completion as soon as it is listed.
      interactionDelay: 0,
      maxRenderedOptions: 80,
    }),
    linter(
      async ({ state }) => {
        const problems = await helpOf().inspect(state.doc.toString())
        return problems.map((problem) => toDiagnostic(state.doc, problem))
      },
      {
        delay: INSPECT_MS,
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(inspectAgain))),
      },
    ),
    hoverTooltip(
      (view, position) => {
        const help = helpOf()
        const word = wordAt(view.state.doc.toString(), position, help.bare)
        const card = word === null ? null : describeWord(word, help)
        if (word === null || card === null) return null
        return { pos: word.from, end: word.to, above: true, create: () => ({ dom: card }) }
      },
      { hoverTime: 250 },
    ),
  ]
}

function describeWord(word: NonNullable<ReturnType<typeof wordAt>>, help: TemplateHelp): HTMLElement | null {
  if (word.kind === 'path') {
    const node = resolvePath(help.scope(), word.text)
    if (node !== undefined) return infoOf(node.path, typeWord(node.type), describeValue(node))
  }
  const name = word.text.split('.').at(-1)
  const kinds =
    word.kind === 'filter' ? ['filter'] : word.text.includes('.') ? ['method'] : ['global', 'test', 'tag']
  const entry = help.entries().find((one) => one.name === name && kinds.includes(one.kind))
  return entry === undefined ? null : infoOf(signatureOf(entry), entry.kind, entry.help)
}

/** The one range that differs between two texts. */
function difference(before: string, after: string): { from: number; to: number; insert: string } {
  let from = 0
  while (from < before.length && from < after.length && before[from] === after[from]) from += 1
  let end = 0
  const most = Math.min(before.length, after.length) - from
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) }
}
