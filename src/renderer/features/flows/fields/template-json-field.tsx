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
  /** The text is rendered as it stands, whatever it looks like. */
  readonly isText?: boolean
}

/**
 * JSON whose texts are templates, or one template. What is clearly a structure is kept as one; everything else, a
 * template that becomes JSON when it is rendered as well, is kept as the text it is.
 */
export function TemplateJsonField(props: TemplateJsonFieldProps) {
  const { value, onChange, isText = false, rows = 5, ...field } = props
  const [text, setText] = useState(() => toText(value))
  const [given, setGiven] = useState(value)

  // A value that changed outside (undo, another view) replaces the text; one that this text gave does not.
  if (given !== value) {
    setGiven(value)
    setText(toText(value))
  }

  function change(next: string) {
    const read = isText ? next : fromText(next)
    setText(next)
    setGiven(read)
    onChange(read)
  }

  return (
    <TemplateField kind={isText ? 'text' : 'body'} rows={rows} {...field} value={text} onChange={change} />
  )
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
