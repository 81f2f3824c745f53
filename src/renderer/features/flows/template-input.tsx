import { useRef } from 'react'
import { TextArea } from '../../components/field.tsx'
import { insertAt } from '../../lib/insert-at.ts'
import { InsertValue } from './insert-value.tsx'

export interface TemplateInputProps {
  readonly refId: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string | undefined
  readonly rows?: number
  /** The text is an expression by itself: a path is inserted without braces. */
  readonly expression?: boolean
  /** Names it where it stands in no Field of its own. */
  readonly label?: string
}

/** The control of a text that may read other steps' results, for whoever draws the label. */
export function TemplateInput(props: TemplateInputProps) {
  const { refId, value, onChange, placeholder, rows = 1, expression = false, label } = props
  const area = useRef<HTMLTextAreaElement>(null)

  function insert(path: string) {
    const element = area.current
    const from = element?.selectionStart ?? value.length
    const to = element?.selectionEnd ?? value.length
    const { text, cursor } = insertAt(value, from, to, path, expression)
    onChange(text)
    requestAnimationFrame(() => {
      element?.focus()
      element?.setSelectionRange(cursor, cursor)
    })
  }

  return (
    <div className="flex min-w-0 flex-1 items-start gap-1">
      <TextArea
        mono
        ref={area}
        rows={rows}
        value={value}
        onChange={onChange}
        placeholder={placeholder}
        {...(label === undefined ? {} : { id: undefined, 'aria-label': label })}
      />
      <InsertValue refId={refId} onInsert={insert} />
    </div>
  )
}
