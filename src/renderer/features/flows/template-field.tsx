import { useRef } from 'react'
import { Field, TextArea } from '../../components/field.tsx'
import { InsertValue } from './insert-value.tsx'
import { insertAt } from './insert-at.ts'

interface TemplateFieldProps {
  readonly refId: string
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly rows?: number
  readonly optional?: boolean
  /** The field is an expression by itself: a path is inserted without braces. */
  readonly expression?: boolean
  readonly aside?: React.ReactNode
}

/** A text that may read other steps' results. */
export function TemplateField(props: TemplateFieldProps) {
  const {
    refId,
    label,
    hint,
    error,
    value,
    onChange,
    placeholder,
    rows = 1,
    optional,
    expression,
    aside,
  } = props
  const area = useRef<HTMLTextAreaElement>(null)

  function insert(path: string) {
    const element = area.current
    const from = element?.selectionStart ?? value.length
    const to = element?.selectionEnd ?? value.length
    const { text, cursor } = insertAt(value, from, to, path, expression ?? false)
    onChange(text)
    requestAnimationFrame(() => {
      element?.focus()
      element?.setSelectionRange(cursor, cursor)
    })
  }

  return (
    <Field
      label={label}
      error={error}
      {...(hint === undefined ? {} : { hint })}
      {...(optional ? { optional } : {})}
      aside={
        <span className="flex items-center gap-1">
          {aside}
          <InsertValue refId={refId} onInsert={insert} />
        </span>
      }
    >
      <TextArea ref={area} mono rows={rows} value={value} onChange={onChange} placeholder={placeholder} />
    </Field>
  )
}
