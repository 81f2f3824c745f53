import { EditorView } from '@codemirror/view'

/**
 * Typing over a selection is handled here and not by the browser: Chromium would keep the style of the replaced text in
 * a style attribute, which the page's Content Security Policy blocks and reports.
 */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main
    const text = event.data
    if (event.inputType !== 'insertText' || text === null || empty || view.composing || view.state.readOnly)
      return false
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' })
    const handled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, from, to, text, insert))
    if (!handled) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})
