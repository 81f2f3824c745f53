import { useState } from 'react'
import { formatJson, parseJson } from '../../../lib/json.ts'
import { TemplateField } from './template-field.tsx'

interface TemplateJsonFieldProps {
  readonly refId: string
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** The field in the step: `config.body`. */
  readonly field?: string
  readonly rows?: number
  readonly entryPath?: boolean
  /** The value is always text: rendered unchanged, or as XML. */
  readonly textKind?: 'text' | 'xml' | undefined
}

/**
 * JSON whose strings are templates, or one template. Text that is clearly an object or a list is stored as one;
 * everything else, including a template that becomes JSON when it is rendered, is stored as a string.
 */
export function TemplateJsonField(props: TemplateJsonFieldProps) {
  const { value, onChange, textKind, rows = 5, ...field } = props
  const [text, setText] = useState(() => toText(value))
  const [given, setGiven] = useState(value)

  // A value that changed outside (undo, another view) replaces the text; one that came from this text doesn't.
  if (given !== value) {
    setGiven(value)
    setText(toText(value))
  }

  function change(next: string) {
    const read = textKind === undefined ? fromText(next) : next
    setText(next)
    setGiven(read)
    onChange(read)
  }

  return <TemplateField kind={textKind ?? 'body'} rows={rows} {...field} value={text} onChange={change} />
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : formatJson(value)
}

function fromText(text: string): unknown {
  if (text.trim() === '') return null
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null ? value : text
  } catch {
    return text
  }
}
