import { lazy, Suspense } from 'react'
import { cx } from '../../lib/cx.ts'
import type { CodeLanguage } from './code-editor.tsx'
import { CONTROL_CLASS, useFieldLabel, useFieldProps } from '../controls/field.tsx'

interface CodeFieldProps {
  readonly value: string
  readonly language: CodeLanguage
  readonly onChange?: (value: string) => void
  /** Names it where no Field does. */
  readonly label?: string
  readonly readOnly?: boolean
  /** It takes the height of what is around it instead of growing with its text. */
  readonly fill?: boolean
}

const CodeEditor = lazy(() => import('./code-editors.ts').then((module) => ({ default: module.CodeEditor })))

/** Code with line numbers and highlighting. The editor is loaded when the first one opens; until then the text stands. */
export function CodeField({ value, language, onChange, label, readOnly, fill }: CodeFieldProps) {
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
        fallback={<pre className="overflow-hidden px-2 py-1 text-sm whitespace-pre-wrap">{value}</pre>}
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
        />
      </Suspense>
    </div>
  )
}
