import { Sparkles, X } from '../../../lib/icons.tsx'
import { formatJson } from '../../../lib/json.ts'
import type { PaginationSuggestion } from '../../../../shared/contract/pagination.ts'
import { Button, IconButton } from '../../controls/button.tsx'
import { announce } from '../../screen/toast.tsx'
import { english, t, translateMessage } from '../../../lib/i18n.ts'
import type { English } from '../../../lib/i18n.ts'
import { STYLE_NAMES } from '../state/style-names.ts'
import { usePagination } from '../state/pagination-store.ts'

const CONFIDENCE = {
  high: english('high confidence'),
  medium: english('medium confidence'),
  low: english('low confidence'),
} as const

const SECOND_PAGES: { readonly [S in NonNullable<PaginationSuggestion['second_page']>]: English } = {
  new_records: english('page 2 has new records'),
  same_records: english('page 2 repeats page 1'),
  no_records: english('page 2 is empty'),
  failed: english('page 2 failed'),
}

interface SuggestionListProps {
  readonly onApply: (config: object) => void
}

/** How this API seems to paginate, with the reason; one click fills it in. */
export function SuggestionList({ onApply }: SuggestionListProps) {
  const found = usePagination((state) => state.found)
  const close = usePagination((state) => state.suggestionsClosed)
  const check = usePagination((state) => state.suggestionsChecked)
  const suggesting = usePagination((state) => state.suggesting)
  if (found === null) return null
  return (
    <section
      aria-label={t('Suggestions')}
      className="flex flex-col rounded border border-accent/50 bg-sunken"
    >
      <header className="flex items-center gap-1.5 py-1 pr-1 pl-2.5">
        <Sparkles size={14} aria-hidden className="shrink-0 text-accent-text" />
        <h3 className="min-w-0 flex-1 truncate text-sm font-medium">
          {found.suggestions.length === 0 ? t('No suggestion') : t('Suggested from the first response')}
        </h3>
        <IconButton small label={t('Close suggestions')} icon={X} onClick={close} />
      </header>
      {found.suggestions.length === 0 && found.advice !== null ? (
        <p className="px-2.5 pb-2 text-muted">{translateMessage(found.advice, found)}</p>
      ) : null}
      <ul>
        {found.suggestions.map((suggestion) => (
          <Suggestion
            key={`${suggestion.style} ${suggestion.reason}`}
            suggestion={suggestion}
            onApply={() => {
              onApply(suggestion.config)
              announce(t('Filled in: {{style}}', { style: t(STYLE_NAMES[suggestion.style]) }))
              close()
            }}
          />
        ))}
      </ul>
      {found.suggestions.some((suggestion) => suggestion.second_page === undefined) &&
      found.body.probe === undefined ? (
        <div className="flex flex-wrap items-center gap-2 border-t border-line px-2.5 py-2">
          <Button disabled={suggesting} onClick={() => void check()}>
            {t('Check with one request')}
          </Button>
          <p className="min-w-0 flex-1 text-sm text-muted">
            {t('Requests the second page with each suggestion until one returns new records.')}
          </p>
        </div>
      ) : null}
    </section>
  )
}

interface SuggestionProps {
  readonly suggestion: PaginationSuggestion
  readonly onApply: () => void
}

function Suggestion({
  suggestion: { style, reason, config, confidence, second_page: secondPage },
  onApply,
}: SuggestionProps) {
  return (
    <li className="flex flex-col gap-1 border-t border-line px-2.5 py-2">
      <div className="flex items-center gap-2">
        <span className="font-medium">{t(STYLE_NAMES[style])}</span>
        <span className="text-sm text-muted">
          {secondPage === undefined ? t(CONFIDENCE[confidence]) : t(SECOND_PAGES[secondPage])}
        </span>
        <Button
          className="ml-auto h-6"
          onClick={onApply}
          aria-label={t('Fill in: {{style}}', { style: t(STYLE_NAMES[style]) })}
        >
          {t('Fill in')}
        </Button>
      </div>
      <p className="text-sm break-words">{reason}</p>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={t('Configuration: {{style}}', { style: t(STYLE_NAMES[style]) })}
        className="max-h-28 overflow-auto text-sm break-all whitespace-pre-wrap text-muted"
      >
        {formatJson(config)}
      </pre>
    </li>
  )
}
