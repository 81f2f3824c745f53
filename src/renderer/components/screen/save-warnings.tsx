import { Info, TriangleAlert, X } from '../../lib/icons.tsx'
import type { SaveWarning } from '../../../shared/contract/base/save-warnings.ts'
import { t, translateMessage } from '../../lib/i18n.ts'

interface SaveWarningsProps {
  readonly warnings: readonly SaveWarning[]
  readonly onDismiss: () => void
}

/** Warnings of a save that succeeded: the place, and why it may not be intended. */
export function SaveWarnings({ warnings, onDismiss }: SaveWarningsProps) {
  if (warnings.length === 0) return null
  return (
    <section
      role="status"
      aria-label={t('Warnings')}
      className="flex shrink-0 items-start gap-2.5 border-b border-line bg-sunken px-4 py-2.5"
    >
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <p className="font-medium">{t('Saved with warnings')}</p>
        <ul className="flex flex-col gap-1">
          {warnings.map((warning) => (
            <li
              key={`${warning.field}:${warning.code}:${warning.message}`}
              className="flex items-start gap-2 break-words"
            >
              {warning.severity === 'hint' ? (
                <Info size={14} aria-hidden className="mt-0.5 shrink-0 text-muted" />
              ) : (
                <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-retrying" />
              )}
              <span className="min-w-0">
                <code className="mr-1.5 text-code">{warning.field}</code>
                {placed(warning)}
              </span>
            </li>
          ))}
        </ul>
      </div>
      <button
        type="button"
        aria-label={t('Dismiss')}
        onClick={onDismiss}
        className="rounded-sm p-1 text-muted hover:bg-hover"
      >
        <X size={14} aria-hidden />
      </button>
    </section>
  )
}

function placed(warning: SaveWarning): string {
  const { line, column, message } = warning
  const sentence = translateMessage(message, warning)
  if (line === null || column === null) return sentence
  return t('Line {{line}}, column {{column}}: {{sentence}}', { line, column, sentence })
}
