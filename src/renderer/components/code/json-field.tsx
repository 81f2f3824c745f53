import { useState } from 'react'
import { formatJson, parseJson } from '../../lib/json.ts'
import { t } from '../../lib/i18n.ts'
import { CodeField } from './code-field.tsx'
import { Field } from '../controls/field.tsx'

interface JsonFieldProps {
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Called when the text becomes JSON or stops being JSON. */
  readonly onReadable?: (readable: boolean) => void
  /**
   * Text that isn't JSON is kept as a string, such as a template that becomes JSON when it is rendered. Without this,
   * such text is an error, and the value doesn't change.
   */
  readonly orText?: boolean
  readonly aside?: React.ReactNode
  readonly fill?: boolean
  /** A dialog that contains it focuses it when it opens. */
  readonly first?: boolean
}

/** A JSON value as text. The text stays as typed; the value follows whenever it can be parsed. */
export function JsonField({
  label,
  hint,
  error,
  value,
  onChange,
  onReadable,
  orText,
  aside,
  fill,
  first,
}: JsonFieldProps) {
  const [text, setText] = useState(() => toText(value, orText))
  const [given, setGiven] = useState(value)
  const [problem, setProblem] = useState<string>()

  // A value that changed outside (undo, another view) replaces the text. One that came from this text doesn't, and
  // neither does the same value when it is read again, because the text may not be parseable yet.
  if (given !== value) {
    setGiven(value)
    if (toText(given, orText) !== toText(value, orText)) {
      setText(toText(value, orText))
      setProblem(undefined)
    }
  }

  function change(next: string) {
    setText(next)
    const read = readText(next, orText)
    const isReadable = !('problem' in read)
    if (isReadable !== (problem === undefined)) onReadable?.(isReadable)
    setProblem(isReadable ? undefined : read.problem)
    if ('problem' in read) return
    setGiven(read.value)
    onChange(read.value)
  }

  return (
    <Field
      label={label}
      hint={hint}
      error={problem ?? error}
      aside={aside}
      {...(fill ? { className: 'min-h-0 flex-1' } : {})}
    >
      <CodeField value={text} language="json" onChange={change} fill={fill ?? false} first={first ?? false} />
    </Field>
  )
}

function toText(value: unknown, orText: boolean | undefined): string {
  if (value === undefined || value === null) return ''
  return orText && typeof value === 'string' ? value : formatJson(value)
}

function readText(text: string, orText: boolean | undefined): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { value: null }
  try {
    const value = parseJson(text)
    // `5` in a template field stays text, which renders to 5; only text that is clearly an object or a list becomes
    // one.
    return { value: orText && (typeof value !== 'object' || value === null) ? text : value }
  } catch (error) {
    if (orText) return { value: text }
    return {
      problem: t('Invalid JSON: {{reason}}', {
        reason: error instanceof Error ? error.message : String(error),
      }),
    }
  }
}
