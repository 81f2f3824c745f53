import { ChevronRight } from '../../../lib/icons.tsx'
import { CopyIcon } from '../../../components/values/copy-button.tsx'
import { StatusIcon } from '../../../components/values/status-badge.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatDuration } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { prettyJson } from '../../../lib/json.ts'
import { useRunPanel } from '../state/editor-context.tsx'

/** The shown run's response: a line that opens to its body, and is open after a test or an awaited request. */
export function AnswerLine() {
  const answer = useRunPanel((state) => state.answer)
  const run = useRunPanel((state) => state.run)
  const isOpen = useRunPanel((state) => state.answerOpen)
  const answerToggled = useRunPanel((state) => state.answerToggled)
  if (answer === null || run === null || answer.runId !== run.id) return null
  const { status, headers, body } = answer
  const type = headers['content-type']?.split(';')[0]
  const facts = [type, run.duration_ms === null ? undefined : formatDuration(run.duration_ms)]
  return (
    <section aria-label={t('Response')} className="shrink-0 border-b border-line">
      <div className="flex h-8 items-center pr-2">
        <button
          type="button"
          aria-expanded={isOpen}
          disabled={body === null}
          onClick={answerToggled}
          className="flex h-full min-w-0 flex-1 items-center gap-1.5 pl-3 text-left hover:bg-hover focus-visible:-outline-offset-2"
        >
          <ChevronRight
            size={12}
            aria-hidden
            className={cx('shrink-0 text-muted', isOpen && 'rotate-90', body === null && 'invisible')}
          />
          <StatusIcon silent state={status < 400 ? 'success' : 'error'} size={14} />
          <span className="tabular min-w-0 truncate">
            <b className="font-medium">{status}</b>
            {facts.filter((fact) => fact !== undefined).map((fact) => ` · ${fact}`)}
          </span>
        </button>
        {body === null ? null : <CopyIcon label={t('Copy response')} text={body} />}
      </div>
      {isOpen && body !== null ? (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keyboard
          tabIndex={0}
          aria-label={t('Response body')}
          className="max-h-44 overflow-auto bg-sunken px-3 py-2 font-mono whitespace-pre-wrap [overflow-wrap:anywhere] focus-visible:-outline-offset-2"
        >
          {prettyJson(body)}
        </pre>
      ) : null}
    </section>
  )
}
