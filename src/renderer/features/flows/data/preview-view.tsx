import type { TemplatePreview } from '../../../../shared/contract/templates.ts'
import { formatJson } from '../../../lib/json.ts'
import { Trans } from '../../../lib/trans.tsx'
import { plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import type { ShownPreview } from '../state/assist-store.ts'
import { sentenceOf } from '../../../lib/template-problem.ts'
import { useAssist } from '../state/editor-context.tsx'
import { FinalAddress } from './final-address.tsx'

/** What comes of the focused field's text with the values above: its text, and what that means to the step. */
export function PreviewView() {
  const focused = useAssist((state) => state.focused)
  const preview = useAssist((state) => state.preview)
  return (
    <section aria-label={t('Preview')} className="flex h-44 shrink-0 flex-col border-t border-line bg-sunken">
      <div className="flex h-7 shrink-0 items-center gap-2 px-3 text-sm">
        <h3 className="font-medium">{t('Preview')}</h3>
        <span className="ml-auto text-muted">{meaningOf(preview?.result?.rendered ?? null)}</span>
      </div>
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label={t('Preview of the field')}
        className="min-h-0 flex-1 overflow-auto px-3 pb-2 text-sm focus-visible:-outline-offset-2"
      >
        {focused === null ? (
          <p className="text-muted">{t('Click into a field to see here what comes of it.')}</p>
        ) : preview === null ? null : (
          <>
            <Content preview={preview} />
            <FinalAddress />
          </>
        )}
      </div>
    </section>
  )
}

function Content({ preview: { template, result, failure } }: { readonly preview: ShownPreview }) {
  if (failure !== null) return <p className="text-error">{failure}</p>
  if (result === null)
    return template === '' ? (
      <p className="text-muted">{t('Empty.')}</p>
    ) : (
      <pre className="font-mono whitespace-pre-wrap">{template}</pre>
    )
  const { problems, missing, rendered } = result
  return (
    <div aria-live="polite" className="flex flex-col gap-1.5">
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
            text="Nothing is known yet of <code/>. Run the flow once, or type a value above."
            parts={{ code: <code>{missing.join(', ')}</code> }}
          />
        </p>
      ) : null}
      {rendered === null ? null : (
        <pre className="font-mono whitespace-pre-wrap [overflow-wrap:anywhere]">
          {textOf(rendered)}
          {rendered.truncated ? `\n${t('… (shortened)')}` : ''}
        </pre>
      )}
    </div>
  )
}

type Rendered = NonNullable<TemplatePreview['rendered']>

/** Lists and dictionaries as the JSON that they are, everything else as its text. */
function textOf({ text, value, truncated }: Rendered): string {
  return typeof value === 'object' && value !== null && !truncated ? formatJson(value) : text
}

function meaningOf(rendered: Rendered | null): string {
  if (rendered === null) return ''
  const { type, text, value } = rendered
  if (type === 'boolean') return value === true ? t('true: goes this way') : 'false'
  if (type === 'list' && Array.isArray(value))
    return t('list, {{entries}}', { entries: plural(value.length, 'entry', 'entries') })
  if (type === 'dictionary' && typeof value === 'object' && value !== null)
    return t('dictionary, {{keys}}', { keys: plural(Object.keys(value).length, 'key') })
  if (type === 'text' && /^https?:\/\/\S+$/.test(text)) return t('address')
  return type === 'text'
    ? t('text, {{characters}}', { characters: plural([...text].length, 'character') })
    : type
}
