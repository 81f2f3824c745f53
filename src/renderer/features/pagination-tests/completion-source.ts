import { autocompletion, snippet } from '@codemirror/autocomplete'
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { completeConfig } from './config/config-completion.ts'
import type { Choice, ResponseSample } from './config/config-completion.ts'

/** Completion for an editor that outlives the response whose paths it offers. */
export function createCompletion(): {
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
  // Nothing pops up by itself where nothing was begun.
  if (!context.explicit && found.from === context.pos && !/["{.]$/.test(text.slice(0, context.pos)))
    return null
  const begins = text[found.from] === '"' ? '"' : ''
  return { from: found.from, options: found.choices.map((choice) => toOption(choice, begins)), filter: true }
}

function toOption({ label, detail, info, snippet: template }: Choice, quote: string) {
  return {
    // What is typed may begin with the quote; what it is compared with must then, too.
    label: template === undefined ? label : `${quote}${label}`,
    displayLabel: label,
    ...(detail === undefined ? {} : { detail }),
    ...(info === undefined ? {} : { info }),
    ...(template === undefined ? {} : { apply: applyKey(label, template) }),
  }
}

/** The key with a value to begin with; where it has a value already, the key alone. */
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
