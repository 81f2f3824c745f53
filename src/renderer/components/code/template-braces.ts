import { startCompletion } from '@codemirror/autocomplete'
import { EditorView } from '@codemirror/view'

/**
 * Braces are closed automatically: `{{` becomes `{{  }}` with the cursor in between, and typing the closing braces or
 * the spaces passes over the existing ones.
 */
export const closeBraces = EditorView.inputHandler.of((view, from, to, text) => {
  if (text.length !== 1 || from !== to || view.composing) return false
  const before = view.state.doc.sliceString(Math.max(0, from - 3), from)
  const after = view.state.doc.sliceString(from, from + 20)
  if ((text === '{' || text === '%') && before.endsWith('{') && !/^\s*[}%]/.test(after)) {
    const close = text === '{' ? '}}' : '%}'
    view.dispatch({
      changes: { from, insert: `${text}  ${close}` },
      selection: { anchor: from + 2 },
      userEvent: 'input.type',
    })
    startCompletion(view)
    return true
  }
  if (text === ' ' && /\{[{%] $/.test(before) && /^ [}%]\}/.test(after)) return true
  const passed = text === '}' || text === '%' ? passOver(text, before, after) : null
  if (passed === null) return false
  // A space was already typed before the closing braces, so theirs is removed.
  const double = before.endsWith(' ') && after.startsWith(' ') ? 1 : 0
  view.dispatch({
    changes: { from, to: from + double },
    selection: { anchor: from + passed - double },
    userEvent: 'input.type',
  })
  return true
})

/** How far the cursor moves over a character that is already there instead of inserting it. */
function passOver(sign: string, before: string, after: string): number | null {
  if (sign === '}' && /[}%]$/.test(before) && after.startsWith('}')) return 1
  const close = sign === '}' ? /^\s*\}\}/ : /^\s*%\}/
  const found = close.exec(after)
  return found === null ? null : found[0].length - 1
}
