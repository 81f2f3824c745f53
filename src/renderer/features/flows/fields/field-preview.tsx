import { CornerDownRight } from '../../../lib/icons.tsx'
import { useLayoutEffect, useRef, useState } from 'react'
import type { TemplatePreview } from '../../../../shared/contract/templates.ts'
import { formatJson } from '../../../lib/json.ts'
import { Trans } from '../../../lib/trans.tsx'
import { plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import type { ShownPreview } from '../state/assist-store.ts'
import { sentenceOf } from '../../../lib/template-problem.ts'
import { useAssist } from '../state/editor-context.tsx'
import { FinalAddress } from './final-address.tsx'

interface FieldPreviewProps {
  readonly id: string
  readonly refId: string
  readonly field: string
}

/** Shown below the focused field: the result of its text with the available values, and its problems. */
export function FieldPreview({ id, refId, field }: FieldPreviewProps) {
  const box = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  const preview = useAssist((state) => (state.preview?.of === id ? state.preview : null))
  // Only scrollable content is a tab stop.
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = box.current ?? {}
    setScrolls(scrollHeight > clientHeight)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the content determines the height
  }, [preview])
  if (preview === null) return null
  const { result, failure } = preview
  const isPlain = result === null && failure === null
  return (
    <>
      {isPlain ? null : (
        <div
          ref={box}
          {...(scrolls ? { tabIndex: 0 } : {})}
          role="region"
          aria-label={t('Field preview')}
          className="flex max-h-32 items-start gap-2 overflow-auto rounded bg-sunken px-2 py-1 text-sm focus-visible:-outline-offset-2"
        >
          <CornerDownRight size={13} aria-hidden className="mt-0.5 shrink-0 text-faint" />
          <Content preview={preview} />
        </div>
      )}
      <FinalAddress refId={refId} field={field} />
    </>
  )
}

function Content({ preview: { result, failure } }: { readonly preview: ShownPreview }) {
  if (failure !== null) return <p className="text-error">{failure}</p>
  if (result === null) return null
  const { problems, missing, rendered } = result
  return (
    <div aria-live="polite" className="flex min-w-0 flex-1 flex-col gap-1">
      {problems.map((problem) => (
        <p
          key={`${problem.line}:${problem.column}:${problem.message}`}
          className={problem.severity === 'error' ? 'text-error' : 'text-retrying'}
        >
          {t('Line {{line}}, column {{column}}: {{sentence}}', {
            line: problem.line,
            column: problem.column,
            sentence: sentenceOf(problem),
          })}
        </p>
      ))}
      {missing.length > 0 ? (
        <p className="text-muted">
          <Trans
            text="No data for <code/> yet. Run the flow once, or enter a value in the data."
            parts={{ code: <code>{missing.join(', ')}</code> }}
          />
        </p>
      ) : null}
      {rendered === null ? null : (
        <div className="flex items-start gap-3">
          <pre className="min-w-0 flex-1 font-mono whitespace-pre-wrap [overflow-wrap:anywhere]">
            {textOf(rendered)}
            {rendered.truncated ? `\n${t('… (shortened)')}` : ''}
          </pre>
          <span className="shrink-0 text-muted">{meaningOf(rendered)}</span>
        </div>
      )}
    </div>
  )
}

type Rendered = NonNullable<TemplatePreview['rendered']>

/** Lists and objects as JSON, everything else as text. */
function textOf({ text, value, truncated }: Rendered): string {
  return typeof value === 'object' && value !== null && !truncated ? formatJson(value) : text
}

function meaningOf(rendered: Rendered): string {
  const { type, text, value } = rendered
  if (type === 'boolean') return value === true ? t('Condition is true') : 'false'
  if (type === 'list' && Array.isArray(value))
    return t('list, {{entries}}', { entries: plural(value.length, 'item', 'items') })
  if (type === 'dictionary' && typeof value === 'object' && value !== null)
    return t('object, {{keys}}', { keys: plural(Object.keys(value).length, 'key') })
  if (type === 'text' && /^https?:\/\/\S+$/.test(text)) return t('URL')
  return type === 'text'
    ? t('text, {{characters}}', { characters: plural([...text].length, 'character') })
    : type
}
