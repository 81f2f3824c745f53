import { lazy, Suspense, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import type { CodeLanguage } from './code-editor.tsx'
import { placeToType } from './place-to-type.ts'
import { CONTROL_CLASS, selectionOf, TextArea, useFieldLabel, useFieldProps } from '../controls/field.tsx'

interface CodeFieldProps {
  readonly value: string
  readonly language: CodeLanguage
  readonly onChange?: (value: string) => void
  /** The accessible name outside of a Field. */
  readonly label?: string
  readonly readOnly?: boolean
  /** Fills the height of its container instead of growing with its text. */
  readonly fill?: boolean
  /** A dialog that contains it focuses it when it opens. */
  readonly first?: boolean
}

const CodeEditor = lazy(() => import('./code-editors.ts').then((module) => ({ default: module.CodeEditor })))

/** Code with line numbers and highlighting, or a plain text area until the editor is loaded. */
export function CodeField({ value, language, onChange, label, readOnly, fill, first }: CodeFieldProps) {
  const [takesOver, setTakesOver] = useState<{ from: number; to: number } | null>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const field = useFieldProps()
  const labelId = useFieldLabel()
  const frame = cx(
    CONTROL_CLASS,
    'w-full overflow-hidden px-0 focus-within:border-accent',
    'focus-within:outline-1 focus-within:-outline-offset-1 focus-within:outline-accent',
    fill ? 'h-full min-h-0 flex-1' : 'min-h-24',
  )
  return (
    <div className={frame}>
      <Suspense
        fallback={
          <TextArea
            mono
            value={value}
            ref={area}
            onChange={(next) => {
              // The browser reports the selection after the text, and the editor may take over in between.
              setTakesOver(selectionOf(area.current))
              onChange?.(next)
            }}
            readOnly={readOnly ?? onChange === undefined}
            // The editor continues with the selection made here.
            onSelect={({ currentTarget }) => setTakesOver(selectionOf(currentTarget))}
            onBlur={() => setTakesOver(null)}
            onFocus={({ currentTarget }) => {
              if (first && currentTarget.selectionEnd === 0)
                currentTarget.setSelectionRange(placeToType(value), placeToType(value))
              setTakesOver(selectionOf(currentTarget))
            }}
            {...(first ? { 'data-first-focus': '' } : {})}
            {...(label === undefined ? {} : { 'aria-label': label })}
            className={cx(
              'block resize-none! border-transparent bg-transparent outline-none',
              fill && 'h-full! max-h-none!',
            )}
          />
        }
      >
        <CodeEditor
          value={value}
          language={language}
          onChange={onChange}
          readOnly={readOnly ?? onChange === undefined}
          fill={fill ?? false}
          label={label}
          labelId={label === undefined ? labelId : undefined}
          describedBy={field['aria-describedby']}
          invalid={field['aria-invalid'] === true}
          first={first ?? false}
          takesOver={takesOver}
        />
      </Suspense>
    </div>
  )
}
